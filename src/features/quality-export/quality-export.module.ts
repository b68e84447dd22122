import { Module } from '@nestjs/common';
import { QualityModule } from '../quality/quality.module.js';
import { ExportAnswer } from './export-answer.js';
import { QualityExportController } from './quality-export.controller.js';
import { QualityExport } from './quality-export.service.js';

@Module({
  imports: [QualityModule],
  controllers: [QualityExportController],
  providers: [ExportAnswer, QualityExport],
})
export class QualityExportModule {}
