import { Module } from '@nestjs/common';
import { ReposModule } from '../../workspaces/repos.module.js';
import { WorkspacesModule } from '../../workspaces/workspaces.module.js';
import { MembersModule } from '../accounts/members.module.js';
import { ObservationsModule } from '../releases/observations.module.js';
import { ReleasesModule } from '../releases/releases.module.js';
import { EnforcementModule } from '../repositories/enforcement.module.js';
import { SyncModule } from '../sync/sync.module.js';
import { ConcernedRepositoriesReader } from './affected-repositories.queries.js';
import { DeliveriesRepository } from './deliveries.repository.js';
import { MemberFollowUp } from './member-follow-up.service.js';
import { MissedDeliveriesRepository } from './missed-deliveries.repository.js';
import { MissedDeliveries } from './missed-deliveries.service.js';
import { WebhookFollowUp } from './webhook-follow-up.service.js';
import { WebhookInbox } from './webhook-inbox.service.js';
import { WebhookProcessor } from './webhook-processor.service.js';
import { WebhooksController } from './webhooks.controller.js';

@Module({
  imports: [
    EnforcementModule,
    MembersModule,
    ObservationsModule,
    ReleasesModule,
    ReposModule,
    SyncModule,
    WorkspacesModule,
  ],
  controllers: [WebhooksController],
  providers: [
    ConcernedRepositoriesReader,
    DeliveriesRepository,
    MemberFollowUp,
    MissedDeliveries,
    MissedDeliveriesRepository,
    WebhookFollowUp,
    WebhookInbox,
    WebhookProcessor,
  ],
})
export class WebhooksModule {}
