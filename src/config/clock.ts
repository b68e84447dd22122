import { Injectable } from '@nestjs/common';

/** The clock of the service, except for the database. Tests replace it. */
@Injectable()
export class Clock {
  private correctionMs = 0;

  now(): Date {
    return new Date(this.system().getTime() + this.correctionMs);
  }

  /** Returns the time of this machine. */
  system(): Date {
    return new Date();
  }

  /** Shifts the clock from now on relative to this machine's clock, in milliseconds. Negative means behind. */
  correct(milliseconds: number): void {
    this.correctionMs = milliseconds;
  }
}
