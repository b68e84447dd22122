import type { Clock } from '../../config/clock.js';
import { GitHubError, type GitHubErrorKind } from './github-error.js';
import { isPersonal } from './token-scope.js';

/** `open`: no call is made; `half_open`: the next call tries whether there is an answer again. */
type CircuitState = 'closed' | 'open' | 'half_open';

export interface CircuitStatus {
  readonly state: CircuitState;
  /** No call is made before this moment; null where calls may be made. */
  readonly openUntil: Date | null;
}

const CLOSED: CircuitStatus = { state: 'closed', openUntil: null };

/** Two calls that failed at each of their three tries. */
const OPENS_AT = 6;
/** Failures further apart than this are no row. */
const ROW_MS = 60_000;
const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 60_000;
/** A circuit that nobody tried for so long counts as one that was never broken. */
const REMEMBERED_MS = 600_000;

/** What befell calls of one kind: after failures in a row none is made for a while, then one that tries. */
export class Circuit {
  private weight = 0;
  private readonly failed = new Set<string>();
  private failedAt = 0;
  private pauseMs = FIRST_PAUSE_MS;
  private openUntil: number | null = null;

  /** How many addresses have to fail before it opens: one that is broken by itself says nothing about the others. */
  constructor(private readonly addresses: number) {}

  statusAt(now: number): CircuitStatus {
    if (this.openUntil === null) return CLOSED;
    const left = this.openUntil - now;
    // More is left only where the clock was set back since.
    return left > 0 && left <= LONGEST_PAUSE_MS
      ? { state: 'open', openUntil: new Date(this.openUntil) }
      : { state: 'half_open', openUntil: null };
  }

  /**
   * Whether the call that is about to be made is the one that tries. For all others the pause begins anew, so that another
   * one tries after it where nothing comes of this one.
   */
  beginTrial(now: number): boolean {
    if (this.openUntil === null) return false;
    this.openUntil = now + this.pauseMs;
    return true;
  }

  fail(address: string, weight: number, isTrial: boolean, now: number): void {
    if (this.openUntil === null && now - this.failedAt > ROW_MS) this.begin();
    this.weight += weight;
    this.failed.add(address);
    this.failedAt = now;
    if (isTrial) this.pauseMs = Math.min(this.pauseMs * 2, LONGEST_PAUSE_MS);
    else if (this.openUntil !== null || !this.isEnough()) return;
    this.openUntil = now + this.pauseMs;
  }

  isUnusedAt(now: number): boolean {
    return this.openUntil === null ? now - this.failedAt > ROW_MS : now - this.openUntil > REMEMBERED_MS;
  }

  private isEnough(): boolean {
    return this.weight >= OPENS_AT && this.failed.size >= this.addresses;
  }

  private begin(): void {
    this.weight = 0;
    this.failed.clear();
  }
}

/** A call as circuits tell it from others: whose budget it is made on, and where it goes. */
export interface CircuitCall {
  readonly budget: string;
  /** Method and path. */
  readonly address: string;
}

/** What means that GitHub did not do its work. Whatever it refuses, it did. */
const UNANSWERED: readonly GitHubErrorKind[] = ['unavailable', 'timeout', 'malformed'];
/** Silence costs whoever asks ten seconds, a quick failure next to nothing. */
const SILENCE_WEIGHT = 3;
/** Addresses that fail, with no answer from any other in between, before a budget's circuit opens. */
const BUDGET_ADDRESSES = 2;

/**
 * Breaks the circuit where GitHub does not answer, so that a gate is answered at once instead of after its deadline, and
 * no worker is kept by silence. An address that fails by itself is left alone by itself; where several fail and none
 * answers, the whole budget is.
 */
export class CircuitBreakers {
  private readonly budgets = new Map<string, Circuit>();
  /** By budget and address. */
  private readonly addresses = new Map<string, Circuit>();

  constructor(private readonly clock: Clock) {}

  /** Refuses where the budget's circuit is open. */
  assertBudgetClosed(budget: string): void {
    assertClosed(isPersonal(budget) ? 'a person' : budget, this.getStatus(budget));
  }

  /** Makes the call unless a circuit on its way is open, and judges by it whether GitHub answers. */
  async run<T>(call: CircuitCall, make: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const now = this.clock.now().getTime();
    const ways = [this.budgets.get(call.budget), this.addresses.get(keyOf(call))];
    this.assertBudgetClosed(call.budget);
    assertClosed(`to ${call.address}`, ways[1]?.statusAt(now) ?? CLOSED);
    const trials = new Set(ways.filter((circuit) => circuit?.beginTrial(now)));
    try {
      const answer = await make();
      this.close(call);
      return answer;
    } catch (error) {
      // Nothing is told about GitHub by a caller who stopped listening.
      if (!signal?.aborted) this.recordFailure(call, error, trials);
      throw error;
    }
  }

  getStatus(budget: string): CircuitStatus {
    return this.budgets.get(budget)?.statusAt(this.clock.now().getTime()) ?? CLOSED;
  }

  /** How many addresses are left alone, or tried, though the budget's circuit may be closed. */
  countBrokenAddresses(budget: string): number {
    const now = this.clock.now().getTime();
    return [...this.addresses].filter(
      ([key, circuit]) => key.startsWith(`${budget} `) && circuit.statusAt(now).state !== 'closed',
    ).length;
  }

  /** The budgets, of the app and of its installations, on which something was not answered lately. */
  listTripped(): readonly string[] {
    return [...this.budgets.keys()].filter((budget) => !isPersonal(budget));
  }

  private recordFailure(call: CircuitCall, error: unknown, trials: ReadonlySet<Circuit | undefined>): void {
    if (!GitHubError.is(error, ...UNANSWERED)) {
      this.close(call);
      return;
    }
    const now = this.clock.now().getTime();
    this.deleteUnused(now);
    const weight = error.kind === 'timeout' ? SILENCE_WEIGHT : 1;
    for (const circuit of [this.budgetCircuit(call), this.addressCircuit(call)]) {
      circuit.fail(call.address, weight, trials.has(circuit), now);
    }
  }

  private close(call: CircuitCall): void {
    this.budgets.delete(call.budget);
    this.addresses.delete(keyOf(call));
  }

  private budgetCircuit({ budget }: CircuitCall): Circuit {
    return getOrCreate(this.budgets, budget, BUDGET_ADDRESSES);
  }

  private addressCircuit(call: CircuitCall): Circuit {
    return getOrCreate(this.addresses, keyOf(call), 1);
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

const keyOf = ({ budget, address }: CircuitCall): string => `${budget} ${address}`;

function assertClosed(name: string, { state, openUntil }: CircuitStatus): void {
  if (state !== 'open' || openUntil === null) return;
  const message = `GitHub did not answer ${name} several times; no call before ${openUntil.toISOString()}`;
  throw new GitHubError('unavailable', message, { retryAt: openUntil });
}
