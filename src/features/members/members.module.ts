import { Module } from '@nestjs/common';
import { MembershipRenewal } from '../../auth/membership-renewal.js';
import { WorkspacesModule } from '../../workspaces/workspaces.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { PeopleModule } from '../people/people.module.js';
import { AccessRound } from './access-round.service.js';
import { AdminOffice } from './admin-office.reader.js';
import { HostWorkspaceReader } from './host-workspace.reader.js';
import { MemberDoubts } from './member-doubts.recorder.js';
import { MemberEntry } from './member-entry.recorder.js';
import { MemberJobs } from './member-jobs.service.js';
import { MemberRemoval } from './member-removal.recorder.js';
import { MemberRenewal } from './member-renewal.service.js';
import { Members } from './members.service.js';
import { MembersRepository } from './members.repository.js';
import { MembershipConfirmation } from './membership-confirmation.service.js';
import { RepositoryAccess } from './repository-access.service.js';
import { RollCall } from './roll-call.service.js';
import { StandingsReader } from './standings.reader.js';

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
