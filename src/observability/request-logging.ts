import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Metrics } from './metrics.js';

/** The loggable part of a caller. */
export interface LoggedCaller {
  /** Null if the caller belongs to no workspace. */
  readonly orgId: string | null;
  /** `api_key`, `identity_token`, `member`, … */
  readonly kind: string;
}

const LOGGED_CALLER = Symbol('logged caller');

type Logged = FastifyRequest & { [LOGGED_CALLER]?: LoggedCaller };

/** Sets the caller for the log line of this request. Every authentication calls it. */
export const setLoggedCaller = (request: FastifyRequest, caller: LoggedCaller): void => {
  (request as Logged)[LOGGED_CALLER] = caller;
};

/** Returns the caller of the request. Null if none was authenticated. */
export const findLoggedCaller = (request: FastifyRequest): LoggedCaller | null =>
  (request as Logged)[LOGGED_CALLER] ?? null;

const UNROUTED = 'none';

const STREAM_BEGAN = Symbol('stream began');

type Streamed = FastifyRequest & { [STREAM_BEGAN]?: number };

/**
 * Marks the answer as a stream that stays open until the client disconnects. Its duration is the time until this call.
 */
export const noteStreamBegan = (request: FastifyRequest, reply: FastifyReply): void => {
  (request as Streamed)[STREAM_BEGAN] = reply.elapsedTime;
};

/**
 * Counts and logs every answer. The line contains only these fields: a path, query, header or body may contain a secret
 * or a name of another tenant, but the pattern of a route cannot.
 */
export function installRequestLogging(fastify: FastifyInstance, log: Logger, metrics: Metrics): void {
  // All fields of this line are safe, so it needs no redaction, which would take longer than writing it.
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
