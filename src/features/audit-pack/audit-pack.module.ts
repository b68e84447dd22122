import { Module } from '@nestjs/common';
import { ReportStorageModule } from '../evidence/storage/report-storage.module.js';
import { SigningModule } from '../signing/signing.module.js';
import { AuditPacksController } from './audit-pack.controller.js';
import { AuditPackQueries } from './audit-pack.queries.js';
import { AuditPackService } from './audit-pack.service.js';
import { PackContentsService } from './pack-contents.service.js';

@Module({
  imports: [ReportStorageModule, SigningModule],
  controllers: [AuditPacksController],
  providers: [AuditPackService, PackContentsService, AuditPackQueries],
})
export class AuditPackModule {}
