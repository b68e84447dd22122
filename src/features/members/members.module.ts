import { Module } from '@nestjs/common';
import { MembershipRenewal } from '../../auth/membership-renewal.js';
import { Members } from './members.service.js';

@Module({
  providers: [Members, { provide: MembershipRenewal, useExisting: Members }],
  exports: [Members, MembershipRenewal],
})
export class MembersModule {}
