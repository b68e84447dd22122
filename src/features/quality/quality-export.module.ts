import { Module } from '@nestjs/common';
import { ExportAnswer } from './export/export-answer.js';
import { QualityExportController } from './export/quality-export.controller.js';
import { QualityExport } from './export/quality-export.service.js';
import { QualityModule } from './quality.module.js';

@Module({
  imports: [QualityModule],
  controllers: [QualityExportController],
  providers: [ExportAnswer, QualityExport],
})
export class QualityExportModule {}
