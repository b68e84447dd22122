import { ApiProperty } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import { QualityFilterQuery } from '../quality.dto.js';

export const EXPORT_FORMATS = ['csv', 'html', 'xlsx'] as const;
export type QualityExportFormat = (typeof EXPORT_FORMATS)[number];

/** The filter of the release groups, with the format of the file. */
export class QualityExportQuery extends QualityFilterQuery {
  /** The format of the file. */
  @ApiProperty({ enum: EXPORT_FORMATS })
  @IsIn(EXPORT_FORMATS, { message: `format must be ${EXPORT_FORMATS.join(', ')}` })
  format!: QualityExportFormat;
}
