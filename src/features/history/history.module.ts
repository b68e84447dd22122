import { Module } from '@nestjs/common';
import { EventsModule } from '../../events/events.module.js';
import { ExportModule } from '../../export/export.module.js';
import { WorkspacesModule } from '../../workspaces/workspaces.module.js';
import { AccountsModule } from '../accounts/accounts.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { ReleasesModule } from '../releases/releases.module.js';
import { DeploymentDecisionsService } from './deployments/deployment-decisions.service.js';
import { DeploymentsRepository } from './deployments/deployments.repository.js';
import { DeploymentsService } from './deployments/deployments.service.js';
import { ManualDeploymentsService } from './deployments/manual-deployments.service.js';
import { PromotionService } from './deployments/promotion.service.js';
import { HistoryController } from './history.controller.js';
import { HistoryExportService } from './history-export.service.js';
import { HistoryQueries } from './history.queries.js';
import { HistoryService } from './history.service.js';

/**
 * The deployments that GitHub reports, and whether the gate of their release was open. So a deployment that bypassed
 * the gate is visible. Begin at `deployments/` for the recording and at `history.queries.ts` for the lists.
 */
@Module({
  imports: [AccountsModule, AuditModule, EventsModule, ExportModule, ReleasesModule, WorkspacesModule],
  controllers: [HistoryController],
  providers: [
    DeploymentDecisionsService,
    ManualDeploymentsService,
    DeploymentsService,
    DeploymentsRepository,
    HistoryExportService,
    HistoryService,
    HistoryQueries,
    PromotionService,
  ],
  exports: [HistoryQueries, HistoryService, ManualDeploymentsService],
})
export class HistoryModule {}
