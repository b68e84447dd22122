import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import { PageInfo } from '../../http/pagination/pagination.dto.js';
import { AUDIT_ACTIONS, type AuditAction } from './audit-actions.js';

/** Who did it. */
export class AuditActorDto {
  /** `service`: of its own accord, as when GitHub tells that somebody left. */
  @ApiProperty({ enum: ['person', 'service'] })
  type!: 'person' | 'service';

  /** A person's numeric id on GitHub. */
  @ApiPropertyOptional({ type: 'integer' })
  id?: number;

  /** A person's login at that time. */
  @ApiPropertyOptional({ example: 'ada' })
  login?: string;
}

const DIGEST = {
  pattern: '^[0-9a-f]{64}$',
  example: '2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae',
};

/** The place of an entry in the log's chain. */
class AuditLinkDto {
  /** Entries are numbered from 1 without a gap. */
  @ApiProperty({ type: 'integer', minimum: 1 })
  sequence!: number;

  /** The hash of the entry before it; 64 zeros for the first. */
  @ApiProperty(DIGEST)
  previousHash!: string;

  /** SHA-256 over the entry and the one before it, in lower-case hexadecimal digits. */
  @ApiProperty(DIGEST)
  hash!: string;
}

/** The place of an entry about a private repository that you may not read: nothing else is told of it. */
export class HiddenAuditEntryDto extends AuditLinkDto {
  @ApiProperty({ enum: [true] })
  hidden!: true;
}

/** One thing that was done in the workspace. */
export class AuditEntryDto extends AuditLinkDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty({ type: String, format: 'date-time' })
  at!: Date;

  @ApiProperty()
  actor!: AuditActorDto;

  @ApiProperty({ enum: AUDIT_ACTIONS })
  action!: AuditAction;

  /** What it was done to, as people called it then. */
  @ApiProperty({ example: 'build farm' })
  subject!: string;

  /** What else belongs to it; its members depend on the action. */
  @ApiProperty({ type: 'object', additionalProperties: true })
  data!: object;
}

/** Who did what in the workspace. */
@ApiExtraModels(AuditEntryDto, HiddenAuditEntryDto)
export class AuditLogDto {
  /** The workspace's id, which the hash of each entry covers. */
  @ApiProperty({ format: 'uuid' })
  workspace!: string;

  /** The newest first. */
  @ApiProperty({
    type: 'array',
    items: { oneOf: [{ $ref: getSchemaPath(AuditEntryDto) }, { $ref: getSchemaPath(HiddenAuditEntryDto) }] },
  })
  entries!: readonly (AuditEntryDto | HiddenAuditEntryDto)[];

  /** Only with `page` or `pageSize`. */
  @ApiPropertyOptional()
  pagination?: PageInfo;
}
