import { Module } from '@nestjs/common';
import { WorkspacesModule } from '../../workspaces/workspaces.module.js';
import { ReportStorageModule } from '../evidence/storage/report-storage.module.js';
import { ClockWatchService } from './clock-watch.service.js';
import { DiagnosisController } from './diagnosis.controller.js';
import { DiagnosticsQueries } from './diagnostics.queries.js';
import { DiagnosticsService } from './diagnostics.service.js';
import { HealthController } from './health.controller.js';
import { MetricsController } from './metrics.controller.js';
import { RetentionJobs } from './retention.jobs.js';
import { RetentionRepository } from './retention.repository.js';
import { ServiceMetrics } from './service.metrics.js';

/**
 * An operator sees how the service is: health, metrics, diagnosis and the deletion of what is older than its retention.
 * Begin at the controller of the route, or at `retention.repository.ts`.
 */
@Module({
  imports: [ReportStorageModule, WorkspacesModule],
  controllers: [DiagnosisController, HealthController, MetricsController],
  providers: [
    ClockWatchService,
    DiagnosticsService,
    DiagnosticsQueries,
    RetentionRepository,
    RetentionJobs,
    ServiceMetrics,
  ],
})
export class OperationsModule {}
