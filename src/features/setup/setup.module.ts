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

/**
 * A new installation has no GitHub App. This feature registers one from the console or the browser and stores its
 * credentials encrypted. Begin at `setup.service.ts`. `app-permissions.ts` lists all that the app needs.
 */
@Module({
  imports: [AccountsModule, AuditModule, SessionModule, SyncModule, WorkspacesModule],
  controllers: [LegacyRoutesController, InstallationCallbackController, SetupController],
  providers: [SetupService, InstallationService],
})
export class SetupModule {}
