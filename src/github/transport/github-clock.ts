import type { Clock } from '../../config/clock.js';

/** The possible difference of GitHub's clock to ours, in milliseconds; negative if GitHub's is behind. */
interface ClockOffset {
  readonly least: number;
  readonly most: number;
}

const UNKNOWN: ClockOffset = { least: Number.NEGATIVE_INFINITY, most: Number.POSITIVE_INFINITY };
/** GitHub's times are in whole seconds. */
const DATE_STEP_MS = 1000;
/** Clocks drift, so an older measurement no longer counts. */
const MAX_AGE_MS = 10 * 60_000;
/** The latest time of a `Date` (ECMA-262, "Time Values and Time Range"). */
const MAX_TIME_MS = 8_640_000_000_000_000;

/**
 * Translates times of GitHub to times of our clock. The clocks may differ by minutes, so the times of an event here and an
 * event at GitHub cannot be compared directly.
 */
export class GitHubClock {
  private offset = UNKNOWN;
  private since = Number.NEGATIVE_INFINITY;

  /** Measures the difference by the `Date` of a response (RFC 9110 § 6.6.1) and our times before and after the request. */
  update(date: string | null, sentAt: Date, receivedAt: Date): void {
    const serverTime = Date.parse(date ?? '');
    if (Number.isNaN(serverTime)) return;
    const seen = { least: serverTime - receivedAt.getTime(), most: serverTime + DATE_STEP_MS - sentAt.getTime() };
    const both = { least: Math.max(seen.least, this.offset.least), most: Math.min(seen.most, this.offset.most) };
    const age = sentAt.getTime() - this.since;
    // Without an overlap, one of the clocks was set.
    const holds = both.least <= both.most && age >= 0 && age < MAX_AGE_MS;
    this.offset = holds ? both : seen;
    if (!holds) this.since = sentAt.getTime();
  }

  /** Returns the minimum difference of GitHub's clock to ours. 0 if they may agree, or if the last measurement is too old. */
  differenceMs(now: Date): number {
    const age = now.getTime() - this.since;
    if (age < 0 || age >= MAX_AGE_MS) return 0;
    return this.offset.least > 0 ? this.offset.least : Math.min(0, this.offset.most);
  }

  /**
   * Returns the range of our clock in which a time of GitHub lies: from `earliest` to before `latest`. Before the first
   * measurement the range has no bounds.
   */
  toLocalRange(gitHubTime: Date): { readonly earliest: Date; readonly latest: Date } {
    const time = gitHubTime.getTime();
    return {
      earliest: new Date(Math.max(time - this.offset.most, 0)),
      latest: new Date(Math.min(time + DATE_STEP_MS - this.offset.least, MAX_TIME_MS)),
    };
  }
}

/**
 * A value that was read from GitHub. `observedAt` is the time before the first request: a later change may be missing from
 * the value, an earlier one is not.
 */
export interface Observed<T> {
  readonly value: T;
  readonly observedAt: Date;
}

export async function observe<T>(clock: Clock, read: () => Promise<T>): Promise<Observed<T>> {
  const observedAt = clock.earliestNow();
  return { value: await read(), observedAt };
}
