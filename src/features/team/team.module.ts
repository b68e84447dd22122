import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { InviteTokens } from './invite-tokens.js';
import { InvitesController } from './invites.controller.js';
import { InviteRecorder, InvitesRepository } from './invites.repository.js';
import { InviteAcceptance, InviteAdmission, Invites } from './invites.service.js';
import { TeamHost } from './organization-members.service.js';
import { TeamController } from './team.controller.js';
import { TeamRepository } from './team.repository.js';
import { Team, TeamList } from './team.service.js';

@Module({
  imports: [AuditModule, AccountsModule],
  controllers: [TeamController, InvitesController],
  providers: [
    InviteAcceptance,
    InviteAdmission,
    InviteRecorder,
    Invites,
    InvitesRepository,
    InviteTokens,
    Team,
    TeamHost,
    TeamList,
    TeamRepository,
  ],
})
export class TeamModule {}
