import { GitHubError, type GitHubErrorKind } from './github-error.js';
import { describeCall, type HttpAnswer, type HttpRequest } from './http-exchange.js';
import { parseRetryAfter } from './rate-limits.js';

const KINDS: Readonly<Partial<Record<number, GitHubErrorKind>>> = {
  400: 'invalid',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  // A repository withdrawn for legal reasons, an issue that was deleted.
  410: 'not_found',
  451: 'forbidden',
  408: 'unavailable',
  409: 'conflict',
  422: 'invalid',
};

/** The error that an answer other than success stands for. */
export function toGitHubError(request: HttpRequest, answer: HttpAnswer, now: Date): GitHubError {
  const reason = reasonOf(answer.text);
  const retryAt = answer.status >= 500 ? parseRetryAfter(answer.headers, now) : null;
  return new GitHubError(
    kindOf(answer),
    `${describeCall(request)}: ${answer.status}${reason === '' ? '' : ` ${reason}`}`,
    {
      status: answer.status,
      ...(retryAt === null ? {} : { retryAt }),
    },
  );
}

function kindOf({ status, text }: HttpAnswer): GitHubErrorKind {
  // GitHub answers 422 to a second branch, pull request or milestone of the same name, and says so in words or a code alone.
  if (status === 422 && /already[ _]exists/i.test(text)) return 'conflict';
  return KINDS[status] ?? (status >= 500 ? 'unavailable' : 'malformed');
}

/** GitHub's own sentence, on one line and cut to what a log can bear. */
function reasonOf(text: string): string {
  try {
    const body = JSON.parse(text) as { readonly message?: unknown } | null;
    // eslint-disable-next-line no-control-regex -- control characters are what is taken out
    return typeof body?.message === 'string' ? body.message.replace(/[\u0000-\u001f\u007f]+/g, ' ').slice(0, 200) : '';
  } catch {
    return '';
  }
}
