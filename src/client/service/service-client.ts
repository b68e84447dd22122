import { Readable } from 'node:stream';
import { plainText } from '../plain-text.js';
import { durationMs, serviceAddress } from '../settings.js';
import { CommandError, EXIT, unknownError } from '../command-result.js';
import { Credential } from './credential.js';
import { HttpClient, type HttpAnswer, type RepeatableRequest, NoAnswerError } from './http.js';
import type { Env } from '../ci-environment.js';

const MAX_BUDGET_MS = 6 * 3_600_000;
/** Enough for each sentence of the service. */
const MAX_ERROR_CHARACTERS = 2_000;

export interface ServiceRequest extends Pick<RepeatableRequest, 'method' | 'answerMs'> {
  /** The path with its query, such as `/api/milestones/check?repo=…`. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: RepeatableRequest['body'];
  /** The time for all tries; `SHIPGATE_RETRY_FOR` overrides it. With 0 the request is always sent only once. */
  readonly budgetMs: number;
}

/** The content of a request as JSON. */
export const jsonBody = (value: object): Pick<ServiceRequest, 'headers' | 'body'> => ({
  headers: { 'content-type': 'application/json' },
  body: () => Readable.from([Buffer.from(JSON.stringify(value))]),
});

/** A complete answer of the service. */
export type ServiceAnswer = Pick<HttpAnswer, 'status' | 'requestId' | 'retryAfterMs'> & {
  /** The parsed JSON; undefined if the body is not JSON. */
  readonly json: unknown;
};

/** Options for the credential beyond the variables of CI. */
export interface CredentialSource {
  readonly maskToken?: ((token: string) => void) | undefined;
  readonly personalKey?: string | undefined;
}

/** Sends requests with the credential of the command. */
export class ServiceClient {
  private readonly http: HttpClient;
  private readonly credential: Credential;
  readonly address: string;

  /** Throws a usage error if the address or the credential is missing. `report` receives a line for each further try. */
  constructor(
    url: string | undefined,
    private readonly env: Env,
    private readonly report: (line: string) => void,
    { maskToken, personalKey }: CredentialSource = {},
  ) {
    this.address = serviceAddress(url, env);
    this.http = new HttpClient(env);
    this.credential =
      personalKey === undefined ? Credential.choose(this.http, env, report, maskToken) : Credential.ofUser(personalKey);
  }

  /** Returns the answer. Throws for a rejected credential, for a redirect, and if no answer came. */
  async send(request: ServiceRequest): Promise<ServiceAnswer> {
    const { path, headers, budgetMs, ...rest } = request;
    const sent: RepeatableRequest = {
      ...rest,
      url: `${this.address}${path}`,
      headers: async () => ({ ...headers, accept: 'application/json', authorization: await this.credential.header() }),
    };
    const budget = this.env['SHIPGATE_RETRY_FOR'];
    const answer = await this.http
      .send(
        sent,
        budget && budgetMs > 0 ? durationMs('SHIPGATE_RETRY_FOR', budget, MAX_BUDGET_MS) : budgetMs,
        this.report,
      )
      .catch((error: unknown) => {
        throw error instanceof NoAnswerError ? unknownError(error.sentence) : error;
      });
    if (answer.status === 401 && this.credential.canBeRenewed) return this.send(request);
    if (answer.status === 401) {
      throw unknownError(this.credential.describe(), { status: answer.status, request_id: answer.requestId });
    }
    if (answer.status >= 300 && answer.status < 400) {
      const target = plainText(answer.location ?? 'another address');
      throw unknownError(`${this.address} redirects to ${target}. Redirects are not followed: name the right address.`);
    }
    return { ...answer, json: parseJson(answer.body) };
  }

  close(): Promise<void> {
    return this.http.close();
  }
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** Returns the sentence of the service for an answer that is an error. */
export function errorSentence({ status, json }: ServiceAnswer): string {
  const error = typeof json === 'object' && json !== null && 'error' in json ? json.error : undefined;
  return typeof error === 'string'
    ? plainText(error).slice(0, MAX_ERROR_CHARACTERS)
    : `The address answered ${status}, and not as Shipgate does.`;
}

/** The statuses with which the service rejects a change, and with which it will always reject it. */
const REJECTED: ReadonlySet<number> = new Set([402, 409, 413, 415, 422]);
export const BAD_REQUEST = 400;

/** What the request does, because only a change can be rejected. A question that is not answered leaves its answer unknown. */
type Purpose = 'change' | 'question';

/** Creates the error for an answer that ends a command. Each status has one exit code, whatever the command. */
export function answerError(purpose: Purpose, answer: ServiceAnswer): CommandError {
  const { status, requestId } = answer;
  const [exit, outcome] =
    status === BAD_REQUEST
      ? [EXIT.usage, 'usage']
      : purpose === 'change' && REJECTED.has(status)
        ? [EXIT.no, 'refused']
        : [EXIT.unknown, 'unknown'];
  return new CommandError(exit, outcome, errorSentence(answer), { status, request_id: requestId });
}
