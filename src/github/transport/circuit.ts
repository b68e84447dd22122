/** `open`: no call is made; `half_open`: the next call tries whether there is an answer again. */
type CircuitState = 'closed' | 'open' | 'half_open';

export interface CircuitStanding {
  readonly state: CircuitState;
  /** No call is made before this moment; null where calls may be made. */
  readonly openUntil: Date | null;
}

export const CLOSED: CircuitStanding = { state: 'closed', openUntil: null };

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

  standingAt(now: number): CircuitStanding {
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

  isForgottenAt(now: number): boolean {
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
