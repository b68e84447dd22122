import { Module } from '@nestjs/common';
import { WorkspacesModule } from '../../workspaces/workspaces.module.js';
import { AccountsModule } from '../accounts/accounts.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { InviteTokens } from './invite-tokens.js';
import { InvitesController } from './invites.controller.js';
import { InvitesRepository } from './invites.repository.js';
import { InviteAcceptanceService, InvitesService } from './invites.service.js';
import { OrganizationMembersService } from './organization-members.service.js';
import { TeamController } from './team.controller.js';
import { TeamRepository } from './team.repository.js';
import { TeamService } from './team.service.js';

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
