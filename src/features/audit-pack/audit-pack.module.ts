import { Module } from '@nestjs/common';
import { ReportStorageModule } from '../evidence/storage/report-storage.module.js';
import { SigningModule } from '../signing/signing.module.js';
import { AuditPacksController } from './audit-pack.controller.js';
import { PackIndexReader, PackRecordsReader } from './audit-pack.queries.js';
import { AuditPacks } from './audit-pack.service.js';
import { PackContents } from './pack-contents.service.js';

@Module({
  imports: [ReportStorageModule, SigningModule],
  controllers: [AuditPacksController],
  providers: [AuditPacks, PackContents, PackIndexReader, PackRecordsReader],
})
export class AuditPackModule {}
