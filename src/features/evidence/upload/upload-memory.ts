import { Inject, Injectable, Optional } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../../../config/environment.js';
import { DomainError } from '../../../http/errors/domain-error.js';

/** So many of the largest uploads may be held at once; of usual ones there is room for hundreds. */
const LARGEST_AT_ONCE = 8;
/** What one workspace may hold of it: the others' uploads find room whatever it sends. */
const SHARE = 0.5;
/** An upload that takes longer is slow: what it holds it may hold for minutes. */
const SLOW_AFTER_MS = 15_000;
/** The shares of all slow uploads together, and of those of one workspace: usual uploads find room however many are slow. */
const SLOW_SHARE = 0.5;
const SLOW_SHARE_OF_ONE = 0.125;
/** How many of one workspace may be slow at once. */
const MOST_SLOW_OF_ONE = 32;
const RETRY_AFTER_SECONDS = 5;

/** Asks for room for bytes that have come; throws where there is none. */
export type ReserveBytes = (bytes: number) => void;

interface Held {
  readonly holder: string;
  readonly beganAt: number;
  bytes: number;
}

/** How much of uploads the process holds at once: without a bound a burst of them would end it, and the gate with it. */
@Injectable()
export class UploadMemoryLimit {
  private readonly capacity: number;
  private readonly uploads = new Set<Held>();

  constructor(
    @Inject(ENVIRONMENT) { limits }: Pick<Environment, 'limits'>,
    @Optional() private readonly now = (): number => performance.now(),
  ) {
    this.capacity = LARGEST_AT_ONCE * Math.max(limits.uploadBytes, limits.inflatedBytes);
  }

  /**
   * Does work that asks for room as its bytes come, and leaves all of it at the end. What was merely announced takes
   * none: a sender who announces much and sends little would keep out everybody else. `holder` is the workspace.
   */
  async run<T>(holder: string, work: (take: ReserveBytes) => Promise<T>): Promise<T> {
    const held: Held = { holder, beganAt: this.now(), bytes: 0 };
    this.uploads.add(held);
    try {
      return await work((bytes) => this.take(held, bytes));
    } finally {
      this.uploads.delete(held);
    }
  }

  private take(held: Held, bytes: number): void {
    const { all, own, slow, ownSlow, countSlow } = this.measure(held);
    const isSlow = this.isSlow(held);
    if (
      all + bytes > this.capacity ||
      own + bytes > this.capacity * SHARE ||
      (isSlow &&
        (slow + bytes > this.capacity * SLOW_SHARE ||
          ownSlow + bytes > this.capacity * SLOW_SHARE_OF_ONE ||
          countSlow > MOST_SLOW_OF_ONE))
    ) {
      throw new DomainError('unavailable', 'Too much is being uploaded at this moment; try again soon.', {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    }
    held.bytes += bytes;
  }

  private measure({ holder }: Held) {
    const sums = { all: 0, own: 0, slow: 0, ownSlow: 0, countSlow: 0 };
    for (const upload of this.uploads) {
      const isSlow = this.isSlow(upload);
      const isOwn = upload.holder === holder;
      sums.all += upload.bytes;
      if (isOwn) sums.own += upload.bytes;
      if (isSlow) sums.slow += upload.bytes;
      if (isSlow && isOwn) {
        sums.ownSlow += upload.bytes;
        sums.countSlow += 1;
      }
    }
    return sums;
  }

  private isSlow({ beganAt }: Held): boolean {
    return this.now() - beganAt > SLOW_AFTER_MS;
  }
}
