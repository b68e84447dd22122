import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, Length, Matches, MaxLength } from 'class-validator';
import { UPGRADE_REQUEST_STATUSES, type UpgradeRequestStatus } from '../../domain/billing/plan.js';
import { PageInfo, PageQuery } from '../../http/pagination/pagination.dto.js';

/** A request for the pro plan. */
export class CreateUpgradeRequestDto {
  /** A note for the platform admins. */
  @ApiPropertyOptional({ type: String, nullable: true, maxLength: 1_000, example: 'Invoice to purchase order 4711' })
  @IsOptional()
  @IsString()
  @MaxLength(1_000)
  note?: string | null;
}

/** A request for the pro plan, with its status. */
export class UpgradeRequestDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty({ enum: UPGRADE_REQUEST_STATUSES })
  status!: UpgradeRequestStatus;

  @ApiProperty({ type: String, nullable: true, example: 'Invoice to purchase order 4711' })
  note!: string | null;

  /** The login of the admin who created the request. */
  @ApiProperty({ type: String, nullable: true, example: 'ada' })
  requestedBy!: string | null;

  @ApiProperty({ type: String, format: 'date-time' })
  requestedAt!: Date;

  /** When it was approved, rejected or withdrawn; null while it is open. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  decidedAt!: Date | null;

  /** Null unless it was approved. */
  @ApiProperty({ type: String, nullable: true, example: 'INV-2026-0815' })
  paymentReference!: string | null;

  /** Why it was rejected; null unless it was. */
  @ApiProperty({ type: String, nullable: true, example: 'The purchase order is unknown.' })
  reason!: string | null;
}

export class ManagedRepositoriesDto {
  /** The number of managed repositories, including those that you cannot read. */
  @ApiProperty({ type: 'integer', minimum: 0, example: 2 })
  used!: number;

  /** The maximum number; null means no limit. After a downgrade, more repositories than this can be managed. */
  @ApiProperty({ type: 'integer', nullable: true, example: 3 })
  limit!: number | null;
}

export class StorageUseDto {
  /** The bytes of evidence as they are stored. Content that was uploaded twice counts once. */
  @ApiProperty({ type: 'integer', minimum: 0, example: 73_400_320 })
  used!: number;

  /** The maximum number of bytes; null means no limit. Uploads above it are rejected (413). */
  @ApiProperty({ type: 'integer', nullable: true, example: 1_073_741_824 })
  limit!: number | null;
}

/** The plan of the workspace. */
export class BillingDto {
  /** The effective plan. Without billing, every workspace has the limits of `pro`. */
  @ApiProperty({ enum: ['free', 'pro'] })
  plan!: 'free' | 'pro';

  @ApiProperty()
  managedRepositories!: ManagedRepositoriesDto;

  @ApiProperty()
  storage!: StorageUseDto;

  /** The newest request that was not withdrawn. Null if there is none. */
  @ApiProperty({ type: UpgradeRequestDto, nullable: true })
  request!: UpgradeRequestDto | null;
}

const SOMETHING = /\S/;
/** One line with a visible character. */
const LINE = /^\P{Cc}*[^\p{Cc}\s]\P{Cc}*$/u;

/** The filter of the upgrade requests. */
export class UpgradeRequestsQuery extends PageQuery {
  /** Empty or absent: all. */
  @ApiPropertyOptional({ enum: ['', ...UPGRADE_REQUEST_STATUSES], example: 'open' })
  @IsOptional()
  @IsIn(['', ...UPGRADE_REQUEST_STATUSES], {
    message: `status must be ${UPGRADE_REQUEST_STATUSES.join(', ')} or empty`,
  })
  status?: UpgradeRequestStatus | '';
}

/** The approval of a paid request. */
export class ApproveUpgradeRequestDto {
  /** The reference of the payment. */
  @ApiProperty({ minLength: 1, maxLength: 200, example: 'INV-2026-0815' })
  @IsString()
  @Length(1, 200)
  @Matches(LINE, { message: 'paymentReference must be one line of text' })
  paymentReference!: string;
}

/** The reason for the decision. */
export class ReasonBodyDto {
  @ApiProperty({ minLength: 1, maxLength: 1_000, example: 'The purchase order is unknown.' })
  @IsString()
  @MaxLength(1_000)
  @Matches(SOMETHING, { message: 'reason must not be blank' })
  reason!: string;
}

/** A request for the pro plan, with its organization. */
export class PlatformUpgradeRequestDto extends UpgradeRequestDto {
  /** The login of the workspace's organization. */
  @ApiProperty({ example: 'acme' })
  org!: string;
}

/** Requests of all workspaces. */
export class UpgradeRequestListDto {
  /** The newest first. */
  @ApiProperty({ type: [PlatformUpgradeRequestDto] })
  requests!: readonly PlatformUpgradeRequestDto[];

  /** Only with `page` or `pageSize`. */
  @ApiPropertyOptional()
  pagination?: PageInfo;
}

/** The plan that a workspace is on now. */
export class WorkspacePlanDto {
  /** The login of its organization. */
  @ApiProperty({ example: 'acme' })
  org!: string;

  @ApiProperty({ enum: ['free', 'pro'] })
  plan!: 'free' | 'pro';
}

/** The filter of the workspaces. */
export class WorkspacesQuery extends PageQuery {
  /** A part of the login of the organization, in any case. */
  @ApiPropertyOptional({ maxLength: 200, example: 'acme' })
  @IsOptional()
  @IsString()
  @MaxLength(200)
  search?: string;
}

/** The plan of a workspace, and how much of its limits it uses. */
export class WorkspaceUsageDto extends WorkspacePlanDto {
  @ApiProperty()
  managedRepositories!: ManagedRepositoriesDto;

  @ApiProperty()
  storage!: StorageUseDto;
}

/** The usage of workspaces. */
export class WorkspaceUsageListDto {
  /** Sorted by login. */
  @ApiProperty({ type: [WorkspaceUsageDto] })
  workspaces!: readonly WorkspaceUsageDto[];

  @ApiProperty()
  pagination!: PageInfo;
}
