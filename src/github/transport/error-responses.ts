import { GitHubError, type GitHubErrorKind } from './github-error.js';
import { describeCall, type HttpResponse, type HttpRequest } from './http-exchange.js';
import { parseRetryAfter } from './rate-limits.js';

const KINDS: Readonly<Partial<Record<number, GitHubErrorKind>>> = {
  400: 'invalid',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  // A deleted issue.
  410: 'not_found',
  // A repository that is blocked for legal reasons.
  451: 'forbidden',
  408: 'unavailable',
  409: 'conflict',
  422: 'invalid',
};

/** Converts an unsuccessful response. */
export function toGitHubError(request: HttpRequest, response: HttpResponse, now: Date): GitHubError {
  const reason = readMessage(response.text);
  const retryAt = response.status >= 500 ? parseRetryAfter(response.headers, now) : null;
  return new GitHubError(
    toErrorKind(response),
    `${describeCall(request)}: ${response.status}${reason === '' ? '' : ` ${reason}`}`,
    {
      status: response.status,
      ...(retryAt === null ? {} : { retryAt }),
    },
  );
}

function toErrorKind({ status, text }: HttpResponse): GitHubErrorKind {
  // GitHub answers 422 to a second branch, pull request or milestone of one name, with the reason only in a message or code.
  if (status === 422 && /already[ _]exists/i.test(text)) return 'conflict';
  return KINDS[status] ?? (status >= 500 ? 'unavailable' : 'malformed');
}

/** Returns GitHub's message on one line, with at most 200 characters. */
function readMessage(text: string): string {
  try {
    const body = JSON.parse(text) as { readonly message?: unknown } | null;
    // eslint-disable-next-line no-control-regex -- removes control characters
    return typeof body?.message === 'string' ? body.message.replace(/[\u0000-\u001f\u007f]+/g, ' ').slice(0, 200) : '';
  } catch {
    return '';
  }
}
