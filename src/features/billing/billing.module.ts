import { Module } from '@nestjs/common';
import { WorkspacesModule } from '../../workspaces/workspaces.module.js';
import { AccountsModule } from '../accounts/accounts.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { ReportStorageModule } from '../evidence/storage/report-storage.module.js';
import { ReleasesModule } from '../releases/releases.module.js';
import { BillingController } from './billing.controller.js';
import { BillingRepository } from './billing.repository.js';
import { BillingService } from './billing.service.js';
import { PlatformBillingController } from './platform-billing.controller.js';
import { PlatformBillingQueries } from './platform-billing.queries.js';
import { PlatformBillingService } from './platform-billing.service.js';

/**
 * The plan of a workspace limits how many repositories Shipgate manages for it. Admins request an upgrade, and
 * administrators of the platform answer. Begin at `billing.service.ts`. The plans are in `src/domain/billing/`.
 */
@Module({
  imports: [AuditModule, AccountsModule, ReleasesModule, ReportStorageModule, WorkspacesModule],
  controllers: [BillingController, PlatformBillingController],
  providers: [BillingService, BillingRepository, PlatformBillingService, PlatformBillingQueries],
})
export class BillingModule {}
