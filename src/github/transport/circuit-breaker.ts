import type { Clock } from '../../config/clock.js';
import { GitHubError, type GitHubErrorKind } from './github-error.js';
import { isPersonal } from './token-scope.js';

/** `open`: no call is made; `half_open`: the next call tests whether GitHub answers again. */
type CircuitState = 'closed' | 'open' | 'half_open';

export interface CircuitStatus {
  readonly state: CircuitState;
  /** No call is made before this time; null if calls are allowed. */
  readonly openUntil: Date | null;
}

const CLOSED: CircuitStatus = { state: 'closed', openUntil: null };

/** The weight of two calls that failed in each of their three attempts. */
const OPENS_AT = 6;
/** Failures with a longer interval between them do not count together. */
const FAILURE_WINDOW_MS = 60_000;
const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 60_000;
/** A circuit without a call for this time is deleted. */
const UNUSED_AFTER_MS = 600_000;

/** A circuit breaker for calls of one kind. After several failures it allows no call for a while, then one trial. */
export class Circuit {
  private weight = 0;
  private readonly failed = new Set<string>();
  private failedAt = 0;
  private pauseMs = FIRST_PAUSE_MS;
  private openUntil: number | null = null;

  /** `addresses` is the number of addresses that must fail before the circuit opens, because one may fail alone. */
  constructor(private readonly addresses: number) {}

  statusAt(now: number): CircuitStatus {
    if (this.openUntil === null) return CLOSED;
    const left = this.openUntil - now;
    // A longer remaining pause means that the clock was set back.
    return left > 0 && left <= LONGEST_PAUSE_MS
      ? { state: 'open', openUntil: new Date(this.openUntil) }
      : { state: 'half_open', openUntil: null };
  }

  /**
   * Returns whether the next call is the trial. Restarts the pause for all other calls, so that another trial follows if
   * this one has no result.
   */
  beginTrial(now: number): boolean {
    if (this.openUntil === null) return false;
    this.openUntil = now + this.pauseMs;
    return true;
  }

  fail(address: string, weight: number, isTrial: boolean, now: number): void {
    if (this.openUntil === null && now - this.failedAt > FAILURE_WINDOW_MS) this.reset();
    this.weight += weight;
    this.failed.add(address);
    this.failedAt = now;
    if (isTrial) this.pauseMs = Math.min(this.pauseMs * 2, LONGEST_PAUSE_MS);
    else if (this.openUntil !== null || !this.hasReachedLimits()) return;
    this.openUntil = now + this.pauseMs;
  }

  isUnusedAt(now: number): boolean {
    return this.openUntil === null ? now - this.failedAt > FAILURE_WINDOW_MS : now - this.openUntil > UNUSED_AFTER_MS;
  }

  private hasReachedLimits(): boolean {
    return this.weight >= OPENS_AT && this.failed.size >= this.addresses;
  }

  private reset(): void {
    this.weight = 0;
    this.failed.clear();
  }
}

/** A call, identified by its budget and its address. */
export interface CircuitCall {
  readonly budget: string;
  /** Method and path. */
  readonly address: string;
}

/** Errors that mean that GitHub does not work. A rejection means that it works. */
const FAILURES: readonly GitHubErrorKind[] = ['unavailable', 'timeout', 'malformed'];
/** A timeout weighs more, because it costs the caller ten seconds. */
const TIMEOUT_WEIGHT = 3;
/** The number of addresses that must fail, without a response from another one, before a budget's circuit opens. */
const BUDGET_ADDRESSES = 2;

/**
 * Rejects calls while GitHub does not answer, so that a gate request is answered at once and no worker waits. If one
 * address fails, only calls to it are rejected. If several fail and none answers, all calls of the budget are.
 */
export class CircuitBreakers {
  private readonly budgets = new Map<string, Circuit>();
  /** By budget and address. */
  private readonly addresses = new Map<string, Circuit>();

  constructor(private readonly clock: Clock) {}

  /** Throws if the budget's circuit is open. */
  assertBudgetClosed(budget: string): void {
    assertClosed(isPersonal(budget) ? 'a user' : budget, this.getStatus(budget));
  }

  /** Makes the call unless a circuit is open, and records whether GitHub answered. */
  async run<T>(call: CircuitCall, send: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const now = this.clock.now().getTime();
    const circuits = [this.budgets.get(call.budget), this.addresses.get(circuitKey(call))];
    this.assertBudgetClosed(call.budget);
    assertClosed(`to ${call.address}`, circuits[1]?.statusAt(now) ?? CLOSED);
    const trials = new Set(circuits.filter((circuit) => circuit?.beginTrial(now)));
    try {
      const answer = await send();
      this.close(call);
      return answer;
    } catch (error) {
      // An aborted call does not show whether GitHub works.
      if (!signal?.aborted) this.recordFailure(call, error, trials);
      throw error;
    }
  }

  getStatus(budget: string): CircuitStatus {
    return this.budgets.get(budget)?.statusAt(this.clock.now().getTime()) ?? CLOSED;
  }

  /** Counts the addresses with an open or half-open circuit. */
  countBrokenAddresses(budget: string): number {
    const now = this.clock.now().getTime();
    return [...this.addresses].filter(
      ([key, circuit]) => key.startsWith(`${budget} `) && circuit.statusAt(now).state !== 'closed',
    ).length;
  }

  /** Lists the budgets of the app and of its installations with recent failures. */
  listTripped(): readonly string[] {
    return [...this.budgets.keys()].filter((budget) => !isPersonal(budget));
  }

  private recordFailure(call: CircuitCall, error: unknown, trials: ReadonlySet<Circuit | undefined>): void {
    if (!GitHubError.is(error, ...FAILURES)) {
      this.close(call);
      return;
    }
    const now = this.clock.now().getTime();
    this.deleteUnused(now);
    const weight = error.kind === 'timeout' ? TIMEOUT_WEIGHT : 1;
    for (const circuit of [this.budgetCircuit(call), this.addressCircuit(call)]) {
      circuit.fail(call.address, weight, trials.has(circuit), now);
    }
  }

  private close(call: CircuitCall): void {
    this.budgets.delete(call.budget);
    this.addresses.delete(circuitKey(call));
  }

  private budgetCircuit({ budget }: CircuitCall): Circuit {
    return getOrCreate(this.budgets, budget, BUDGET_ADDRESSES);
  }

  private addressCircuit(call: CircuitCall): Circuit {
    return getOrCreate(this.addresses, circuitKey(call), 1);
  }

  private deleteUnused(now: number): void {
    for (const circuits of [this.budgets, this.addresses]) {
      for (const [key, circuit] of circuits) if (circuit.isUnusedAt(now)) circuits.delete(key);
    }
  }
}

function getOrCreate(circuits: Map<string, Circuit>, key: string, addresses: number): Circuit {
  const known = circuits.get(key);
  if (known !== undefined) return known;
  const created = new Circuit(addresses);
  circuits.set(key, created);
  return created;
}

const circuitKey = ({ budget, address }: CircuitCall): string => `${budget} ${address}`;

function assertClosed(name: string, { state, openUntil }: CircuitStatus): void {
  if (state !== 'open' || openUntil === null) return;
  const message = `GitHub did not answer ${name} several times; no call before ${openUntil.toISOString()}`;
  throw new GitHubError('unavailable', message, { retryAt: openUntil });
}
