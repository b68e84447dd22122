import { Module } from '@nestjs/common';
import { EventsModule } from '../../events/events.module.js';
import { ExportModule } from '../../export/export.module.js';
import { AuditLogService } from './audit-log.service.js';
import { AuditSearchQueries } from './audit-search.queries.js';
import { AuditController } from './audit.controller.js';
import { AuditRepository } from './audit.repository.js';
import { AuditService } from './audit.service.js';

/**
 * The log of who did what in a workspace. Each entry contains the hash of the entry before it, so a changed or missing
 * entry is detected. Other features append with `AuditLogService` in the transaction of the change. Begin at `audit-log.service.ts`.
 */
@Module({
  imports: [EventsModule, ExportModule],
  controllers: [AuditController],
  providers: [AuditService, AuditLogService, AuditRepository, AuditSearchQueries],
  exports: [AuditLogService, AuditRepository],
})
export class AuditModule {}
