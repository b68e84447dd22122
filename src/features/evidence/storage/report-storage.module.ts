import { Module } from '@nestjs/common';
import { Clock } from '../../../config/clock.js';
import { ENVIRONMENT, type Environment } from '../../../config/environment.js';
import { DatabaseReportStore, REPORT_STORE, type ReportStore } from './report-store.js';
import { ReportContentsRepository } from './report-contents.repository.js';
import { ReportStorageService } from './report-storage.service.js';
import { S3ReportStore, ObjectStore } from './s3-report-store.js';
import { StorageQuotaService } from './storage-quota.service.js';

/** `STORAGE_URL` decides where new content is stored. Content at another location is still read from there. */
const store = ({ storage }: Environment, objects: ObjectStore, clock: Clock): ReportStore =>
  storage === null ? new DatabaseReportStore() : new S3ReportStore(objects, storage, clock);

@Module({
  providers: [
    ObjectStore,
    ReportContentsRepository,
    ReportStorageService,
    StorageQuotaService,
    { provide: REPORT_STORE, useFactory: store, inject: [ENVIRONMENT, ObjectStore, Clock] },
  ],
  exports: [ReportContentsRepository, ReportStorageService, StorageQuotaService],
})
export class ReportStorageModule {}
