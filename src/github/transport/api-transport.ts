import { setTimeout as pause } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { GitHubError, type GitHubErrorKind, stoppedWaiting } from './github-error.js';
import { describeCall, type HttpResponse, type HttpRequest, HttpExchange, nextPageUrl } from './http-exchange.js';
import { parseRetryAfter, RateLimits, type Budget } from './rate-limits.js';
import { KeyedQueue } from '../../concurrency/keyed-queue.js';
import type { Clock } from '../../config/clock.js';
import { traced } from '../../observability/tracing.js';
import type { GitHubSettings } from '../github-settings.js';
import type { CallMetrics } from './call-metrics.js';
import { CircuitBreakers, type CircuitStatus } from './circuit-breaker.js';
import type { GitHubClock } from './github-clock.js';
import { JsonReader } from './json-reader.js';
import { budgetKey, scopeKey, type TokenScope } from './token-scope.js';

/** A response that can be requested again under its ETag. */
interface CachedResponse {
  readonly etag: string;
  readonly text: string;
  readonly link: string | null;
}

const MAX_CHARACTERS = 32 * 1024 * 1024;

/** Creates a cache of a bounded total size. A response of more than an eighth of that size is not stored. */
export const createResponseCache = (maxSize = MAX_CHARACTERS): LRUCache<string, CachedResponse> =>
  new LRUCache({
    maxSize,
    maxEntrySize: maxSize / 8,
    sizeCalculation: ({ text }, key) => key.length + text.length,
  });

interface ApiRequest extends HttpRequest {
  /** The method and the pattern of the address. */
  readonly route: string;
  readonly scope: TokenScope;
  /** Whether a second attempt is harmless if the outcome of the first is unknown. */
  readonly idempotent: boolean;
  /** Called right before the request is sent. If it throws, the request is not sent. */
  readonly onSend?: (() => void) | undefined;
}

export interface ApiResponse {
  readonly body: JsonReader;
  /** The address of the next page; null if there is none. */
  readonly next: string | null;
}

/** The status of one rate-limit budget: the remaining calls, the circuit breaker and the waiting calls. */
export interface BudgetStatus extends Budget {
  readonly circuit: CircuitStatus;
  /** The number of addresses with an open circuit. */
  readonly brokenAddresses: number;
  readonly waiting: number;
}

/**
 * GitHub allows 100 concurrent requests ("Rate limits for the REST API", secondary limits). This limit is far lower, because
 * several processes call for the same installation, and far higher than one release needs.
 */
const CONCURRENT_CALLS = 16;
const MAX_ATTEMPTS = 3;
const DEFAULT_RETRY_DELAY_MS = 250;

/**
 * Sends authorized calls: within GitHub's rate limits, with the ETag of a cached response, with retries where they are
 * safe, and not at all while a circuit is open.
 */
export class ApiTransport {
  private readonly exchange: HttpExchange;
  private readonly limits: RateLimits;
  private readonly circuits: CircuitBreakers;
  private readonly queue = new KeyedQueue(CONCURRENT_CALLS, stoppedWaiting);
  private readonly responses = createResponseCache();

  constructor(
    private readonly settings: GitHubSettings,
    private readonly clock: Clock,
    private readonly gitHubClock: GitHubClock,
    private readonly metrics: CallMetrics | null,
  ) {
    this.exchange = new HttpExchange(settings);
    this.limits = new RateLimits(clock);
    this.circuits = new CircuitBreakers(clock);
  }

  async send(request: ApiRequest, signal?: AbortSignal): Promise<ApiResponse> {
    for (let attempts = 1; ; attempts += 1) {
      try {
        return await this.sendOnce(request, signal);
      } catch (error) {
        if (attempts === MAX_ATTEMPTS || !canRetry(request, error)) throw error;
        await this.waitAfter(attempts, request, signal);
      }
    }
  }

  /** Throws if a rate limit or an open circuit prevents calls of the scope now. */
  assertAllowed(scope: TokenScope): void {
    const budget = budgetKey(scope);
    this.limits.assertAllowed(budget);
    this.circuits.assertBudgetClosed(budget);
  }

  /** Lists the budgets of the app and of its installations. */
  listBudgets(): readonly BudgetStatus[] {
    const budgets = new Map(this.limits.budgets().map((budget) => [budget.name, budget]));
    for (const name of this.circuits.listTripped()) {
      if (!budgets.has(name)) budgets.set(name, unknownBudget(name));
    }
    return [...budgets.values()].map((budget) => ({
      ...budget,
      circuit: this.circuits.getStatus(budget.name),
      brokenAddresses: this.circuits.countBrokenAddresses(budget.name),
      waiting: this.queue.waiting(budget.name),
    }));
  }

  private async sendOnce(request: ApiRequest, signal?: AbortSignal): Promise<ApiResponse> {
    this.assertAllowed(request.scope);
    const budget = budgetKey(request.scope);
    const send = (): Promise<ApiResponse> => {
      // A response to an earlier call may have requested a pause.
      this.limits.assertAllowed(budget);
      const call = { budget, address: describeCall(request) };
      return this.circuits.run(call, () => this.sendConditionally(request, budget, signal), signal);
    };
    return this.queue.run(budget, send, signal);
  }

  private async sendConditionally(request: ApiRequest, budget: string, signal?: AbortSignal): Promise<ApiResponse> {
    const key = `${scopeKey(request.scope)} ${request.url}`;
    const cached = request.method === 'GET' ? this.responses.get(key) : undefined;
    const headers = cached === undefined ? request.headers : { ...request.headers, 'if-none-match': cached.etag };
    request.onSend?.();
    const sentAt = this.clock.earliestNow();
    const send = (): Promise<HttpResponse> => this.exchange.send({ ...request, headers }, signal);
    const response = await traced({ name: request.route, kind: 'client' }, async (describe) => {
      const received = await (this.metrics === null ? send() : this.metrics.measure(request.route, send));
      describe({ 'http.response.status_code': received.status });
      return received;
    });
    // A cache between GitHub and the service sends the time at which it got the response (RFC 9111 § 5.1).
    if (!response.headers.has('age')) this.gitHubClock.update(response.headers.get('date'), sentAt, this.clock.now());
    this.limits.update(budget, response);
    if (response.status === 304 && cached !== undefined) return this.read(request, cached.text, cached.link);
    if (response.status < 200 || response.status > 299) throw toGitHubError(request, response, this.clock.now());
    const link = response.headers.get('link');
    const read = this.read(request, response.text, link);
    const etag = response.headers.get('etag');
    if (request.method === 'GET' && etag !== null) this.responses.set(key, { etag, text: response.text, link });
    return read;
  }

  private read(request: ApiRequest, text: string, link: string | null): ApiResponse {
    let body: unknown;
    try {
      body = text === '' && request.method !== 'GET' ? null : JSON.parse(text);
    } catch (cause) {
      throw new GitHubError('malformed', `${describeCall(request)}: the response is not JSON`, { cause });
    }
    return { body: new JsonReader(body, describeCall(request)), next: nextPageUrl(link, this.settings.apiUrl) };
  }

  /** Waits 250 ms, then 1 s, each shortened by up to half at random, so that many callers do not retry together. */
  private async waitAfter(attempts: number, request: ApiRequest, signal?: AbortSignal): Promise<void> {
    const longest = (this.settings.retryDelayMs ?? DEFAULT_RETRY_DELAY_MS) * 4 ** (attempts - 1);
    try {
      await pause(longest * (1 - Math.random() / 2), undefined, signal === undefined ? {} : { signal });
    } catch (cause) {
      throw new GitHubError('timeout', `${describeCall(request)}: the caller stopped waiting`, { cause });
    }
  }
}

/** A budget without any response from GitHub. */
const unknownBudget = (name: string): Budget => ({
  name,
  limit: null,
  remaining: null,
  resetAt: null,
  closedUntil: null,
});

/** After a malformed response only reads are retried. Nothing is retried before the time that GitHub named. */
function canRetry(request: ApiRequest, error: unknown): boolean {
  if (GitHubError.is(error, 'malformed')) return request.method === 'GET';
  return request.idempotent && GitHubError.is(error, 'unavailable', 'timeout') && error.retryAt === null;
}

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
function toGitHubError(request: HttpRequest, response: HttpResponse, now: Date): GitHubError {
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
