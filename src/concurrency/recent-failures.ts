import type { Clock } from '../config/clock.js';

/** How long a question is not asked again that the host did not answer, or answered with a no, in milliseconds. */
const REMEMBERED_MS = 10_000;
const REMEMBERED_AT_MOST = 10_000;

/** Questions that came to nothing a moment ago, so that not each request of a person waits for the same silence. */
export class RecentFailures {
  private readonly until = new Map<string, number>();

  constructor(private readonly clock: Clock) {}

  has(question: string): boolean {
    const left = (this.until.get(question) ?? 0) - this.clock.now().getTime();
    // More is left only where the clock was set back since.
    return left > 0 && left <= REMEMBERED_MS;
  }

  add(question: string): void {
    const oldest = this.until.keys().next().value;
    if (this.until.size >= REMEMBERED_AT_MOST && oldest !== undefined) this.until.delete(oldest);
    this.until.delete(question);
    this.until.set(question, this.clock.now().getTime() + REMEMBERED_MS);
  }
}
