import { ApiProperty, ApiPropertyOptional, OmitType } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsString, Matches, MaxLength, ValidateIf } from 'class-validator';
import type { MemberRole } from '../../auth/user.js';
import { UserDto } from '../accounts/sign-in/sign-in.dto.js';

const ROLES: readonly MemberRole[] = ['member', 'admin'];
/** A GitHub login. Logins of managed users have an underscore. */
const LOGIN = /^[a-z\d](?:[a-z\d_-]{0,98}[a-z\d])?$/i;

/** The invite to create. */
export class CreateInviteDto {
  /** The GitHub login of the only user who can accept the invite. If absent, any user with the link can accept it. */
  @ApiPropertyOptional({ maxLength: 100, pattern: '^[A-Za-z\\d](?:[\\w-]{0,98}[A-Za-z\\d])?$', example: 'grace' })
  // Not `@IsOptional()`: null, for example from an empty field, must not become an invite for any user.
  @ValidateIf(({ login }: CreateInviteDto) => login !== undefined)
  @IsString()
  @Matches(LOGIN, { message: 'login must be a login of GitHub, without an @' })
  login?: string;

  /** The role that the user gets. */
  @ApiProperty({ enum: ROLES, example: 'member' })
  @IsIn(ROLES)
  role!: MemberRole;

  /** Whether the user may read the audit log at once, whatever the role. */
  @ApiPropertyOptional({ type: Boolean, default: false })
  @ValidateIf(({ auditor }: CreateInviteDto) => auditor !== undefined)
  @IsBoolean()
  auditor?: boolean;
}

/** The invite to accept. */
export class AcceptInviteDto {
  /** The part of the link after `#`: `sgi_…`. */
  @ApiProperty({ example: 'sgi_C45KHH1SQ26aO1wdLj9KWwAAAZ2sQpsA.x7fZ0Xv1dM0Q2nqk3hS9pJ8rV5tYb6LwEaUcGiKoMsY' })
  @IsString()
  @MaxLength(200)
  token!: string;
}

/** The new role of a member. */
export class ChangeRoleDto {
  @ApiProperty({ enum: ROLES, example: 'admin' })
  @IsIn(ROLES)
  role!: MemberRole;
}

export class CreatedInviteDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  /** The link for the user. No later response contains it. */
  @ApiProperty({
    format: 'uri',
    example:
      'https://shipgate.example/invite#sgi_C45KHH1SQ26aO1wdLj9KWwAAAZ2sQpsA.x7fZ0Xv1dM0Q2nqk3hS9pJ8rV5tYb6LwEaUcGiKoMsY',
  })
  url!: string;

  /** The token of the link. */
  @ApiProperty({ example: 'sgi_C45KHH1SQ26aO1wdLj9KWwAAAZ2sQpsA.x7fZ0Xv1dM0Q2nqk3hS9pJ8rV5tYb6LwEaUcGiKoMsY' })
  token!: string;

  /** 7 days after the creation. */
  @ApiProperty({ type: 'string', format: 'date-time' })
  expiresAt!: Date;
}

export class MemberDto extends OmitType(UserDto, ['id']) {
  /** The numeric id on GitHub. */
  @ApiProperty({ type: 'integer', example: 583231 })
  userId!: number;

  @ApiProperty({ enum: ROLES })
  role!: string;

  @ApiProperty({ type: 'string', format: 'date-time' })
  joinedAt!: Date;

  /** Whether an admin lets the member read the audit log. An admin reads it in any case. */
  @ApiProperty({ example: false })
  auditor!: boolean;
}

export class PendingInviteDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  /** The login of the only user who can accept it, at the time of the invite; null for any user with the link. */
  @ApiProperty({ type: 'string', nullable: true, example: 'grace' })
  login!: string | null;

  @ApiProperty({ enum: ROLES })
  role!: string;

  /** Whether the user becomes an auditor, too. */
  @ApiProperty({ example: false })
  auditor!: boolean;

  @ApiProperty({ type: 'string', format: 'date-time' })
  expiresAt!: Date;

  /** The login of the admin who created it. */
  @ApiProperty({ example: 'ada' })
  createdBy!: string;
}

export class TeamDto {
  /** The members, by login. */
  @ApiProperty({ type: [MemberDto] })
  members!: readonly MemberDto[];

  /** The invites that can be accepted now, newest first. */
  @ApiProperty({ type: [PendingInviteDto] })
  invites!: readonly PendingInviteDto[];
}

export class WorkspaceMembershipDto {
  /** The login of its organization. */
  @ApiProperty({ example: 'acme' })
  org!: string;

  @ApiProperty({ enum: ROLES })
  role!: string;
}

/** What an invite offers. */
export class InvitePreviewDto extends WorkspaceMembershipDto {
  /** Whether the user becomes an auditor, too. */
  @ApiProperty({ example: false })
  auditor!: boolean;
}

export class AcceptedInviteDto {
  /** The workspace that is selected in the session. */
  @ApiProperty({ type: WorkspaceMembershipDto })
  workspace!: WorkspaceMembershipDto;
}
