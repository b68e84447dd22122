import { Module } from '@nestjs/common';
import { ReportStorageModule } from '../evidence/storage/report-storage.module.js';
import { SigningModule } from '../signing/signing.module.js';
import { AuditPacksController } from './audit-pack.controller.js';
import { AuditPacks } from './audit-pack.service.js';
import { PackContents } from './pack-contents.service.js';
import { PackIndexReader } from './pack-index.reader.js';
import { PackRecordsReader } from './pack-records.reader.js';

@Module({
  imports: [ReportStorageModule, SigningModule],
  controllers: [AuditPacksController],
  providers: [AuditPacks, PackContents, PackIndexReader, PackRecordsReader],
})
export class AuditPackModule {}
