import { Module } from '@nestjs/common';
import { JsonListStream } from '../../http/pagination/json-list.stream.js';
import { ReposModule } from '../../workspaces/repos.module.js';
import { PeopleModule } from '../accounts/people.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { ReportStorageModule } from '../evidence/storage/report-storage.module.js';
import { ReleasesModule } from '../releases/releases.module.js';
import { BillingController } from './billing.controller.js';
import { Billing } from './billing.service.js';
import { PlansRepository } from './plans.repository.js';
import { PlatformBillingController } from './platform-billing.controller.js';
import { PlatformBilling } from './platform-billing.service.js';
import { PlatformRequestsReader } from './platform-requests.reader.js';
import { RequesterNames } from './requester-names.reader.js';
import { UpgradeRequests } from './upgrade-requests.recorder.js';
import { UpgradeRequestsRepository } from './upgrade-requests.repository.js';
import { WaitingRepositories } from './waiting-repositories.recorder.js';

@Module({
  imports: [AuditModule, PeopleModule, ReleasesModule, ReportStorageModule, ReposModule],
  controllers: [BillingController, PlatformBillingController],
  providers: [
    Billing,
    JsonListStream,
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
