import createClient from 'openapi-fetch';
import { heldPages } from './held-pages.js';
import { readWorkspace } from './read-workspace.js';
import { setServerClock } from './server-clock.js';
import { isUserActive } from './user-activity.js';
import type { components, paths } from './schema.gen.js';

/** A schema of the OpenAPI document by name. */
export type Schema<Name extends keyof components['schemas']> = components['schemas'][Name];

/** A failed request. The message is the sentence of the service. Status 0 means that the service was not reached. */
export class ApiError extends Error {
  constructor(
    message: string,
    readonly status: number,
    /** From `X-Error-Code`. Null if the status has a single cause on this route. */
    readonly code: string | null = null,
    readonly requestId: string | null = null,
    /** When the service accepts the request again, on the clock of this computer. Null if it names no time. */
    readonly retryAt: number | null = null,
  ) {
    super(message);
  }
}

let areRequestsStopped = false;

/** Refuses all further requests of this page, because its session has ended or works in another workspace. */
export const stopRequests = (): void => void (areRequestsStopped = true);

/** Allows requests again, because the same user works in the same workspace again. */
export const resumeRequests = (): void => void (areRequestsStopped = false);

export const api = createClient<paths>({ baseUrl: location.origin });

api.use({
  /**
   * The service refuses the request if the session has selected another workspace since, for example in another tab. Only the requests
   * that read and select the workspace work for every one.
   */
  onRequest: ({ request, schemaPath }) => {
    if (areRequestsStopped) throw new ApiError('This page can no longer be used. Load it again.', 401);
    const org = readWorkspace(location.pathname);
    if (org !== null && !schemaPath.startsWith('/api/auth/')) request.headers.set('X-Workspace', org);
    // An open page without a user in front of it does not extend its session.
    if (request.method === 'GET' && !isUserActive()) request.headers.set('X-Background', '1');
    return request;
  },
  onResponse: ({ response }) => setServerClock(response.headers.get('Date')),
});

api.use(heldPages);

interface ApiResponse<Body> {
  readonly data?: Body;
  readonly error?: unknown;
  readonly response: Response;
}

/** Returns the body of a successful response. Throws `ApiError` for every other response, and rethrows an abort. */
export async function readBody<Body>(request: Promise<ApiResponse<Body>>): Promise<Body> {
  const { data, error, response } = await request.catch((cause: unknown) => {
    throw cause instanceof TypeError ? new ApiError('Shipgate cannot be reached. Try again.', 0) : cause;
  });
  if (response.ok) return data as Body;
  const { status, headers } = response;
  throw new ApiError(
    readMessage(error) ?? `Shipgate answered ${status}.`,
    status,
    headers.get('X-Error-Code'),
    headers.get('X-Request-Id'),
    findRetryTime(headers.get('Retry-After'), Date.now()),
  );
}

const SECOND_MS = 1_000;

/** Returns the time that `Retry-After` names in seconds, at least one second from now. Null if it names none. */
function findRetryTime(retryAfter: string | null, now: number): number | null {
  const seconds = Number(retryAfter ?? Number.NaN);
  return Number.isFinite(seconds) ? now + Math.max(seconds, 1) * SECOND_MS : null;
}

/** Returns the sentence of an error body. Null if the body has another format, for example that of a proxy. */
const readMessage = (body: unknown): string | null =>
  typeof body === 'object' && body !== null && 'error' in body && typeof body.error === 'string' ? body.error : null;
