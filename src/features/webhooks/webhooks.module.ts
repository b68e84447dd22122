import { Module } from '@nestjs/common';
import { WorkspacesModule } from '../../workspaces/workspaces.module.js';
import { AccountsModule } from '../accounts/accounts.module.js';
import { DeploymentHoldsModule } from '../deployment-holds/deployment-holds.module.js';
import { ReleasesModule } from '../releases/releases.module.js';
import { RepositoriesModule } from '../repositories/repositories.module.js';
import { SyncModule } from '../sync/sync.module.js';
import { AffectedRepositoriesQueries } from './affected-repositories.queries.js';
import { DeliveriesService } from './deliveries.service.js';
import { MissedDeliveriesRepository } from './missed-deliveries.repository.js';
import { MissedDeliveriesService } from './missed-deliveries.service.js';
import { WebhookInboxService } from './webhook-inbox.service.js';
import { WebhookProcessorService } from './webhook-processor.service.js';
import { WebhooksController } from './webhooks.controller.js';

/**
 * GitHub says here what changed. A delivery is verified, stored before it is answered, and processed by a job, so none
 * is lost and none counts twice. Begin at `webhook-inbox.service.ts`. `payload-changes.ts` says what each event means.
 */
@Module({
  imports: [DeploymentHoldsModule, RepositoriesModule, AccountsModule, ReleasesModule, WorkspacesModule, SyncModule],
  controllers: [WebhooksController],
  providers: [
    AffectedRepositoriesQueries,
    DeliveriesService,
    WebhookProcessorService,
    MissedDeliveriesService,
    MissedDeliveriesRepository,
    WebhookInboxService,
  ],
})
export class WebhooksModule {}
