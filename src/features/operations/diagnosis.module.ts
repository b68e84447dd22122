import { Module } from '@nestjs/common';
import { ReportStorageModule } from '../evidence/storage/report-storage.module.js';
import { ClockWatch } from './clock-watch.service.js';
import { DiagnosisController } from './diagnostics.controller.js';
import { DiagnosisReader } from './diagnostics.queries.js';
import { Diagnosis } from './diagnostics.service.js';

/** What admins look at when something is wrong, and what looks whether it is. Expects the app to provide the database and the gateway. */
@Module({
  imports: [ReportStorageModule],
  controllers: [DiagnosisController],
  providers: [ClockWatch, Diagnosis, DiagnosisReader],
})
export class DiagnosisModule {}
