import { Injectable } from '@nestjs/common';

/** The time, as everything but the database asks for it; a test puts its own in its place. */
@Injectable()
export class Clock {
  private correctionMs = 0;

  now(): Date {
    return new Date(this.system().getTime() + this.correctionMs);
  }

  /** What this machine's clock says. */
  system(): Date {
    return new Date();
  }

  /** From here on the time is this far ahead of what this machine's clock says, or behind where it is below zero. */
  correct(milliseconds: number): void {
    this.correctionMs = milliseconds;
  }
}
