import { Module } from '@nestjs/common';
import { MembersModule } from '../accounts/members.module.js';
import { PeopleModule } from '../accounts/people.module.js';
import { SignInModule } from '../accounts/sign-in.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { InviteAcceptance } from './invite-acceptance.service.js';
import { InviteAdmission } from './invite-admission.recorder.js';
import { InviteTokens } from './invite-tokens.js';
import { InviteRecorder } from './invite.recorder.js';
import { InvitesController } from './invites.controller.js';
import { InvitesRepository } from './invites.repository.js';
import { Invites } from './invites.service.js';
import { TeamHost } from './organization-members.service.js';
import { TeamList } from './team-list.service.js';
import { TeamController } from './team.controller.js';
import { TeamRepository } from './team.repository.js';
import { Team } from './team.service.js';

@Module({
  imports: [AuditModule, MembersModule, PeopleModule, SignInModule],
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
