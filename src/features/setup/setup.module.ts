import { Module } from '@nestjs/common';
import { SessionModule } from '../../auth/session/session.module.js';
import { WorkspacesModule } from '../../workspaces/workspaces.module.js';
import { AccountsModule } from '../accounts/accounts.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { SyncModule } from '../sync/sync.module.js';
import { InstallationCallbackController } from './installation-callback.controller.js';
import { InstallationService } from './installation.service.js';
import { LegacyRoutesController } from './legacy-routes.controller.js';
import { SetupController } from './setup.controller.js';
import { SetupService } from './setup.service.js';

@Module({
  imports: [AccountsModule, AuditModule, SessionModule, SyncModule, WorkspacesModule],
  controllers: [LegacyRoutesController, InstallationCallbackController, SetupController],
  providers: [SetupService, InstallationService],
})
export class SetupModule {}
