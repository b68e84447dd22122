import { Module } from '@nestjs/common';
import { SessionReader } from '../../auth/session/session.reader.js';
import { ReposModule } from '../../workspaces/repos.module.js';
import { MembersModule } from '../accounts/members.module.js';
import { PeopleModule } from '../accounts/people.module.js';
import { SignInModule } from '../accounts/sign-in.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { SyncModule } from '../sync/sync.module.js';
import { ConfigStatusReport } from './config-status.service.js';
import { InstallationArrival } from './installation-arrival.service.js';
import { InstallationCallbackController } from './installation-callback.controller.js';
import { InstallationLinks } from './installation-links.recorder.js';
import { InstallationLookUps } from './installation-look-ups.js';
import { FormerRoutesController } from './legacy-routes.controller.js';
import { SetupController } from './setup.controller.js';
import { Setup } from './setup.service.js';

@Module({
  imports: [AuditModule, MembersModule, PeopleModule, ReposModule, SignInModule, SyncModule],
  controllers: [FormerRoutesController, InstallationCallbackController, SetupController],
  providers: [ConfigStatusReport, InstallationArrival, InstallationLinks, InstallationLookUps, SessionReader, Setup],
})
export class SetupModule {}
