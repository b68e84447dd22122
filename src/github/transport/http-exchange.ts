import type { GitHubSettings } from '../github-settings.js';
import { GitHubError } from './github-error.js';

export interface HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

const DEFAULT_TIMEOUT_MS = 10_000;
const MAX_REDIRECTS = 3;
const REDIRECTS = new Set([301, 302, 307, 308]);
/** More than any answer that is read here: 300 files of a comparison with their patches stay below it. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;

/**
 * One exchange with GitHub: within its time, its size and its host. A redirect is followed for reads and on the
 * same origin only, since the token would go with it.
 */
export class HttpExchange {
  constructor(private readonly settings: Pick<GitHubSettings, 'apiUrl' | 'requestTimeoutMs'>) {}

  async send(request: HttpRequest, signal?: AbortSignal): Promise<HttpAnswer> {
    const deadline = AbortSignal.timeout(this.settings.requestTimeoutMs ?? DEFAULT_TIMEOUT_MS);
    const ending = signal === undefined ? deadline : AbortSignal.any([deadline, signal]);
    let url = request.url;
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
      const response = await this.fetch({ ...request, url }, ending);
      const location = REDIRECTS.has(response.status) ? response.headers.get('location') : null;
      if (location === null) return this.answerOf(request, response, ending);
      await response.body?.cancel();
      url = this.followed(request, url, location, response.status);
    }
    throw new GitHubError('malformed', `${describeCall(request)}: more than ${MAX_REDIRECTS} redirects`);
  }

  private async fetch(request: HttpRequest, ending: AbortSignal): Promise<Response> {
    try {
      return await fetch(request.url, {
        method: request.method,
        headers: request.headers,
        redirect: 'manual',
        signal: ending,
        ...(request.body === undefined ? {} : { body: request.body }),
      });
    } catch (cause) {
      throw ending.aborted
        ? timedOut(request)
        : new GitHubError('unavailable', `${describeCall(request)}: no connection`, { cause });
    }
  }

  private followed(request: HttpRequest, from: string, location: string, status: number): string {
    const target = URL.canParse(location, from) ? new URL(location, from) : null;
    if (target === null)
      throw new GitHubError('malformed', `${describeCall(request)}: redirected to no address`, { status });
    if (target.origin !== new URL(this.settings.apiUrl).origin) {
      throw new GitHubError('off_host_redirect', `${describeCall(request)}: redirected to ${target.origin}`, {
        status,
      });
    }
    if (request.method !== 'GET') {
      throw new GitHubError('not_found', `${describeCall(request)}: moved, and a write does not follow`, { status });
    }
    return target.href;
  }

  private async answerOf(request: HttpRequest, response: Response, ending: AbortSignal): Promise<HttpAnswer> {
    const chunks: Uint8Array[] = [];
    let size = 0;
    try {
      for await (const chunk of response.body ?? []) {
        size += chunk.byteLength;
        if (size > MAX_ANSWER_BYTES) break;
        chunks.push(chunk);
      }
    } catch (cause) {
      throw ending.aborted
        ? timedOut(request)
        : new GitHubError('malformed', `${describeCall(request)}: the answer breaks off`, {
            status: response.status,
            cause,
          });
    }
    if (size > MAX_ANSWER_BYTES) {
      throw new GitHubError('malformed', `${describeCall(request)}: the answer exceeds ${MAX_ANSWER_BYTES} bytes`);
    }
    return { status: response.status, headers: response.headers, text: Buffer.concat(chunks).toString('utf8') };
  }
}

/** A call as logs may show it: without its query. */
export const describeCall = ({ method, url }: Pick<HttpRequest, 'method' | 'url'>): string =>
  `${method} ${new URL(url).pathname}`;

const timedOut = (request: HttpRequest): GitHubError =>
  new GitHubError('timeout', `${describeCall(request)}: no answer in time`);

/** The page that follows, by `rel="next"` (RFC 8288); refused where it lies off GitHub, since the token would go there. */
export function nextPageUrl(link: string | null, apiUrl: string): string | null {
  const next = link === null ? null : /<([^<>]+)>\s*;[^<>]*\brel="?next\b/.exec(link);
  const address = next?.[1];
  if (address === undefined) return null;
  if (!URL.canParse(address) || new URL(address).origin !== new URL(apiUrl).origin) {
    throw new GitHubError('malformed', 'the next page lies off GitHub');
  }
  return address;
}
