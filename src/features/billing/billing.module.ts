import { Module } from '@nestjs/common';
import { WorkspacesModule } from '../../workspaces/workspaces.module.js';
import { AccountsModule } from '../accounts/accounts.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { ReportStorageModule } from '../evidence/storage/report-storage.module.js';
import { ReleasesModule } from '../releases/releases.module.js';
import { BillingController } from './billing.controller.js';
import { PlansRepository, UpgradeRequestsRepository } from './billing.repository.js';
import { Billing, UpgradeRequests } from './billing.service.js';
import { PlatformBillingController } from './platform-billing.controller.js';
import { PlatformRequestsReader, RequesterNames } from './platform-billing.queries.js';
import { PlatformBilling, WaitingRepositories } from './platform-billing.service.js';

@Module({
  imports: [AuditModule, AccountsModule, ReleasesModule, ReportStorageModule, WorkspacesModule],
  controllers: [BillingController, PlatformBillingController],
  providers: [
    Billing,
    PlansRepository,
    PlatformBilling,
    PlatformRequestsReader,
    RequesterNames,
    UpgradeRequests,
    UpgradeRequestsRepository,
    WaitingRepositories,
  ],
})
export class BillingModule {}
