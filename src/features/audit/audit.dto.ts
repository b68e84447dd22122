import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import { PageInfo } from '../../http/pagination/pagination.dto.js';
import { AUDIT_ACTIONS, type AuditAction } from './audit-actions.js';

/** Who performed the action. */
export class AuditActorDto {
  /** `person`: a user. `service`: the service itself, for example after GitHub reports that a user left the organization. */
  @ApiProperty({ enum: ['person', 'service'] })
  type!: 'person' | 'service';

  /** The numeric id of the user on GitHub. Absent for the service. */
  @ApiPropertyOptional({ type: 'integer' })
  id?: number;

  /** The login of the user at that time. Absent for the service. */
  @ApiPropertyOptional({ example: 'ada' })
  login?: string;
}

const DIGEST = {
  pattern: '^[0-9a-f]{64}$',
  example: '2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae',
};

/** The position of an entry in the hash chain of the log. */
class AuditLinkDto {
  /** Entries are numbered from 1 without a gap. */
  @ApiProperty({ type: 'integer', minimum: 1 })
  sequence!: number;

  /** The hash of the entry before. 64 zeros for the first entry. */
  @ApiProperty(DIGEST)
  previousHash!: string;

  /** SHA-256 of the entry and the hash before, in lower-case hexadecimal digits. */
  @ApiProperty(DIGEST)
  hash!: string;
}

/** The position of an entry about a private repository that you cannot read. Its content is not included. */
export class HiddenAuditEntryDto extends AuditLinkDto {
  @ApiProperty({ enum: [true] })
  hidden!: true;
}

/** An action in the workspace. */
export class AuditEntryDto extends AuditLinkDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty({ type: String, format: 'date-time' })
  at!: Date;

  @ApiProperty()
  actor!: AuditActorDto;

  @ApiProperty({ enum: AUDIT_ACTIONS })
  action!: AuditAction;

  /** The name of the object of the action at that time. */
  @ApiProperty({ example: 'build farm' })
  subject!: string;

  /** More values of the action. The members depend on the action. */
  @ApiProperty({ type: 'object', additionalProperties: true })
  data!: object;
}

/** The audit log of the workspace. */
@ApiExtraModels(AuditEntryDto, HiddenAuditEntryDto)
export class AuditLogDto {
  /** The id of the workspace, which is part of every hash. */
  @ApiProperty({ format: 'uuid' })
  workspace!: string;

  /** Newest first. */
  @ApiProperty({
    type: 'array',
    items: { oneOf: [{ $ref: getSchemaPath(AuditEntryDto) }, { $ref: getSchemaPath(HiddenAuditEntryDto) }] },
  })
  entries!: readonly (AuditEntryDto | HiddenAuditEntryDto)[];

  /** Present only with `page` or `pageSize`. */
  @ApiPropertyOptional()
  pagination?: PageInfo;
}
