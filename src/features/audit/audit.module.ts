import { Module } from '@nestjs/common';
import { EventsModule } from '../../events/events.module.js';
import { ExportModule } from '../../export/export.module.js';
import { AuditExportService } from './audit-export.service.js';
import { AuditSearchQueries } from './audit-search.queries.js';
import { AuditController } from './audit.controller.js';
import { AuditRepository } from './audit.repository.js';
import { AuditService } from './audit.service.js';

@Module({
  imports: [EventsModule, ExportModule],
  controllers: [AuditController],
  providers: [AuditService, AuditRepository, AuditExportService, AuditSearchQueries],
  exports: [AuditRepository],
})
export class AuditModule {}
