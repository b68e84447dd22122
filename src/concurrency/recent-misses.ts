import type { Clock } from '../config/clock.js';

/** How long a version that the host does not know is not asked for again, in milliseconds. */
const REMEMBERED_MS = 60_000;
const REMEMBERED_AT_MOST = 10_000;

/** Questions that were answered with no a short while ago, so that nobody can make the service ask the host at will. */
export class RecentMisses {
  private readonly until = new Map<string, number>();

  constructor(private readonly clock: Clock) {}

  has(question: string): boolean {
    return (this.until.get(question) ?? 0) > this.clock.now().getTime();
  }

  add(question: string): void {
    const oldest = this.until.keys().next().value;
    if (this.until.size >= REMEMBERED_AT_MOST && oldest !== undefined) this.until.delete(oldest);
    this.until.delete(question);
    this.until.set(question, this.clock.now().getTime() + REMEMBERED_MS);
  }
}
