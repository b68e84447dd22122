import { Clock } from '../../src/config/clock.js';

/** A clock that runs, and that a test can move forward. */
export class AdjustableClock extends Clock {
  private ahead = 0;

  override now(): Date {
    return new Date(Date.now() + this.ahead);
  }

  advance(milliseconds: number): void {
    this.ahead += milliseconds;
  }
}
