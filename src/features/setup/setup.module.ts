import { Module } from '@nestjs/common';
import { SessionReader } from '../../auth/session/sessions.repository.js';
import { WorkspacesModule } from '../../workspaces/workspaces.module.js';
import { AccountsModule } from '../accounts/accounts.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { SyncModule } from '../sync/sync.module.js';
import { InstallationCallbackController } from './installation-callback.controller.js';
import { InstallationArrival, InstallationLinks, InstallationLookUps } from './installation.service.js';
import { FormerRoutesController } from './legacy-routes.controller.js';
import { SetupController } from './setup.controller.js';
import { ConfigStatusReport, Setup } from './setup.service.js';

@Module({
  imports: [AuditModule, AccountsModule, WorkspacesModule, SyncModule],
  controllers: [FormerRoutesController, InstallationCallbackController, SetupController],
  providers: [ConfigStatusReport, InstallationArrival, InstallationLinks, InstallationLookUps, SessionReader, Setup],
})
export class SetupModule {}
