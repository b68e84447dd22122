import { Module } from '@nestjs/common';
import { EventsModule } from '../../events/events.module.js';
import { ExportModule } from '../../export/export.module.js';
import { WorkspacesModule } from '../../workspaces/workspaces.module.js';
import { AccountsModule } from '../accounts/accounts.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { ReleasesModule } from '../releases/releases.module.js';
import { DeploymentClassificationService } from './deployments/deployment-classification.service.js';
import { DeploymentDecisionsService } from './deployments/deployment-decisions.service.js';
import { DeploymentsRepository } from './deployments/deployments.repository.js';
import { DeploymentsService } from './deployments/deployments.service.js';
import { ManualDeploymentsService } from './deployments/manual-deployments.service.js';
import { PromotionService } from './deployments/promotion.service.js';
import { ReportedDeploymentsRepository } from './deployments/reported-deployments.repository.js';
import { RunningArtifactsRepository } from './deployments/running-artifacts.repository.js';
import { HistoryController } from './history.controller.js';
import { HistoryExportService } from './history-export.service.js';
import { HistoryQueries } from './history.queries.js';
import { HistoryService } from './history.service.js';
import { CommitGateService } from './reports/commit-gate.service.js';
import { CommitReleasesQueries } from './reports/commit-releases.queries.js';
import { DeploymentReportLogService } from './reports/deployment-report-log.service.js';
import { DeploymentReportTargetService } from './reports/deployment-report-target.service.js';
import { DeploymentReportsController } from './reports/deployment-reports.controller.js';
import { DeploymentReportsMetrics } from './reports/deployment-reports.metrics.js';
import { DeploymentReportsService } from './reports/deployment-reports.service.js';
import { ExpectedKindService } from './reports/expected-kind.service.js';
import { ReportedDeploymentRecordsService } from './reports/reported-deployment-records.service.js';
import { ReportedDeploymentsQueries } from './reports/reported-deployments.queries.js';
import { ReportedDeploymentsService } from './reports/reported-deployments.service.js';
import { RunningArtifactsQueries } from './running/running-artifacts.queries.js';
import { RunningController } from './running/running.controller.js';
import { RunningMetrics } from './running/running.metrics.js';
import { RunningService } from './running/running.service.js';
import { RunningStatementsService } from './running/running-statements.service.js';

/**
 * The deployments that GitHub and other CI systems report, and whether the gate of their release was open. So a deployment that bypassed
 * the gate is visible. Begin at `deployments/` for the recording, at `reports/` for the
 * reports of CI systems, at `running/` for what runs, and at `history.queries.ts` for the lists.
 */
@Module({
  imports: [AccountsModule, AuditModule, EventsModule, ExportModule, ReleasesModule, WorkspacesModule],
  controllers: [DeploymentReportsController, HistoryController, RunningController],
  providers: [
    CommitGateService,
    CommitReleasesQueries,
    DeploymentClassificationService,
    DeploymentDecisionsService,
    ManualDeploymentsService,
    DeploymentsService,
    DeploymentsRepository,
    HistoryExportService,
    HistoryService,
    HistoryQueries,
    PromotionService,
    DeploymentReportLogService,
    DeploymentReportTargetService,
    DeploymentReportsMetrics,
    DeploymentReportsService,
    ExpectedKindService,
    ReportedDeploymentRecordsService,
    ReportedDeploymentsQueries,
    ReportedDeploymentsRepository,
    ReportedDeploymentsService,
    RunningArtifactsQueries,
    RunningArtifactsRepository,
    RunningMetrics,
    RunningService,
    RunningStatementsService,
  ],
  exports: [HistoryQueries, HistoryService, ManualDeploymentsService, ReportedDeploymentsService],
})
export class HistoryModule {}
