import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, Length, Matches, MaxLength } from 'class-validator';
import { UPGRADE_REQUEST_STATUSES, type UpgradeRequestStatus } from '../../domain/billing/upgrade-request.js';
import { PageInfo } from '../../http/pagination/page-info.js';
import { PageQuery } from '../../http/pagination/page-query.js';
import { UpgradeRequestDto } from './billing.dto.js';

const SOMETHING = /\S/;
/** One line, and something in it. */
const LINE = /^\P{Cc}*[^\p{Cc}\s]\P{Cc}*$/u;

/** Which requests are asked for. */
export class UpgradeRequestsQuery extends PageQuery {
  /** Empty or absent: all. */
  @ApiPropertyOptional({ enum: ['', ...UPGRADE_REQUEST_STATUSES], example: 'open' })
  @IsOptional()
  @IsIn(['', ...UPGRADE_REQUEST_STATUSES], {
    message: `status must be ${UPGRADE_REQUEST_STATUSES.join(', ')} or empty`,
  })
  status?: UpgradeRequestStatus | '';
}

/** That a request was paid for. */
export class Approval {
  /** By what the payment is found. */
  @ApiProperty({ minLength: 1, maxLength: 200, example: 'INV-2026-0815' })
  @IsString()
  @Length(1, 200)
  @Matches(LINE, { message: 'paymentReference must be one line of text' })
  paymentReference!: string;
}

/** Why it is done. */
export class Reason {
  @ApiProperty({ minLength: 1, maxLength: 1_000, example: 'The purchase order is unknown.' })
  @IsString()
  @MaxLength(1_000)
  @Matches(SOMETHING, { message: 'reason must say something' })
  reason!: string;
}

/** A request for the pro plan, and whose it is. */
@ApiSchema({ name: 'PlatformUpgradeRequest' })
export class PlatformUpgradeRequestDto extends UpgradeRequestDto {
  /** The login of the workspace's organization. */
  @ApiProperty({ example: 'acme' })
  org!: string;
}

/** Requests of all workspaces. */
@ApiSchema({ name: 'UpgradeRequestList' })
export class UpgradeRequestListDto {
  /** The newest first. */
  @ApiProperty({ type: [PlatformUpgradeRequestDto] })
  requests!: readonly PlatformUpgradeRequestDto[];

  /** Only with `page` or `pageSize`. */
  @ApiPropertyOptional()
  pagination?: PageInfo;
}

/** The plan that a workspace is on now. */
@ApiSchema({ name: 'WorkspacePlan' })
export class WorkspacePlanDto {
  /** The login of its organization. */
  @ApiProperty({ example: 'acme' })
  org!: string;

  @ApiProperty({ enum: ['free', 'pro'] })
  plan!: 'free' | 'pro';
}
