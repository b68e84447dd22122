import type { FastifyRequest } from 'fastify';

/** What the log may tell of who calls. */
export interface LoggedCaller {
  /** Null where it belongs to no workspace. */
  readonly orgId: string | null;
  /** `api_key`, `identity_token`, `member`, … */
  readonly kind: string;
}

const LOGGED_CALLER = Symbol('logged caller');

type Logged = FastifyRequest & { [LOGGED_CALLER]?: LoggedCaller };

/** Names the caller in the line about this request; whoever lets a caller in does so. */
export const nameInLog = (request: FastifyRequest, caller: LoggedCaller): void => {
  (request as Logged)[LOGGED_CALLER] = caller;
};

/** Null where nobody was let in by name. */
export const findLoggedCaller = (request: FastifyRequest): LoggedCaller | null =>
  (request as Logged)[LOGGED_CALLER] ?? null;
