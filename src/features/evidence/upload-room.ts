import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../../config/environment.js';
import { DomainError } from '../../http/domain-error.js';

/** So many of the largest uploads may be held at once; of usual ones there is room for hundreds. */
const LARGEST_AT_ONCE = 8;
const RETRY_AFTER_SECONDS = 5;

/** How much of forms the process holds at once: without a bound a burst of uploads would end it, and the gate with it. */
@Injectable()
export class UploadRoom {
  private readonly capacity: number;
  private taken = 0;

  constructor(@Inject(ENVIRONMENT) { limits }: Environment) {
    this.capacity = LARGEST_AT_ONCE * Math.max(limits.uploadBytes, limits.inflatedBytes);
  }

  /** Does work that holds at most so many bytes; refuses it where there is no room now. */
  async hold<T>(bytes: number, work: () => Promise<T>): Promise<T> {
    if (this.taken + bytes > this.capacity) {
      throw new DomainError('unavailable', 'Too much is being uploaded at this moment; try again soon.', {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    }
    this.taken += bytes;
    try {
      return await work();
    } finally {
      this.taken -= bytes;
    }
  }
}
