import { Injectable } from '@nestjs/common';
import { MembershipRenewal } from '../../auth/membership-renewal.js';
import type { Membership } from '../../auth/person.js';
import { DomainError } from '../../http/domain-error.js';

/** Keeps memberships in line with the code host. */
@Injectable()
export class Members extends MembershipRenewal {
  override async renew(_person: number, _membership: Membership): Promise<Membership | null> {
    throw new DomainError('unavailable', 'The membership cannot be checked now.', { retryAfterSeconds: 30 });
  }
}
