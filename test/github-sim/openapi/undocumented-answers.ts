import type { Exchange } from '../exchange-observer.js';

/** A response of GitHub that its description lacks, with the reason why it is known to be right. */
interface UndocumentedAnswer {
  readonly statuses: readonly number[];
  /** The methods; all if absent. */
  readonly methods?: readonly string[];
  /** The operations; all if absent. */
  readonly operations?: readonly string[];
  /** `error` is GitHub's `{message, documentation_url?}`. `any` also allows the pages of its load balancer. */
  readonly body: 'none' | 'error' | 'any';
  readonly why: string;
}

/** Each entry was checked against GitHub's guides to its REST API. Any other undocumented response is a violation. */
const UNDOCUMENTED_ANSWERS: readonly UndocumentedAnswer[] = [
  {
    statuses: [304],
    methods: ['GET'],
    body: 'none',
    why: 'Any GET answers a matching If-None-Match so ("Best practices", conditional requests).',
  },
  {
    statuses: [301, 302, 307],
    body: 'error',
    why: 'Whatever was renamed or transferred redirects ("Best practices", follow redirects).',
  },
  {
    statuses: [401],
    body: 'error',
    why: 'Unknown, revoked and expired credentials ("Authenticating", failed login limit).',
  },
  {
    statuses: [403, 429],
    body: 'error',
    why: 'A missing permission, and both rate limits ("Rate limits", exceeding the rate limit).',
  },
  {
    statuses: [404],
    body: 'error',
    why: 'What the caller may not see is hidden so ("Troubleshooting", 404 for an existing resource).',
  },
  {
    statuses: [400],
    methods: ['POST', 'PUT', 'PATCH', 'DELETE'],
    body: 'error',
    why: 'A body that is no JSON, or not an object ("Troubleshooting", problems parsing JSON).',
  },
  {
    statuses: [422],
    methods: ['POST', 'PUT', 'PATCH', 'DELETE'],
    body: 'error',
    why: 'Missing and invalid fields ("Troubleshooting", validation failed).',
  },
  {
    statuses: [422],
    operations: ['repos/get-combined-status-for-ref', 'checks/list-for-ref'],
    body: 'error',
    why: 'A ref that names no commit is refused in the way that repos/get-commit documents.',
  },
  {
    statuses: [500, 502, 503, 504],
    body: 'any',
    why: 'An outage may hit any operation, and its page comes from in front of the API.',
  },
];

/** Returns the kind of body of an undocumented response, or null if GitHub does not respond with this status. */
export function undocumentedBody(operationId: string, { method, status }: Exchange): UndocumentedAnswer['body'] | null {
  const answer = UNDOCUMENTED_ANSWERS.find(
    ({ statuses, methods, operations }) =>
      statuses.includes(status) &&
      (methods?.includes(method.toUpperCase()) ?? true) &&
      (operations?.includes(operationId) ?? true),
  );
  return answer?.body ?? null;
}
