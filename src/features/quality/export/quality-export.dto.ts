import { ApiProperty } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import { QualityFilterQuery } from '../quality.dto.js';
import { EXPORT_FORMATS, type ExportFormat } from './export-response.js';

/** Which release groups are asked for, and as what kind of file. */
export class QualityExportQuery extends QualityFilterQuery {
  /** The kind of file. */
  @ApiProperty({ enum: EXPORT_FORMATS })
  @IsIn(EXPORT_FORMATS, { message: `format must be ${EXPORT_FORMATS.join(', ')}` })
  format!: ExportFormat;
}
