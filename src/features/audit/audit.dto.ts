import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { PageInfo } from '../../http/pagination/page-info.js';
import { AUDIT_ACTIONS, type AuditAction } from './audit-action.js';

/** Who did it. */
@ApiSchema({ name: 'AuditActor' })
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

/** One thing that was done in the workspace. */
@ApiSchema({ name: 'AuditEntry' })
export class AuditEntryDto {
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

  /** SHA-256 over the entry and the one before it, in lower-case hexadecimal digits. */
  @ApiProperty({
    pattern: '^[0-9a-f]{64}$',
    example: '2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae',
  })
  hash!: string;
}

/** Who did what in the workspace. */
@ApiSchema({ name: 'AuditLog' })
export class AuditLogDto {
  /** The newest first. */
  @ApiProperty({ type: [AuditEntryDto] })
  entries!: readonly AuditEntryDto[];

  /** Only with `page` or `pageSize`. */
  @ApiPropertyOptional()
  pagination?: PageInfo;
}
