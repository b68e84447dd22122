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
  readonly beganAt: number;
  /** The sums of its workspace. */
  readonly own: Share;
  bytes: number;
  isSlow: boolean;
}

/** The sums of several uploads. They change with each upload, because a sum over all uploads for each chunk would delay the gate. */
interface Share {
  uploads: number;
  bytes: number;
  slowUploads: number;
  slowBytes: number;
}

const emptyShare = (): Share => ({ uploads: 0, bytes: 0, slowUploads: 0, slowBytes: 0 });

/** Limits the memory for uploads in this process. Without a limit, many uploads at once could stop the process and the gate. */
@Injectable()
export class UploadMemoryLimit {
  private readonly capacity: number;
  private readonly all = emptyShare();
  /** By workspace. */
  private readonly shares = new Map<string, Share>();
  /** The uploads that are not slow yet, oldest first. */
  private readonly usual = new Set<Held>();

  constructor(
    @Inject(ENVIRONMENT) { limits }: Pick<Environment, 'limits'>,
    @Optional() private readonly now = (): number => performance.now(),
  ) {
    this.capacity = LARGEST_AT_ONCE * Math.max(limits.uploadBytes, limits.inflatedBytes);
  }

  /** The number of uploads in progress and the bytes that they hold. */
  get load(): { readonly uploads: number; readonly bytes: number } {
    const { uploads, bytes } = this.all;
    return { uploads, bytes };
  }

  /**
   * Runs work that reserves memory while its bytes arrive, and releases the memory at the end. The announced length reserves
   * nothing, because a client could announce much and send little. `holder` is the workspace.
   */
  async run<T>(holder: string, work: (take: ReserveBytes) => Promise<T>): Promise<T> {
    const own = this.shares.get(holder) ?? emptyShare();
    this.shares.set(holder, own);
    const held: Held = { beganAt: this.now(), own, bytes: 0, isSlow: false };
    this.usual.add(held);
    for (const share of [this.all, own]) share.uploads += 1;
    try {
      return await work((bytes) => this.take(held, bytes));
    } finally {
      this.release(held);
      if (own.uploads === 0) this.shares.delete(holder);
    }
  }

  private take(held: Held, bytes: number): void {
    this.markSlow();
    const { all, capacity } = this;
    const { own, isSlow } = held;
    if (
      all.bytes + bytes > capacity ||
      own.bytes + bytes > capacity * SHARE ||
      (isSlow &&
        (all.slowBytes + bytes > capacity * SLOW_SHARE ||
          own.slowBytes + bytes > capacity * SLOW_SHARE_OF_ONE ||
          own.slowUploads > MOST_SLOW_OF_ONE))
    ) {
      throw new DomainError('unavailable', 'Too many uploads are in progress. Try again soon.', {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    }
    held.bytes += bytes;
    for (const share of [all, own]) {
      share.bytes += bytes;
      if (isSlow) share.slowBytes += bytes;
    }
  }

  /** Counts the uploads that have become slow since the last call. */
  private markSlow(): void {
    const now = this.now();
    for (const held of this.usual) {
      if (now - held.beganAt <= SLOW_AFTER_MS) return;
      this.usual.delete(held);
      held.isSlow = true;
      for (const share of [this.all, held.own]) {
        share.slowUploads += 1;
        share.slowBytes += held.bytes;
      }
    }
  }

  private release(held: Held): void {
    this.usual.delete(held);
    for (const share of [this.all, held.own]) {
      share.uploads -= 1;
      share.bytes -= held.bytes;
      if (!held.isSlow) continue;
      share.slowUploads -= 1;
      share.slowBytes -= held.bytes;
    }
  }
}
