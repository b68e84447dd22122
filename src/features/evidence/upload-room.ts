import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../../config/environment.js';
import type { OrgId } from '../../database/ids.js';
import { DomainError } from '../../http/domain-error.js';

/** So many of the largest uploads may be held at once; of usual ones there is room for hundreds. */
const LARGEST_AT_ONCE = 8;
/** What one workspace may hold of it: the others' uploads find room whatever it sends. */
const SHARE = 0.5;
const RETRY_AFTER_SECONDS = 5;

/** Asks for room for bytes that have come; throws where there is none. */
export type TakeRoom = (bytes: number) => void;

/** How much of forms the process holds at once: without a bound a burst of uploads would end it, and the gate with it. */
@Injectable()
export class UploadRoom {
  private readonly capacity: number;
  private readonly taken = new Map<OrgId, number>();

  constructor(@Inject(ENVIRONMENT) { limits }: Environment) {
    this.capacity = LARGEST_AT_ONCE * Math.max(limits.uploadBytes, limits.inflatedBytes);
  }

  /**
   * Does work that asks for room as its bytes come, and leaves all of it at the end. What was merely announced takes
   * none: a sender who announces much and sends little would keep out everybody else.
   */
  async hold<T>(orgId: OrgId, work: (take: TakeRoom) => Promise<T>): Promise<T> {
    let held = 0;
    try {
      return await work((bytes) => {
        this.take(orgId, bytes);
        held += bytes;
      });
    } finally {
      this.leave(orgId, held);
    }
  }

  private take(orgId: OrgId, bytes: number): void {
    const own = this.takenBy(orgId) + bytes;
    const all = [...this.taken.values()].reduce((sum, held) => sum + held, bytes);
    if (all > this.capacity || own > this.capacity * SHARE) {
      throw new DomainError('unavailable', 'Too much is being uploaded at this moment; try again soon.', {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    }
    this.taken.set(orgId, own);
  }

  private leave(orgId: OrgId, bytes: number): void {
    const rest = this.takenBy(orgId) - bytes;
    if (rest > 0) this.taken.set(orgId, rest);
    else this.taken.delete(orgId);
  }

  private takenBy(orgId: OrgId): number {
    return this.taken.get(orgId) ?? 0;
  }
}
