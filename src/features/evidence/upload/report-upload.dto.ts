import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString, Length } from 'class-validator';
import { EvidenceReceipt } from './evidence.dto.js';
import { UploadFields } from './upload-fields.dto.js';

/** The fields of a form; `metrics` and `reports` are JSON, the others text. */
export class ReportUploadFields extends UploadFields {
  /** What every file is; refused where the content of one is something else. */
  @ApiPropertyOptional({ example: 'junit' })
  @IsOptional()
  @IsString()
  @Length(1, 32)
  format?: string;
}

/** Evidence of one CI job for one release, as a form; at least one of metrics, reports and file. */
export class ReportUpload extends ReportUploadFields {
  /** The reports, each in a part of this name and with a filename; at most 10 MB, unless the operator has set another limit. */
  @ApiPropertyOptional({
    type: 'array',
    items: { type: 'string', format: 'binary', maxLength: 10_485_760 },
    maxItems: 500,
  })
  file?: readonly string[];
}

/** A file that is kept. */
export class KeptReportDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty({ example: 'junit.xml' })
  name!: string;

  /** What its content is: `html` and `json` are kept for people, all others were read. */
  @ApiProperty({ example: 'junit' })
  format!: string;

  /** Of its bytes as they were uploaded, which is what `sha256sum` says of the file. */
  @ApiProperty({ example: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08' })
  sha256!: string;

  /** In bytes. */
  @ApiProperty({ type: 'integer', minimum: 0, example: 1480 })
  size!: number;

  /** Where people who are signed in download it. */
  @ApiProperty({ format: 'uri', example: 'https://shipgate.example/api/evidence/6f0d/reports/9a51' })
  url!: string;
}

export class ReportReceipt extends EvidenceReceipt {
  /** In the order in which they came. */
  @ApiProperty({ type: [KeptReportDto] })
  reports!: readonly KeptReportDto[];
}
