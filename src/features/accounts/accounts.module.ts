import { Module } from '@nestjs/common';
import { MembershipRenewal } from '../../auth/caller.js';
import { SessionModule } from '../../auth/session/session.module.js';
import { SessionsRepository } from '../../auth/session/sessions.repository.js';
import { WorkspacesModule } from '../../workspaces/workspaces.module.js';
import { HostWorkspaceReader } from '../../workspaces/workspaces.queries.js';
import { AuditModule } from '../audit/audit.module.js';
import { RollCall } from './members/member-list-sync.service.js';
import { MemberRemoval } from './members/member-removal.service.js';
import { MemberJobs } from './members/members.jobs.js';
import { AdminOffice, MembersRepository } from './members/members.repository.js';
import { MemberDoubts, MemberEntry, Members } from './members/members.service.js';
import { MemberRenewal, MembershipConfirmation } from './members/membership-refresh.service.js';
import { StandingsReader } from './members/memberships.queries.js';
import { AccessRound, RepositoryAccess } from './members/repository-access.service.js';
import { LoginAttemptsRepository } from './sign-in/login-attempts.repository.js';
import { SessionController } from './sign-in/session.controller.js';
import { Sessions } from './sign-in/sessions.service.js';
import { SignInController } from './sign-in/sign-in.controller.js';
import { SignIn } from './sign-in/sign-in.service.js';
import { SignedInAdmission } from './sign-in/signed-in-admission.service.js';
import { TokenSeals, UserTokens } from './users/user-tokens.service.js';
import { PeopleReader, PeopleRepository } from './users/users.repository.js';

@Module({
  imports: [AuditModule, SessionModule, WorkspacesModule],
  controllers: [SessionController, SignInController],
  providers: [
    AccessRound,
    AdminOffice,
    HostWorkspaceReader,
    LoginAttemptsRepository,
    MemberDoubts,
    MemberEntry,
    MemberJobs,
    MemberRemoval,
    MemberRenewal,
    Members,
    MembersRepository,
    MembershipConfirmation,
    PeopleReader,
    PeopleRepository,
    RepositoryAccess,
    RollCall,
    Sessions,
    SessionsRepository,
    SignIn,
    SignedInAdmission,
    StandingsReader,
    TokenSeals,
    UserTokens,
    { provide: MembershipRenewal, useExisting: MemberRenewal },
  ],
  exports: [
    AdminOffice,
    HostWorkspaceReader,
    MemberDoubts,
    MemberEntry,
    MemberRemoval,
    Members,
    MembershipRenewal,
    PeopleReader,
    Sessions,
    StandingsReader,
    UserTokens,
  ],
})
export class AccountsModule {}
