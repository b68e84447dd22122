import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsObject,
  IsOptional,
  IsString,
  Length,
  Matches,
  ValidateNested,
} from 'class-validator';
import { LABEL, MAX_FILES } from './upload-body.js';
import { UploadFields } from './upload-fields.dto.js';

/** A report as a CI run wrote it; its content decides what it is. */
export class UploadedFile {
  @ApiProperty({ example: 'junit.xml' })
  @IsString()
  @Length(1, 255)
  @Matches(LABEL, { message: 'filename must not hold control characters' })
  filename!: string;

  /** The file's text: at most 5 MB in UTF-8, unless the operator has set another limit. */
  @ApiProperty({ maxLength: 5_242_880 })
  @IsString()
  content!: string;

  /** Refused where the content is something else. */
  @ApiPropertyOptional({ type: String, example: 'junit' })
  @IsOptional()
  @IsString()
  @Length(1, 32)
  format?: string | null;
}

/** Evidence of one CI job for one release; at least one of metrics, reports and files. */
export class EvidenceUpload extends UploadFields {
  @ApiPropertyOptional({ type: [UploadedFile], maxItems: MAX_FILES })
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(MAX_FILES)
  @IsObject({ each: true })
  @ValidateNested({ each: true })
  @Type(() => UploadedFile)
  files?: UploadedFile[] | null;
}

export class EvidenceReceipt {
  @ApiProperty({ format: 'uuid' })
  evidenceId!: string;

  @ApiProperty({ example: 'Evidence received for v1.4.0.' })
  message!: string;
}
