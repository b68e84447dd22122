import { Clock } from '../../src/config/clock.js';

/** A clock that runs, and that a test can move forward. */
export class AdjustableClock extends Clock {
  private ahead = 0;
  private jumped = 0;

  override now(): Date {
    return new Date(Date.now() + this.ahead + this.jumped);
  }

  advance(milliseconds: number): void {
    this.ahead += milliseconds;
  }

  /** Moves the clock of the machine ahead by this time, until the clock of the service is set again. */
  jump(milliseconds: number): void {
    this.jumped = milliseconds;
  }

  override jumpMs(): number {
    return this.jumped;
  }

  override set(differenceMs: number): void {
    super.set(differenceMs);
    this.jumped = 0;
  }
}
