import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath, IntersectionType } from '@nestjs/swagger';
import { Transform, type TransformFnParams } from 'class-transformer';
import { ArrayMaxSize, IsIn, IsOptional, Matches } from 'class-validator';
import type { DayRange } from '../../domain/history/deployment.js';
import { PageInfo, PageQuery } from '../../http/pagination/pagination.dto.js';
import { DayRangeQuery } from '../../http/validation/day-range.dto.js';
import { IsSearchTerm } from '../../http/validation/field.decorators.js';
import { AUDIT_ACTIONS, type AuditAction } from './audit-actions.js';

const LOGIN = /^[\w.[\]-]{1,100}$/;

/** The filter of the audit log. With any filter, only entries are returned whose content you can read. */
export class AuditFilterQuery extends DayRangeQuery {
  /** The actions. Repeat the parameter for several. */
  @ApiPropertyOptional({ enum: AUDIT_ACTIONS, isArray: true, maxItems: AUDIT_ACTIONS.length })
  @IsOptional()
  @Transform(({ value }: TransformFnParams): unknown => (typeof value === 'string' ? [value] : value))
  @ArrayMaxSize(AUDIT_ACTIONS.length)
  @IsIn(AUDIT_ACTIONS, { each: true, message: 'each action must be an action of the audit log' })
  action?: AuditAction[];

  /** The login of the user at that time, ignoring case. `service` also selects the entries of the service itself. */
  @ApiPropertyOptional({ example: 'ada', maxLength: 100, pattern: LOGIN.source })
  @IsOptional()
  @Matches(LOGIN, { message: 'actor must be the login of a user, or service' })
  actor?: string;

  @IsSearchTerm('A part of the subject, of the login of the user, or of a value in `data`.')
  search?: string;
}

/** The filter of the audit log, with a page. */
export class AuditQuery extends IntersectionType(AuditFilterQuery, PageQuery) {}

const AUDIT_EXPORT_FORMATS = ['csv', 'json'] as const;
export type AuditExportFormat = (typeof AUDIT_EXPORT_FORMATS)[number];

/** The filter of the audit log, with the format of the file. */
export class AuditExportQuery extends AuditFilterQuery {
  /** The format of the file. */
  @ApiProperty({ enum: AUDIT_EXPORT_FORMATS })
  @IsIn(AUDIT_EXPORT_FORMATS, { message: `format must be ${AUDIT_EXPORT_FORMATS.join(', ')}` })
  format!: AuditExportFormat;
}

/** A filter of entries; null means all. */
export interface AuditFilter extends DayRange {
  readonly actions: readonly AuditAction[] | null;
  readonly actor: string | null;
  readonly search: string | null;
}

/** Converts the query to a filter. Null if nothing is filtered, which includes hidden entries. */
export function toAuditFilter({ action, actor, from, to, search }: AuditFilterQuery): AuditFilter | null {
  if ([action, actor, from, to, search].every((value) => value === undefined)) return null;
  return {
    actions: action ?? null,
    actor: actor ?? null,
    from: from ?? null,
    to: to ?? null,
    search: search ?? null,
  };
}

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

/** The last entry of the log. Store it to prove later that no entry was removed. */
export class AuditHeadDto {
  /** The number of entries, also of those that are hidden from you. */
  @ApiProperty({ type: 'integer', minimum: 0 })
  sequence!: number;

  /** The hash of the last entry. 64 zeros if there is none. */
  @ApiProperty(DIGEST)
  hash!: string;
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

  /** Newest first. With a filter, entries that do not match or are hidden are left out. `sequence` shows the gaps. */
  @ApiProperty({
    type: 'array',
    items: { oneOf: [{ $ref: getSchemaPath(AuditEntryDto) }, { $ref: getSchemaPath(HiddenAuditEntryDto) }] },
  })
  entries!: readonly (AuditEntryDto | HiddenAuditEntryDto)[];

  /** Present only with `page` or `pageSize`. */
  @ApiPropertyOptional()
  pagination?: PageInfo;
}
