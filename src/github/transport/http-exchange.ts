import type { GitHubSettings } from '../github-settings.js';
import { GitHubError } from './github-error.js';

export interface HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

const DEFAULT_TIMEOUT_MS = 10_000;
const MAX_REDIRECTS = 3;
const REDIRECTS = new Set([301, 302, 307, 308]);
/** Larger than every expected response. A comparison of 300 files with their patches is smaller. */
const MAX_RESPONSE_BYTES = 32 * 1024 * 1024;

/**
 * Sends one request with limits of time and size. Follows a redirect only for a read and to the same origin, because the
 * token is sent along.
 */
export class HttpExchange {
  constructor(private readonly settings: Pick<GitHubSettings, 'apiUrl' | 'requestTimeoutMs'>) {}

  async send(request: HttpRequest, signal?: AbortSignal): Promise<HttpResponse> {
    const deadline = AbortSignal.timeout(this.settings.requestTimeoutMs ?? DEFAULT_TIMEOUT_MS);
    const ending = signal === undefined ? deadline : AbortSignal.any([deadline, signal]);
    let url = request.url;
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
      const response = await this.fetch({ ...request, url }, ending);
      const location = REDIRECTS.has(response.status) ? response.headers.get('location') : null;
      if (location === null) return this.readResponse(request, response, ending);
      await response.body?.cancel();
      url = this.resolveRedirect(request, url, location, response.status);
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
        ? timeoutError(request)
        : new GitHubError('unavailable', `${describeCall(request)}: no connection`, { cause });
    }
  }

  private resolveRedirect(request: HttpRequest, from: string, location: string, status: number): string {
    const target = URL.canParse(location, from) ? new URL(location, from) : null;
    if (target === null)
      throw new GitHubError('malformed', `${describeCall(request)}: redirected to an invalid address`, { status });
    if (target.origin !== new URL(this.settings.apiUrl).origin) {
      throw new GitHubError('off_host_redirect', `${describeCall(request)}: redirected to ${target.origin}`, {
        status,
      });
    }
    if (request.method !== 'GET') {
      throw new GitHubError('not_found', `${describeCall(request)}: redirected, which is not followed for a write`, {
        status,
      });
    }
    return target.href;
  }

  private async readResponse(request: HttpRequest, response: Response, ending: AbortSignal): Promise<HttpResponse> {
    const chunks: Uint8Array[] = [];
    let size = 0;
    try {
      for await (const chunk of response.body ?? []) {
        size += chunk.byteLength;
        if (size > MAX_RESPONSE_BYTES) break;
        chunks.push(chunk);
      }
    } catch (cause) {
      throw ending.aborted
        ? timeoutError(request)
        : new GitHubError('malformed', `${describeCall(request)}: the response ended early`, {
            status: response.status,
            cause,
          });
    }
    if (size > MAX_RESPONSE_BYTES) {
      throw new GitHubError('malformed', `${describeCall(request)}: the response exceeds ${MAX_RESPONSE_BYTES} bytes`);
    }
    return { status: response.status, headers: response.headers, text: Buffer.concat(chunks).toString('utf8') };
  }
}

/** Describes a call for logs and errors, without its query. */
export const describeCall = ({ method, url }: Pick<HttpRequest, 'method' | 'url'>): string =>
  `${method} ${new URL(url).pathname}`;

const timeoutError = (request: HttpRequest): GitHubError =>
  new GitHubError('timeout', `${describeCall(request)}: no response in time`);

/** Returns the address with `rel="next"` (RFC 8288). Throws if it is on another host, because the token is sent along. */
export function nextPageUrl(link: string | null, apiUrl: string): string | null {
  const next = link === null ? null : /<([^<>]+)>\s*;[^<>]*\brel="?next\b/.exec(link);
  const address = next?.[1];
  if (address === undefined) return null;
  if (!URL.canParse(address) || new URL(address).origin !== new URL(apiUrl).origin) {
    throw new GitHubError('malformed', 'the next page is on another host');
  }
  return address;
}

/** Returns GitHub's time in whole seconds, from a response that needs no credentials. */
export async function fetchGitHubDate(settings: Pick<GitHubSettings, 'apiUrl'>): Promise<Date> {
  const { headers } = await new HttpExchange(settings).send({
    method: 'GET',
    url: `${settings.apiUrl}/meta`,
    headers: { accept: 'application/vnd.github+json', 'user-agent': 'shipgate' },
  });
  const date = new Date(headers.get('date') ?? '');
  if (Number.isNaN(date.getTime())) throw new GitHubError('malformed', 'GET /meta: the response has no date');
  return date;
}
