import { Module } from '@nestjs/common';
import { WorkspacesModule } from '../../workspaces/workspaces.module.js';
import { AccountsModule } from '../accounts/accounts.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { InviteTokens } from './invite-tokens.js';
import { InvitesController } from './invites.controller.js';
import { InvitesRepository } from './invites.repository.js';
import { InvitesService } from './invites.service.js';
import { InviteAcceptanceService } from './invite-acceptance.service.js';
import { OrganizationMembersService } from './organization-members.service.js';
import { TeamController } from './team.controller.js';
import { TeamRepository } from './team.repository.js';
import { TeamService } from './team.service.js';

/**
 * Not every member of an organization may change its releases. Admins invite users to a workspace and give them roles.
 * Begin at `team.service.ts` and `invites.service.ts`.
 */
@Module({
  imports: [AuditModule, AccountsModule, WorkspacesModule],
  controllers: [TeamController, InvitesController],
  providers: [
    InviteAcceptanceService,
    InvitesService,
    InvitesRepository,
    InviteTokens,
    TeamService,
    OrganizationMembersService,
    TeamRepository,
  ],
})
export class TeamModule {}
