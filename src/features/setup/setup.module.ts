import { Module } from '@nestjs/common';
import { SessionModule } from '../../auth/session/session.module.js';
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
  imports: [AccountsModule, AuditModule, SessionModule, SyncModule, WorkspacesModule],
  controllers: [FormerRoutesController, InstallationCallbackController, SetupController],
  providers: [ConfigStatusReport, InstallationArrival, InstallationLinks, InstallationLookUps, Setup],
})
export class SetupModule {}
