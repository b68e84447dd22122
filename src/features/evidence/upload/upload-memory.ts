import { Inject, Injectable, Optional } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../../../config/environment.js';
import { DomainError } from '../../../http/errors/domain-error.js';

/** How many of the largest possible uploads fit into the memory limit. Hundreds of usual uploads fit. */
const LARGEST_AT_ONCE = 8;
/** The share of one workspace, so that it cannot block the uploads of others. */
const SHARE = 0.5;
/** An upload that takes longer counts as slow. It may hold its memory for minutes. */
const SLOW_AFTER_MS = 15_000;
/** The shares of all slow uploads and of those of one workspace, so that slow uploads cannot block usual ones. */
const SLOW_SHARE = 0.5;
const SLOW_SHARE_OF_ONE = 0.125;
/** The maximum number of slow uploads of one workspace. */
const MOST_SLOW_OF_ONE = 32;
const RETRY_AFTER_SECONDS = 5;

/** Reserves memory for received bytes. Throws `unavailable` if there is not enough. */
export type ReserveBytes = (bytes: number) => void;

interface Held {
  readonly holder: string;
  readonly beganAt: number;
  bytes: number;
}

/** Limits the memory for uploads in this process. Without a limit, many uploads at once could stop the process and the gate. */
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
   * Runs work that reserves memory while its bytes arrive, and releases the memory at the end. The announced length reserves
   * nothing, because a client could announce much and send little. `holder` is the workspace.
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
      throw new DomainError('unavailable', 'Too many uploads are in progress. Try again soon.', {
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
