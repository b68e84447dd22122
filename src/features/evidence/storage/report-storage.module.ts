import { Module } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../../../config/environment.js';
import { DatabaseReportStore } from './database-report-store.js';
import { ReportContents, ReportContentsReader } from './report-contents.repository.js';
import { ReportStorage } from './report-storage.service.js';
import { REPORT_STORE, type ReportStore } from './report-store.js';
import { ObjectReportStore, ObjectStore } from './s3-report-store.js';
import { StorageQuota } from './storage-quota.repository.js';

/** `STORAGE_URL` decides where new content goes; what lies elsewhere is read from there. */
const store = ({ storage }: Environment, objects: ObjectStore): ReportStore =>
  storage === null ? new DatabaseReportStore() : new ObjectReportStore(objects, storage);

@Module({
  providers: [
    ObjectStore,
    ReportContents,
    ReportContentsReader,
    ReportStorage,
    StorageQuota,
    { provide: REPORT_STORE, useFactory: store, inject: [ENVIRONMENT, ObjectStore] },
  ],
  exports: [ReportContents, ReportStorage, StorageQuota],
})
export class ReportStorageModule {}
