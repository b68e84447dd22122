import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsString, Matches, MaxLength, ValidateIf } from 'class-validator';
import type { MemberRole } from '../../auth/user.js';

const ROLES: readonly MemberRole[] = ['member', 'admin'];
/** GitHub's logins; those of managed users have an underscore. */
const LOGIN = /^[a-z\d](?:[a-z\d_-]{0,98}[a-z\d])?$/i;

/** Who is invited, and as what. */
export class CreateInviteDto {
  /** The login on GitHub of the only person who may accept; whoever holds the link where absent. */
  @ApiPropertyOptional({ maxLength: 100, pattern: '^[A-Za-z\\d](?:[\\w-]{0,98}[A-Za-z\\d])?$', example: 'grace' })
  // Not `@IsOptional()`: null, as of a field that somebody forgot to fill in, must not become an invite for anybody.
  @ValidateIf(({ login }: CreateInviteDto) => login !== undefined)
  @IsString()
  @Matches(LOGIN, { message: 'login must be a login of GitHub, without an @' })
  login?: string;

  /** What the person becomes. */
  @ApiProperty({ enum: ROLES, example: 'member' })
  @IsIn(ROLES)
  role!: MemberRole;
}

/** An invite as it was handed to somebody. */
export class AcceptInviteDto {
  /** What follows `#` in the link: `sgi_…`. */
  @ApiProperty({ example: 'sgi_C45KHH1SQ26aO1wdLj9KWwAAAZ2sQpsA.x7fZ0Xv1dM0Q2nqk3hS9pJ8rV5tYb6LwEaUcGiKoMsY' })
  @IsString()
  @MaxLength(200)
  token!: string;
}

/** What a member is to be. */
export class ChangeRoleDto {
  @ApiProperty({ enum: ROLES, example: 'admin' })
  @IsIn(ROLES)
  role!: MemberRole;
}

export class CreatedInviteDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  /** The link to give to the person, shown this once. */
  @ApiProperty({
    format: 'uri',
    example:
      'https://shipgate.example/invite#sgi_C45KHH1SQ26aO1wdLj9KWwAAAZ2sQpsA.x7fZ0Xv1dM0Q2nqk3hS9pJ8rV5tYb6LwEaUcGiKoMsY',
  })
  url!: string;

  /** The same without the address of the service. */
  @ApiProperty({ example: 'sgi_C45KHH1SQ26aO1wdLj9KWwAAAZ2sQpsA.x7fZ0Xv1dM0Q2nqk3hS9pJ8rV5tYb6LwEaUcGiKoMsY' })
  token!: string;

  /** 7 days after it was made. */
  @ApiProperty({ type: 'string', format: 'date-time' })
  expiresAt!: Date;
}

export class MemberDto {
  /** The numeric id on GitHub. */
  @ApiProperty({ type: 'integer', example: 583231 })
  userId!: number;

  @ApiProperty({ example: 'ada' })
  login!: string;

  @ApiProperty({ type: 'string', nullable: true, example: 'Ada Lovelace' })
  name!: string | null;

  @ApiProperty({ format: 'uri', example: 'https://avatars.githubusercontent.com/u/583231?v=4' })
  avatarUrl!: string;

  @ApiProperty({ enum: ROLES })
  role!: string;

  @ApiProperty({ type: 'string', format: 'date-time' })
  joinedAt!: Date;
}

export class PendingInviteDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  /** Of the only person who may accept, as it was when the invite was made; null for whoever holds the link. */
  @ApiProperty({ type: 'string', nullable: true, example: 'grace' })
  login!: string | null;

  @ApiProperty({ enum: ROLES })
  role!: string;

  @ApiProperty({ type: 'string', format: 'date-time' })
  expiresAt!: Date;

  /** The login of the admin who made it. */
  @ApiProperty({ example: 'ada' })
  createdBy!: string;
}

export class TeamDto {
  /** By login. */
  @ApiProperty({ type: [MemberDto] })
  members!: MemberDto[];

  /** Those that can be accepted now, the newest first. */
  @ApiProperty({ type: [PendingInviteDto] })
  invites!: PendingInviteDto[];
}

export class WorkspaceMembershipDto {
  /** The login of its organization. */
  @ApiProperty({ example: 'acme' })
  org!: string;

  @ApiProperty({ enum: ROLES })
  role!: string;
}

export class AcceptedInviteDto {
  /** The workspace that the session works in from now on. */
  @ApiProperty({ type: WorkspaceMembershipDto })
  workspace!: WorkspaceMembershipDto;
}
