import { Injectable } from '@nestjs/common';

/** The clock of the service, except for the database. Tests replace it. */
@Injectable()
export class Clock {
  /** The time to which the clock was set, and the monotonic time and this machine's time at that moment. Null until it was set. */
  private start: { readonly time: number; readonly monotonic: number; readonly system: number } | null = null;

  now(): Date {
    return this.start === null ? this.system() : new Date(this.start.time + performance.now() - this.start.monotonic);
  }

  /** Returns the time of this machine. */
  system(): Date {
    return new Date();
  }

  /**
   * Sets the clock to this machine's time plus a difference in milliseconds. From then on it advances by monotonic time. So nothing gets
   * a wrong time if the clock of the machine is set.
   */
  set(differenceMs: number): void {
    const system = this.system().getTime();
    this.start = { time: system + differenceMs, monotonic: performance.now(), system };
  }

  /** Returns by how many milliseconds the clock of the machine has jumped since this clock was set, or the machine has slept. */
  jumpMs(): number {
    if (this.start === null) return 0;
    return this.system().getTime() - this.start.system - (performance.now() - this.start.monotonic);
  }
}
