import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Metrics } from './metrics.js';

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
export const setLoggedCaller = (request: FastifyRequest, caller: LoggedCaller): void => {
  (request as Logged)[LOGGED_CALLER] = caller;
};

/** Null where nobody was let in by name. */
export const findLoggedCaller = (request: FastifyRequest): LoggedCaller | null =>
  (request as Logged)[LOGGED_CALLER] ?? null;

const UNROUTED = 'none';

const STREAM_BEGAN = Symbol('stream began');

type Streamed = FastifyRequest & { [STREAM_BEGAN]?: number };

/** Says that the answer lasts as long as its reader stays: what counts as its duration is the time until now. */
export const noteStreamBegan = (request: FastifyRequest, reply: FastifyReply): void => {
  (request as Streamed)[STREAM_BEGAN] = reply.elapsedTime;
};

/**
 * Counts and logs every answer. The line holds these fields and no other: a path, query, header or body may carry a
 * secret or a name that another tenant must not see, a route's pattern cannot.
 */
export function installRequestLogging(fastify: FastifyInstance, log: Logger, metrics: Metrics): void {
  // A line of fields that are all known needs no search for secrets, which would take longer than to write it.
  const lines = log.child({}, { redact: [] });
  fastify.addHook('onResponse', (request, reply, done) => {
    const route = request.is404 ? UNROUTED : (request.routeOptions.url ?? UNROUTED);
    const { statusCode: status, elapsedTime } = reply;
    const duration = (request as Streamed)[STREAM_BEGAN] ?? elapsedTime;
    metrics.observeRequest(request.method, route, status, duration / 1_000);
    const caller = findLoggedCaller(request);
    lines.info(
      {
        method: request.method,
        route,
        status,
        ms: Math.round(elapsedTime * 10) / 10,
        requestId: request.id,
        ...(caller === null ? {} : { tenantId: caller.orgId, caller: caller.kind }),
      },
      'request',
    );
    done();
  });
}
