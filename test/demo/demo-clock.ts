import { Clock } from '../../src/config/clock.js';

const DAY_MS = 86_400_000;

/** Sets the clock of another process, and resolves when it is set. */
type SetBehind = (behindMs: number) => Promise<void>;

/** The clock of the simulated GitHub and of the service. It begins in the past and is moved to the present, but never back. */
export class DemoClock extends Clock {
  private readonly others: SetBehind[] = [];
  private behindMs: number;

  constructor(daysAgo: number) {
    super();
    this.behindMs = daysAgo * DAY_MS;
  }

  override now(): Date {
    return new Date(Date.now() - this.behindMs);
  }

  /** Moves the clock of another process together with this one. */
  async alsoSet(other: SetBehind): Promise<void> {
    this.others.push(other);
    await other(this.behindMs);
  }

  async moveTo(daysAgo: number): Promise<void> {
    await this.setBehind(daysAgo * DAY_MS);
  }

  async advance(ms: number): Promise<void> {
    await this.setBehind(this.behindMs - ms);
  }

  private async setBehind(behindMs: number): Promise<void> {
    if (behindMs > this.behindMs) throw new Error('the clock of the demo does not go back');
    this.behindMs = behindMs;
    await Promise.all(this.others.map((set) => set(behindMs)));
  }
}
