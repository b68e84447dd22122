import type { Membership } from './user.js';

/** Asks the code host again where what it said of a member has grown old: bound to a class that can. */
export abstract class MembershipRenewal {
  /**
   * The membership as the code host has it now; null where the person belongs to the organization no more, and then the
   * person is no member any more either. Rejects with `unavailable` where that cannot be known now. What the person may
   * read is asked for too; where that alone cannot be known, its time stays as old as it is.
   */
  abstract renew(person: number, membership: Membership): Promise<Membership | null>;
}
