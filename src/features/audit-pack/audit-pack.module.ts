import { Module } from '@nestjs/common';
import { ReportStorageModule } from '../evidence/storage/report-storage.module.js';
import { HistoryModule } from '../history/history.module.js';
import { ReleasesModule } from '../releases/releases.module.js';
import { SigningModule } from '../signing/signing.module.js';
import { ApprovalRecordQueries } from './approval-record.queries.js';
import { ApprovalRecordService } from './approval-record.service.js';
import { ApprovalRecordsController } from './approval-records.controller.js';
import { AuditPacksController } from './audit-packs.controller.js';
import { AuditPackQueries } from './audit-pack.queries.js';
import { AuditPackService } from './audit-pack.service.js';
import { PackContentsService } from './pack-contents.service.js';

/**
 * An auditor must be able to check a release without access to the service. A pack is one signed zip with all decisions
 * of a release and the evidence behind them. Begin at `audit-pack.service.ts`. `src/client/verify-pack/` reads the pack
 * again. The approval record is one page of it, for readers.
 */
@Module({
  imports: [HistoryModule, ReleasesModule, ReportStorageModule, SigningModule],
  controllers: [ApprovalRecordsController, AuditPacksController],
  providers: [ApprovalRecordQueries, ApprovalRecordService, AuditPackService, PackContentsService, AuditPackQueries],
  exports: [ApprovalRecordService],
})
export class AuditPackModule {}
