import { Injectable } from '@nestjs/common';

/** The jump up to which the time is certain, in milliseconds. A smaller jump may be a slow adjustment of the machine's clock. */
const JUMP_MS = 1_000;

/** The clock of the service, except for the database. Tests replace it. */
@Injectable()
export class Clock {
  /** The time to which the clock was set, and the monotonic time and this machine's time at that moment. Null until it was set. */
  private start: { readonly time: number; readonly monotonic: number; readonly system: number } | null = null;

  /**
   * Advances by monotonic time, so that nothing gets a wrong time if the clock of the machine is set back. Monotonic time may stand still
   * while the machine sleeps. After that, this time jumps ahead together with the machine's clock until the clock is set again. At
   * worst, facts expire too early, and no stored gate stays open too long. A new verdict also needs `isCertain`.
   */
  now(): Date {
    if (this.start === null) return this.system();
    const elapsed = performance.now() - this.start.monotonic;
    const jump = this.system().getTime() - this.start.system - elapsed;
    return new Date(this.start.time + elapsed + (jump > JUMP_MS ? jump : 0));
  }

  /**
   * Returns a time that is not later than the true time, also right after a jump. It is for the times of facts, which would be valid for
   * too long with a later time, and for decisions that cannot be undone, such as a deletion.
   */
  earliestNow(): Date {
    const now = this.now();
    // Measured after the time was read, so that a jump between the two makes the result earlier.
    return this.isCertain() ? now : new Date(now.getTime() - this.jumpMs());
  }

  /** Returns false right after a jump, until the clock is set again: the clock of the machine was set, or the machine was suspended. */
  isCertain(): boolean {
    return this.jumpMs() <= JUMP_MS;
  }

  /** Returns the time of this machine. */
  system(): Date {
    return new Date();
  }

  /** Sets the clock to this machine's time plus a difference in milliseconds. */
  set(differenceMs: number): void {
    const system = this.system().getTime();
    this.start = { time: system + differenceMs, monotonic: performance.now(), system };
  }

  /** Returns by how many milliseconds the clock of the machine has jumped since this clock was set, or the machine was suspended. */
  jumpMs(): number {
    if (this.start === null) return 0;
    return this.system().getTime() - this.start.system - (performance.now() - this.start.monotonic);
  }
}
