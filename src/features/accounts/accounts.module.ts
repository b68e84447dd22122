import { Module } from '@nestjs/common';
import { MembershipRefresher } from '../../auth/caller.js';
import { SessionModule } from '../../auth/session/session.module.js';
import { EventsModule } from '../../events/events.module.js';
import { WorkspacesModule } from '../../workspaces/workspaces.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { MemberListSyncService } from './members/member-list-sync.service.js';
import { MemberRemovalService } from './members/member-removal.service.js';
import { MembersRepository } from './members/members.repository.js';
import { MembersService } from './members/members.service.js';
import { MembershipRefreshService } from './members/membership-refresh.service.js';
import { MembershipsQueries } from './members/memberships.queries.js';
import { RepositoryAccessService } from './members/repository-access.service.js';
import { LoginAttemptsRepository } from './sign-in/login-attempts.repository.js';
import { SessionController } from './sign-in/session.controller.js';
import { SessionsService } from './sign-in/sessions.service.js';
import { SignInController } from './sign-in/sign-in.controller.js';
import { SignInService } from './sign-in/sign-in.service.js';
import { SignedInUsersService } from './sign-in/signed-in-users.service.js';
import { UserTokensService } from './users/user-tokens.service.js';
import { UsersRepository } from './users/users.repository.js';

/**
 * Users sign in with GitHub, and their membership of a workspace follows from GitHub. Sign-ins, sessions and read
 * access to private repositories expire or are refreshed here, so that no other feature asks GitHub who a user is.
 * Begin at `sign-in.service.ts` in `sign-in/`.
 */
@Module({
  imports: [AuditModule, EventsModule, SessionModule, WorkspacesModule],
  controllers: [SessionController, SignInController],
  providers: [
    RepositoryAccessService,
    MembersRepository,
    LoginAttemptsRepository,
    MembersService,
    MemberRemovalService,
    MembershipRefreshService,
    UsersRepository,
    MemberListSyncService,
    SessionsService,
    SignInService,
    SignedInUsersService,
    MembershipsQueries,
    UserTokensService,
    { provide: MembershipRefresher, useExisting: MembershipRefreshService },
  ],
  exports: [
    MembersRepository,
    MembersService,
    MemberRemovalService,
    MembershipRefresher,
    UsersRepository,
    SessionsService,
    MembershipsQueries,
    UserTokensService,
  ],
})
export class AccountsModule {}
