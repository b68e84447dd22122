import { Module } from '@nestjs/common';
import { WorkspacesModule } from '../../workspaces/workspaces.module.js';
import { ReportStorageModule } from '../evidence/storage/report-storage.module.js';
import { ClockWatch } from './clock-watch.service.js';
import { DiagnosisController } from './diagnostics.controller.js';
import { DiagnosisReader } from './diagnostics.queries.js';
import { Diagnosis } from './diagnostics.service.js';
import { HealthController } from './health.controller.js';
import { MetricsController } from './metrics.controller.js';
import { Upkeep } from './retention.jobs.js';
import { GivenUpJobsRepository, UpkeepRepository } from './retention.repository.js';

@Module({
  imports: [ReportStorageModule, WorkspacesModule],
  controllers: [DiagnosisController, HealthController, MetricsController],
  providers: [ClockWatch, Diagnosis, DiagnosisReader, GivenUpJobsRepository, Upkeep, UpkeepRepository],
})
export class OperationsModule {}
