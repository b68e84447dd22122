import { Module } from '@nestjs/common';
import { MembershipRenewal } from '../../auth/membership-renewal.js';
import { HostWorkspaceReader } from '../../workspaces/host-workspace.reader.js';
import { WorkspacesModule } from '../../workspaces/workspaces.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { AccessRound } from './members/access-round.service.js';
import { AdminOffice } from './members/admin-office.reader.js';
import { MemberDoubts } from './members/member-doubts.recorder.js';
import { MemberEntry } from './members/member-entry.recorder.js';
import { RollCall } from './members/member-list-sync.service.js';
import { MemberRemoval } from './members/member-removal.service.js';
import { MemberRenewal } from './members/member-renewal.service.js';
import { MemberJobs } from './members/members.jobs.js';
import { MembersRepository } from './members/members.repository.js';
import { Members } from './members/members.service.js';
import { MembershipConfirmation } from './members/membership-confirmation.service.js';
import { RepositoryAccess } from './members/repository-access.service.js';
import { StandingsReader } from './members/standings.reader.js';
import { PeopleModule } from './people.module.js';

@Module({
  imports: [AuditModule, PeopleModule, WorkspacesModule],
  providers: [
    AccessRound,
    AdminOffice,
    HostWorkspaceReader,
    MemberDoubts,
    MemberEntry,
    MemberJobs,
    MemberRemoval,
    MemberRenewal,
    Members,
    MembersRepository,
    { provide: MembershipRenewal, useExisting: MemberRenewal },
    MembershipConfirmation,
    RepositoryAccess,
    RollCall,
    StandingsReader,
  ],
  exports: [
    AdminOffice,
    HostWorkspaceReader,
    MemberEntry,
    MemberDoubts,
    MemberRemoval,
    Members,
    MembershipRenewal,
    StandingsReader,
  ],
})
export class MembersModule {}
