import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString, Length } from 'class-validator';

/** The path to open after the sign-in. */
export class LoginQuery {
  /** A path of this service, at most 2000 characters. Default: the start page. */
  @ApiPropertyOptional({ maxLength: 2000, example: '/releases?outcome=blocked' })
  @IsOptional()
  @IsString()
  returnTo?: string;
}

/** The workspace to select. */
export class SelectWorkspaceDto {
  /** The login of its organization, in any case. */
  @ApiProperty({ example: 'acme' })
  @IsString()
  @Length(1, 100)
  org!: string;
}

export class UserDto {
  /** The numeric id on GitHub. */
  @ApiProperty({ type: 'integer', example: 583231 })
  id!: number;

  @ApiProperty({ example: 'ada' })
  login!: string;

  @ApiProperty({ type: 'string', nullable: true, example: 'Ada Lovelace' })
  name!: string | null;

  @ApiProperty({ format: 'uri', example: 'https://avatars.githubusercontent.com/u/583231?v=4' })
  avatarUrl!: string;
}

export class SelectedWorkspaceDto {
  /** The login of its organization. */
  @ApiProperty({ example: 'acme' })
  org!: string;

  @ApiProperty({ enum: ['admin', 'member'] })
  role!: string;

  /** Whether an admin lets the user read the audit log. An admin reads it in any case. */
  @ApiProperty({ example: false })
  auditor!: boolean;

  /** The id of the latest event in the workspace, for `after` of the event stream. All that is read later includes its change. */
  @ApiProperty({ pattern: '^\\d+$', example: '1203' })
  lastEventId!: string;
}

/** The signed-in user, with the selected workspace. */
export class CurrentUserDto {
  @ApiProperty({ type: UserDto })
  user!: UserDto;

  /** Null if none is selected. */
  @ApiProperty({ type: SelectedWorkspaceDto, nullable: true })
  workspace!: SelectedWorkspaceDto | null;

  /** Whether the user decides upgrade requests of all workspaces. */
  @ApiProperty()
  platformAdmin!: boolean;

  /** Present only while new organizations are read. The user may become a member of a workspace within seconds. */
  @ApiPropertyOptional({ enum: [true] })
  reading?: boolean;
}

export class WorkspaceDto {
  /** The login of its organization. */
  @ApiProperty({ example: 'acme' })
  org!: string;

  @ApiProperty({ enum: ['admin', 'member'] })
  role!: string;

  /** Whether the app is installed there and not suspended. */
  @ApiProperty()
  installed!: boolean;

  /** Whether the session has selected it. */
  @ApiProperty()
  selected!: boolean;
}

/** The workspaces that the user can select. */
export class WorkspaceList {
  @ApiProperty({ type: [WorkspaceDto] })
  workspaces!: WorkspaceDto[];

  /**
   * Whether new organizations are read, so that the user may become a member of a workspace within seconds. If it is false and the
   * list is empty, the user is a member of no workspace.
   */
  @ApiProperty({ example: false })
  discovering!: boolean;

  /** Present only while `discovering` is true. */
  @ApiPropertyOptional({ enum: [true] })
  reading?: boolean;
}
