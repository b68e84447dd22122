import { Clock } from '../../src/config/clock.js';

/** A clock that stands still until a test moves it. */
export class FixedClock extends Clock {
  constructor(private at = new Date('2026-05-04T10:00:00Z')) {
    super();
  }

  override now(): Date {
    return this.at;
  }

  advance(milliseconds: number): void {
    this.at = new Date(this.at.getTime() + milliseconds);
  }
}
