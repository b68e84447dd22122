import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '../../config/clock.js';
import type { GitHubSettings } from '../github-settings.js';
import { CallQueue } from './call-queue.js';
import { CircuitBreakers, type CircuitStatus } from './circuit-breaker.js';
import { toGitHubError } from './error-responses.js';
import type { GitHubClock } from './github-clock.js';
import { GitHubError } from './github-error.js';
import { HttpExchange, type HttpRequest, describeCall, nextPageUrl } from './http-exchange.js';
import { JsonReader } from './json-reader.js';
import { RateLimits, type Budget } from './rate-limits.js';
import { createResponseCache } from './response-cache.js';
import { budgetKey, scopeKey, type TokenScope } from './token-scope.js';

interface ApiRequest extends HttpRequest {
  readonly scope: TokenScope;
  /** Whether a second try does no harm where the outcome of the first is unknown. */
  readonly idempotent: boolean;
  /** Called right before the request goes out; where it throws, the request does not. */
  readonly onSend?: (() => void) | undefined;
}

export interface ApiAnswer {
  readonly body: JsonReader;
  /** Address of the next page; null on the last one and where there are no pages. */
  readonly next: string | null;
}

/** How calls on one budget stand: what GitHub still allows, whether it answers, and how many calls wait for their turn. */
export interface BudgetStatus extends Budget {
  readonly circuit: CircuitStatus;
  /** Addresses that are left alone because they do not answer, though others may. */
  readonly brokenAddresses: number;
  readonly waiting: number;
}

const TRIES = 3;
const DEFAULT_RETRY_DELAY_MS = 250;

/**
 * Sends calls that carry their token: within GitHub's limits, under their ETag, again where that is safe, and not at all
 * while GitHub does not answer.
 */
export class ApiTransport {
  private readonly exchange: HttpExchange;
  private readonly limits: RateLimits;
  private readonly circuits: CircuitBreakers;
  private readonly lanes = new CallQueue();
  private readonly answers = createResponseCache();

  constructor(
    private readonly settings: GitHubSettings,
    private readonly clock: Clock,
    private readonly hostClock: GitHubClock,
  ) {
    this.exchange = new HttpExchange(settings);
    this.limits = new RateLimits(clock);
    this.circuits = new CircuitBreakers(clock);
  }

  async send(request: ApiRequest, signal?: AbortSignal): Promise<ApiAnswer> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.sendOnce(request, signal);
      } catch (error) {
        if (tries === TRIES || !mayTryAgain(request, error)) throw error;
        await this.waitAfter(tries, request, signal);
      }
    }
  }

  /** Refuses for as long as no call of the scope would be sent. */
  admit(scope: TokenScope): void {
    const budget = budgetKey(scope);
    this.limits.admit(budget);
    this.circuits.assertBudgetClosed(budget);
  }

  /** The budgets of the app and of its installations. */
  listBudgets(): readonly BudgetStatus[] {
    const budgets = new Map(this.limits.budgets().map((budget) => [budget.name, budget]));
    for (const name of this.circuits.listTripped()) {
      if (!budgets.has(name)) budgets.set(name, unheard(name));
    }
    return [...budgets.values()].map((budget) => ({
      ...budget,
      circuit: this.circuits.getStatus(budget.name),
      brokenAddresses: this.circuits.countBrokenAddresses(budget.name),
      waiting: this.lanes.waiting(budget.name),
    }));
  }

  private async sendOnce(request: ApiRequest, signal?: AbortSignal): Promise<ApiAnswer> {
    this.admit(request.scope);
    const budget = budgetKey(request.scope);
    const inTurn = (): Promise<ApiAnswer> => {
      // GitHub may have asked for a pause meanwhile.
      this.limits.admit(budget);
      const call = { budget, address: describeCall(request) };
      return this.circuits.run(call, () => this.sendConditionally(request, budget, signal), signal);
    };
    return this.lanes.run(budget, inTurn, signal);
  }

  private async sendConditionally(request: ApiRequest, budget: string, signal?: AbortSignal): Promise<ApiAnswer> {
    const key = `${scopeKey(request.scope)} ${request.url}`;
    const cached = request.method === 'GET' ? this.answers.get(key) : undefined;
    const headers = cached === undefined ? request.headers : { ...request.headers, 'if-none-match': cached.etag };
    request.onSend?.();
    const sentAt = this.clock.now();
    const answer = await this.exchange.send({ ...request, headers }, signal);
    this.hostClock.learn(answer.headers.get('date'), sentAt, this.clock.now());
    this.limits.learn(budget, answer);
    if (answer.status === 304 && cached !== undefined) return this.read(request, cached.text, cached.link);
    if (answer.status < 200 || answer.status > 299) throw toGitHubError(request, answer, this.clock.now());
    const link = answer.headers.get('link');
    const read = this.read(request, answer.text, link);
    const etag = answer.headers.get('etag');
    if (request.method === 'GET' && etag !== null) this.answers.set(key, { etag, text: answer.text, link });
    return read;
  }

  private read(request: ApiRequest, text: string, link: string | null): ApiAnswer {
    let body: unknown;
    try {
      body = text === '' && request.method !== 'GET' ? null : JSON.parse(text);
    } catch (cause) {
      throw new GitHubError('malformed', `${describeCall(request)}: the answer is not JSON`, { cause });
    }
    return { body: new JsonReader(body, describeCall(request)), next: nextPageUrl(link, this.settings.apiUrl) };
  }

  /** 250 ms, then a second, each shortened by up to half at random so that many callers do not come back together. */
  private async waitAfter(tries: number, request: ApiRequest, signal?: AbortSignal): Promise<void> {
    const longest = (this.settings.retryDelayMs ?? DEFAULT_RETRY_DELAY_MS) * 4 ** (tries - 1);
    try {
      await pause(longest * (1 - Math.random() / 2), undefined, signal === undefined ? {} : { signal });
    } catch (cause) {
      throw new GitHubError('timeout', `${describeCall(request)}: the caller stopped waiting`, { cause });
    }
  }
}

/** A budget of which GitHub never said anything. */
const unheard = (name: string): Budget => ({ name, limit: null, remaining: null, resetAt: null, closedUntil: null });

/** A broken answer is asked for again by reads alone; a host that names a time is left alone until then. */
function mayTryAgain(request: ApiRequest, error: unknown): boolean {
  if (GitHubError.is(error, 'malformed')) return request.method === 'GET';
  return request.idempotent && GitHubError.is(error, 'unavailable', 'timeout') && error.retryAt === null;
}
