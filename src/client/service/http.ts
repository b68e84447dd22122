import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import type { EnvHttpProxyAgent } from 'undici';
import { CommandError, usageError } from '../command-result.js';
import { hideSecret, plainText } from '../plain-text.js';
import type { Env } from '../ci-environment.js';

/** The errors of a network that may pass. An error of TLS or of a proxy's password does not pass, so it is not listed. */
const TEMPORARY: Readonly<Record<string, (host: string) => string>> = {
  EAI_AGAIN: (host) => `The name ${host} cannot be resolved now`,
  ECONNREFUSED: (host) => `${host} refuses the connection. Nothing listens there, or a firewall is in between`,
  ECONNRESET: (host) => `${host} closed the connection before its answer was complete`,
  EHOSTUNREACH: (host) => `There is no way to ${host} in this network`,
  ENETUNREACH: (host) => `There is no way to ${host} in this network`,
  ENOTFOUND: (host) => `The name ${host} is not known. Is the address right?`,
  EPIPE: (host) => `${host} closed the connection before its answer was complete`,
  ETIMEDOUT: (host) => `${host} does not accept the connection in time`,
  UND_ERR_BODY_TIMEOUT: (host) => `${host} did not send its whole answer in time`,
  UND_ERR_CONNECT_TIMEOUT: (host) => `${host} does not accept the connection in time`,
  UND_ERR_HEADERS_TIMEOUT: (host) => `${host} did not answer in time`,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: (host) => `${host} did not send its whole answer`,
  UND_ERR_SOCKET: (host) => `${host} closed the connection before its answer was complete`,
};

const FURTHER_AUTHORITIES = 'NODE_EXTRA_CA_CERTS names a file with further authorities';

const CERTIFICATE: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'has expired',
  CERT_NOT_YET_VALID: 'is not valid yet. Is the clock right?',
  CERT_REVOKED: 'was revoked',
  ERR_TLS_CERT_ALTNAME_INVALID: 'is for another name',
};

/** An error of the HTTP library or of the system, as far as its sentence depends on it. */
interface NetworkError {
  readonly code?: string | undefined;
  readonly message: string;
}

/** Why no answer came, in words for users. Users know no codes of the library and of the system. */
function networkProblem(
  { code = '', message }: NetworkError,
  host: string,
): { readonly sentence: string; readonly isTemporary: boolean } {
  const temporary = TEMPORARY[code]?.(host);
  if (temporary !== undefined) return { sentence: temporary, isTemporary: true };
  // `HPE_…`: as from a service that is starting behind a tunnel.
  if (code.startsWith('HPE_')) return { sentence: `${host} does not answer by HTTP`, isTemporary: true };
  return { sentence: lastingProblem(code, message, host), isTemporary: false };
}

function lastingProblem(code: string, message: string, host: string): string {
  const [, status] = /^Proxy response \((\d{3})\)/.exec(message) ?? [];
  if (status !== undefined) return `The proxy refuses the connection to ${host} with the status ${status}`;
  const certificate = CERTIFICATE[code];
  if (certificate !== undefined) return `The certificate of ${host} ${certificate}`;
  if (/CERT|SIGNATURE|ISSUER/.test(code)) {
    return `The certificate of ${host} is of no authority that this computer knows. ${FURTHER_AUTHORITIES}`;
  }
  if (/SSL|TLS|EPROTO/.test(code)) return `${host} does not speak TLS as expected. Is the port of the address right?`;
  return `${host} gave no answer`;
}

const CONNECT_MS = 10_000;
const MAX_ANSWER_BYTES = 4_194_304;
const MAX_TRIES = 8;
const MAX_PAUSE_MS = 30_000;
const MAX_RETRY_AFTER_MS = 600_000;
/** The longest time of a request with a body, which may be slow to send. */
const MAX_UPLOAD_MS = 600_000;

/** The statuses after which the same request may succeed. */
const TEMPORARY_STATUSES: ReadonlySet<number> = new Set([425, 429, 500, 502, 503, 504]);
const REQUEST_TIMEOUT = 408;

export interface RepeatableRequest {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly url: string;
  /** Called for each try, so that a credential can be renewed. */
  readonly headers: () => Promise<Readonly<Record<string, string>>> | Readonly<Record<string, string>>;
  /** Called for each try, because a stream can be read only once. */
  readonly body?: (() => Readable) | undefined;
  /** The time from the end of the body to the answer. */
  readonly answerMs: number;
}

export interface HttpAnswer {
  readonly status: number;
  readonly body: string;
  /** The id of the request in the log of the service; null if the answer has none. */
  readonly requestId: string | null;
  /** The target of a redirect, which is never followed; null if there is none. */
  readonly location: string | null;
  /** The time of the answer on the clock of the service; null if the answer names none. */
  readonly date: Date | null;
  /** The requested pause before another try; null if the answer names none. */
  readonly retryAfterMs: number | null;
}

/** No usable answer came. */
export class NoAnswerError extends Error {
  constructor(
    message: string,
    readonly isTemporary: boolean,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }

  /** The message with its end. It may be a question. */
  get sentence(): string {
    return this.message.endsWith('?') ? this.message : `${this.message}.`;
  }
}

const LOOPBACK = 'localhost,127.0.0.1,[::1]';

/**
 * Reads the proxies of `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, in upper or lower case. A service on this machine is never requested
 * through a proxy, because the credential would leave the machine without encryption. The library is loaded with the first request,
 * because loading takes longer than a whole command without requests.
 */
async function openAgent({ no_proxy: lower, NO_PROXY: upper }: Env): Promise<EnvHttpProxyAgent> {
  const { EnvHttpProxyAgent: Agent } = await import('undici');
  // undici parses answers with WebAssembly. V8 would spend 180 ms of CPU time and 36 MB to optimize it for a few answers.
  setFlagsFromString('--wasm-tiering-budget=1000000000');
  const excluded = lower ?? upper ?? '';
  const noProxy = excluded.trim() === '*' ? '*' : `${excluded},${LOOPBACK}`;
  try {
    return new Agent({ connect: { timeout: CONNECT_MS }, noProxy });
  } catch {
    throw usageError(
      'HTTPS_PROXY or HTTP_PROXY is not the address of a proxy. It must begin with http:// or https://.',
    );
  }
}

/** Sends requests. Redirects are not followed, because the credential is for one address only. */
export class HttpClient {
  private agent: Promise<EnvHttpProxyAgent> | undefined;

  constructor(private readonly env: Env) {}

  /** Sends a request once. Throws a `NoAnswerError` if no complete answer came. */
  async sendOnce(sent: RepeatableRequest): Promise<HttpAnswer> {
    this.agent ??= openAgent(this.env);
    const agent = await this.agent;
    const given = await sent.headers();
    hideSecret(given['authorization']?.replace(/^Bearer /, '') ?? '');
    const limitMs = sent.body ? MAX_UPLOAD_MS : CONNECT_MS + sent.answerMs;
    // Limits the whole exchange, because the timeouts of the library restart with each byte, and the tunnel of a proxy has none.
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<never>((_, reject) => {
      const problem = new NoAnswerError(`No complete answer came in ${limitMs / 1_000} s`, true);
      timer = setTimeout(() => reject(problem), limitMs);
    });
    try {
      return await Promise.race([this.exchange(agent, sent, given), limit]);
    } finally {
      clearTimeout(timer);
    }
  }

  private async exchange(
    agent: EnvHttpProxyAgent,
    { method, url, body, answerMs }: RepeatableRequest,
    headers: Readonly<Record<string, string>>,
  ): Promise<HttpAnswer> {
    const target = new URL(url);
    try {
      const answer = await agent.request({
        origin: target.origin,
        path: `${target.pathname}${target.search}`,
        method,
        headers,
        headersTimeout: answerMs,
        bodyTimeout: answerMs,
        ...(body && { body: body() }),
      });
      const text = await readBounded(answer.body);
      const header = (name: string): string | null => [answer.headers[name]].flat()[0] ?? null;
      const id = header('x-request-id');
      return {
        status: answer.statusCode,
        body: text,
        requestId: id === null ? null : plainText(id),
        location: header('location'),
        date: parseDate(header('date')),
        retryAfterMs: retryAfterMs(header('retry-after')),
      };
    } catch (error) {
      throw noAnswer(error, target.host);
    }
  }

  /**
   * Sends a request until an answer is final or `budgetMs` is used up, then returns the last answer or throws the last
   * `NoAnswerError`. Reports the cause of each further try and the pause before it.
   */
  async send(sent: RepeatableRequest, budgetMs: number, report: (line: string) => void): Promise<HttpAnswer> {
    const deadline = Date.now() + budgetMs;
    let timeouts = 0;
    for (let tries = 1; ; tries += 1) {
      const result = await this.sendOnce(sent).catch((error: unknown) => {
        if (error instanceof NoAnswerError) return error;
        throw error;
      });
      if (!(result instanceof NoAnswerError) && result.status === REQUEST_TIMEOUT) timeouts += 1;
      const pauseMs = Math.max(
        result instanceof NoAnswerError ? 0 : (result.retryAfterMs ?? 0),
        Math.random() * Math.min(MAX_PAUSE_MS, 1_000 * 2 ** tries),
      );
      if (!mayPass(result, timeouts) || tries === MAX_TRIES || Date.now() + pauseMs > deadline) {
        if (result instanceof NoAnswerError) throw result;
        return result;
      }
      const cause = result instanceof NoAnswerError ? result.sentence : `Shipgate answered ${result.status}.`;
      report(`${cause} Next try in ${(pauseMs / 1_000).toFixed(1)} s.`);
      await sleep(pauseMs);
    }
  }

  /** Closes idle connections, which would keep the process running. */
  async close(): Promise<void> {
    const agent = await this.agent?.catch(() => undefined);
    await agent?.destroy();
  }
}

const mayPass = (result: HttpAnswer | NoAnswerError, timeouts: number): boolean =>
  result instanceof NoAnswerError
    ? result.isTemporary
    : TEMPORARY_STATUSES.has(result.status) || (result.status === REQUEST_TIMEOUT && timeouts === 1);

async function readBounded(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MAX_ANSWER_BYTES) throw new NoAnswerError('The answer is larger than 4 MB', false);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parseDate(header: string | null): Date | null {
  const at = Date.parse(header ?? '');
  return Number.isNaN(at) ? null : new Date(at);
}

/** Parses `Retry-After` (RFC 9110, § 10.2.3): seconds or a date. */
function retryAfterMs(header: string | null): number | null {
  if (header === null) return null;
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), MAX_RETRY_AFTER_MS);
}

/** The first error that caused another one and has a code. */
function rootCause(error: Error): Error & { readonly code?: string } {
  const inner = error instanceof AggregateError ? (error.errors as unknown[])[0] : error.cause;
  return inner instanceof Error ? rootCause(inner) : error;
}

function noAnswer(error: unknown, host: string): Error {
  // An error of the body, such as a file that changed while it was read, is final.
  if (error instanceof NoAnswerError || error instanceof CommandError) return error;
  const cause = rootCause(error instanceof Error ? error : new Error(String(error)));
  if (cause instanceof CommandError) return cause;
  const { sentence, isTemporary } = networkProblem(cause, plainText(host));
  return new NoAnswerError(sentence, isTemporary, { cause: error });
}
