import type { Clock } from '../../config/clock.js';

/** How far GitHub's clock may be ahead of ours, in milliseconds; below zero where it is behind. */
interface Lead {
  readonly least: number;
  readonly most: number;
}

const UNKNOWN: Lead = { least: Number.NEGATIVE_INFINITY, most: Number.POSITIVE_INFINITY };
/** GitHub dates its answers, and all that happens there, in whole seconds. */
const DATE_STEP_MS = 1000;
/** Clocks drift: what was learnt earlier narrows nothing any more. */
const REMEMBERED_MS = 10 * 60_000;
/** The last moment that a date can tell (ECMA-262, "Time Values and Time Range"). */
const LAST_MOMENT_MS = 8_640_000_000_000_000;

/**
 * Translates GitHub's times into ours. The two clocks may be minutes apart, and what came first of something here and
 * something there is then not told by comparing the times as they stand.
 */
export class GitHubClock {
  private lead = UNKNOWN;
  private since = Number.NEGATIVE_INFINITY;

  /** Takes the `Date` of an answer (RFC 9110 § 6.6.1) together with our times before the request and after it. */
  learn(date: string | null, sentAt: Date, receivedAt: Date): void {
    const serverTime = Date.parse(date ?? '');
    if (Number.isNaN(serverTime)) return;
    const seen = { least: serverTime - receivedAt.getTime(), most: serverTime + DATE_STEP_MS - sentAt.getTime() };
    const both = { least: Math.max(seen.least, this.lead.least), most: Math.min(seen.most, this.lead.most) };
    const age = sentAt.getTime() - this.since;
    // Nothing in common: one of the clocks was set.
    const holds = both.least <= both.most && age >= 0 && age < REMEMBERED_MS;
    this.lead = holds ? both : seen;
    if (!holds) this.since = sentAt.getTime();
  }

  /**
   * The moments of our clock that a time of GitHub, which it tells in whole seconds, may have been: from the earliest to
   * before the latest. Where nothing is known, from the distant past to the distant future.
   */
  ownMoment(hostTime: Date): { readonly earliest: Date; readonly latest: Date } {
    const time = hostTime.getTime();
    return {
      earliest: new Date(Math.max(time - this.lead.most, 0)),
      latest: new Date(Math.min(time + DATE_STEP_MS - this.lead.least, LAST_MOMENT_MS)),
    };
  }
}

/**
 * A value as GitHub gave it. `observedAt` was taken before the first request was sent: what changed after it
 * may be missing from the value, what changed before it is not.
 */
export interface Observed<T> {
  readonly value: T;
  readonly observedAt: Date;
}

export async function observe<T>(clock: Clock, read: () => Promise<T>): Promise<Observed<T>> {
  const observedAt = clock.now();
  return { value: await read(), observedAt };
}
