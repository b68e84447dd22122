import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ExchangeObserver } from '../exchange-observer.js';
import type { Faults, FaultSpec } from '../faults.js';
import { ApiRejection } from '../state/api-rejection.js';
import type { SimulatedGitHubState } from '../state/simulated-github-state.js';
import { ApiError, notFound } from './api-error.js';
import { Call, RepositoryCall, type Answer } from './call.js';
import { identifyCaller, type Caller } from './caller.js';
import type { RateLimits } from './rate-limits.js';
import { requireAccess, canRead } from './repository-access.js';
import { publicRoute, type RepositoryRoute, type Route } from './route.js';

const REJECTION_STATUS = { invalid: 422, conflict: 409, not_allowed: 405, not_found: 404 } as const;

interface Parts {
  readonly state: SimulatedGitHubState;
  readonly routes: readonly Route[];
  readonly faults: Faults;
  readonly limits: RateLimits;
  readonly observe: ExchangeObserver;
}

/** GitHub's REST API over HTTP: authentication, rate limits, planned faults, and the headers of responses. */
export class RestApi {
  constructor(private readonly parts: Parts) {}

  register(server: FastifyInstance): void {
    const rateLimit = publicRoute('GET', '/rate_limit', ({ headers }) => {
      const core = this.parts.limits.state(holderOf(headers['authorization']));
      return { status: 200, body: { resources: { core, search: core }, rate: core } };
    });
    for (const route of [...this.parts.routes, rateLimit]) {
      server.route({
        method: route.method,
        url: route.path,
        exposeHeadRoute: false,
        handler: (request, reply) => this.serve(route, request, reply),
      });
    }
    server.setErrorHandler((error: { statusCode?: number }, request, reply) => {
      const { statusCode = 500 } = error;
      if (statusCode >= 500) throw error;
      return this.send({ status: statusCode, body: { message: 'Problems parsing JSON' } }, request, reply);
    });
    server.setNotFoundHandler((request, reply) => this.serve(publicRoute('GET', '*', refuseUnknown), request, reply));
  }

  private async serve(route: Route, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const fault = this.parts.faults.take({ method: request.method, url: request.url });
    if (fault && 'ms' in fault) await delay(fault.ms);
    const injected = fault && this.instead(fault, request);
    if (injected) return this.send(injected, request, reply);
    if (fault?.kind === 'drop' && !fault.afterWork) return this.drop(reply);
    if (fault?.kind === '5xx' && !fault.afterWork) return this.send(serverError(fault), request, reply);
    const answer = this.answer(route, request);
    this.observe(request, answer);
    if (fault?.kind === 'drop') return this.drop(reply);
    if (fault?.kind === '5xx') return this.send(serverError(fault), request, reply);
    // A response without a body cannot be truncated, so it is dropped.
    if (fault?.kind === 'truncate') return answer.status === 304 ? this.drop(reply) : this.truncate(answer, reply);
    if (fault?.kind === 'hold') {
      fault.came();
      await fault.letThrough;
    }
    if (fault?.kind === 'reorder') await this.parts.faults.untilLaterAnswer();
    else this.parts.faults.releaseHeld();
    return this.send(answer, request, reply);
  }

  private answer(route: Route, request: FastifyRequest): Answer {
    const { state, limits } = this.parts;
    const holder = holderOf(request.headers.authorization);
    try {
      const caller = identifyCaller(state, request.headers.authorization);
      if (!limits.hasLeft(holder) && route.path !== '/rate_limit') {
        throw new ApiError(403, `API rate limit exceeded for ${holder}.`);
      }
      const answer = conditional(this.handle(route, request, caller), request);
      if (answer.status !== 304 && route.path !== '/rate_limit') limits.spend(holder);
      return answer;
    } catch (error) {
      const refused = apiErrorOf(error);
      limits.spend(holder);
      return { status: refused.status, body: refused.body };
    }
  }

  private handle(route: Route, request: FastifyRequest, caller: Caller): Answer {
    const { state } = this.parts;
    const url = new URL(request.url, state.url);
    const params = request.params as Record<string, string>;
    const call = new Call(state, caller, url, params, request.headers, request.body);
    return route.kind === 'open' ? route.handle(call) : this.handleInRepository(route, call, request.body);
  }

  private handleInRepository(route: RepositoryRoute, call: Call, body: unknown): Answer {
    const { repositories } = call.state;
    const [owner, name] = [call.param('owner'), call.param('repo')];
    const repository = repositories.findByName(owner, name);
    if (repository) {
      requireAccess(call.caller, repository, route.need);
      return route.handle(new RepositoryCall(call, repository, body));
    }
    const renamed = repositories.findByFormerName(owner, name);
    if (!renamed || !canRead(call.caller, renamed)) throw notFound();
    const rest = call.url.pathname.split('/').slice(4).join('/');
    const location = `${call.state.url}/repositories/${renamed.id}${rest && `/${rest}`}${call.url.search}`;
    const message = { message: 'Moved Permanently', url: location, documentation_url: 'https://docs.github.com/rest' };
    return { status: 301, body: message, headers: { location } };
  }

  private observe(request: FastifyRequest, { status, body }: Answer): void {
    const { pathname, searchParams } = new URL(request.url, this.parts.state.url);
    this.parts.observe({
      method: request.method,
      path: pathname,
      query: Object.fromEntries(searchParams),
      requestHeaders: request.headers as Record<string, string>,
      requestBody: request.body ?? undefined,
      status,
      responseBody: body,
    });
  }

  /** The response that a fault sends in place of the operation's, or null. */
  private instead(fault: FaultSpec, request: FastifyRequest): Answer | null {
    if (fault.kind === 'secondary-limit') {
      const retryAfter = fault.retryAfterS === undefined ? 60 : fault.retryAfterS;
      const error = new ApiError(
        403,
        'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.',
      );
      return {
        status: 403,
        body: error.body,
        ...(retryAfter !== null && { headers: { 'retry-after': String(retryAfter) } }),
      };
    }
    if (fault.kind !== 'primary-limit') return null;
    const holder = holderOf(request.headers.authorization);
    this.parts.limits.exhaust(holder);
    return { status: 403, body: new ApiError(403, `API rate limit exceeded for ${holder}.`).body };
  }

  private drop(reply: FastifyReply): FastifyReply {
    reply.hijack();
    reply.raw.destroy();
    return reply;
  }

  /** Declares the length of the whole body, sends half of it and closes the connection. */
  private truncate({ status, body }: Answer, reply: FastifyReply): FastifyReply {
    const whole = Buffer.from(JSON.stringify(body ?? {}));
    reply.hijack();
    reply.raw.writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'content-length': whole.length });
    reply.raw.write(whole.subarray(0, Math.floor(whole.length / 2)), () => reply.raw.destroy());
    return reply;
  }

  private send({ status, body, headers }: Answer, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const { state, limits } = this.parts;
    reply.code(status).headers({
      date: state.now().toUTCString(),
      'x-github-request-id': randomUUID().toUpperCase(),
      'x-github-media-type': 'github.v3; format=json',
      ...limits.headers(holderOf(request.headers.authorization)),
      ...headers,
    });
    if (body === undefined || status === 304) return reply.send();
    if (Buffer.isBuffer(body)) return reply.send(body);
    return reply.type('application/json; charset=utf-8').send(JSON.stringify(body));
  }
}

/** Adds an `ETag` to a successful read, and returns 304 if the caller already has this version. */
function conditional(answer: Answer, request: FastifyRequest): Answer {
  if (request.method !== 'GET' || answer.status !== 200) return answer;
  const content = Buffer.isBuffer(answer.body) ? answer.body : JSON.stringify(answer.body);
  const etag = `W/"${createHash('sha256').update(content).digest('hex')}"`;
  const headers = { ...answer.headers, etag, 'cache-control': 'private, max-age=60, s-maxage=60' };
  const known = (request.headers['if-none-match'] ?? '').split(/,\s*/);
  return known.includes(etag) ? { status: 304, headers } : { ...answer, headers };
}

function apiErrorOf(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof ApiRejection) {
    return new ApiError(REJECTION_STATUS[error.kind], error.message, error.detail && [error.detail]);
  }
  throw error;
}

function serverError({ status = 502, retryAfterS }: Extract<FaultSpec, { kind: '5xx' }>): Answer {
  const headers = retryAfterS === undefined ? {} : { headers: { 'retry-after': String(retryAfterS) } };
  return { status, body: { message: 'Server Error' }, ...headers };
}

function refuseUnknown(): Answer {
  throw notFound();
}

/** The holder of the rate limit that a request uses. It contains a hash of the token, never the token itself. */
function holderOf(authorization: string | readonly string[] | undefined): string {
  if (authorization === undefined) return '127.0.0.1';
  return `token ${createHash('sha256').update(String(authorization)).digest('hex').slice(0, 8)}`;
}
