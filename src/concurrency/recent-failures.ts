import type { Clock } from '../config/clock.js';

const REMEMBERED_AT_MOST = 10_000;

/** Questions that came to nothing a moment ago, so that not each request waits for the same silence, or has GitHub asked at will. */
export class RecentFailures {
  private readonly until = new Map<string, number>();

  /** `rememberedMs` is how long a question is not asked again. */
  constructor(
    private readonly clock: Clock,
    private readonly rememberedMs = 10_000,
  ) {}

  has(question: string): boolean {
    const left = (this.until.get(question) ?? 0) - this.clock.now().getTime();
    // More is left only where the clock was set back since.
    return left > 0 && left <= this.rememberedMs;
  }

  add(question: string): void {
    const oldest = this.until.keys().next().value;
    if (this.until.size >= REMEMBERED_AT_MOST && oldest !== undefined) this.until.delete(oldest);
    this.until.delete(question);
    this.until.set(question, this.clock.now().getTime() + this.rememberedMs);
  }
}
