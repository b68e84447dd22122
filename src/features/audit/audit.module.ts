import { Module } from '@nestjs/common';
import { AuditController } from './audit.controller.js';
import { AuditReader, AuditRecorder } from './audit.repository.js';
import { AuditLog } from './audit.service.js';

@Module({
  controllers: [AuditController],
  providers: [AuditLog, AuditReader, AuditRecorder],
  exports: [AuditRecorder],
})
export class AuditModule {}
