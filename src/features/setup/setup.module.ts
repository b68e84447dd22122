import { Module } from '@nestjs/common';
import { SessionReader } from '../../auth/session/session.reader.js';
import { AuditModule } from '../audit/audit.module.js';
import { MembersModule } from '../members/members.module.js';
import { PeopleModule } from '../people/people.module.js';
import { ReposModule } from '../repos/repos.module.js';
import { SignInModule } from '../sign-in/sign-in.module.js';
import { SyncModule } from '../sync/sync.module.js';
import { ConfigStatusReport } from './config-status.service.js';
import { FormerRoutesController } from './former-routes.controller.js';
import { InstallationArrival } from './installation-arrival.service.js';
import { InstallationCallbackController } from './installation-callback.controller.js';
import { InstallationLinks } from './installation-links.recorder.js';
import { InstallationLookUps } from './installation-look-ups.js';
import { RepositoryStateReader } from './repository-state.reader.js';
import { RepositoryWarningsController } from './repository-warnings.controller.js';
import { RepositoryWarnings } from './repository-warnings.service.js';
import { SetupController } from './setup.controller.js';
import { Setup } from './setup.service.js';

@Module({
  imports: [AuditModule, MembersModule, PeopleModule, ReposModule, SignInModule, SyncModule],
  controllers: [FormerRoutesController, InstallationCallbackController, RepositoryWarningsController, SetupController],
  providers: [
    ConfigStatusReport,
    InstallationArrival,
    InstallationLinks,
    InstallationLookUps,
    RepositoryStateReader,
    RepositoryWarnings,
    SessionReader,
    Setup,
  ],
})
export class SetupModule {}
