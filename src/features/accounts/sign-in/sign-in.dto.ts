import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString, Length } from 'class-validator';

/** Where to go once signed in. */
export class LoginQuery {
  /** A path of this service, at most 2000 characters; its front page where absent. */
  @ApiPropertyOptional({ maxLength: 2000, example: '/releases?outcome=blocked' })
  @IsOptional()
  @IsString()
  returnTo?: string;
}

/** The workspace to work in from now on. */
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
}

/** Who is signed in, and where. */
export class CurrentUserDto {
  @ApiProperty({ type: UserDto })
  user!: UserDto;

  /** Null where none is selected. */
  @ApiProperty({ type: SelectedWorkspaceDto, nullable: true })
  workspace!: SelectedWorkspaceDto | null;

  /** Whether the person approves upgrades, across workspaces. */
  @ApiProperty()
  platformAdmin!: boolean;

  /** Only where it is so: organizations are being read, and the person may be in a workspace within seconds. */
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

  /** Whether it is the one that the session works in. */
  @ApiProperty()
  selected!: boolean;
}

/** What there is to select. */
export class WorkspaceList {
  @ApiProperty({ type: [WorkspaceDto] })
  workspaces!: WorkspaceDto[];

  /** Only where it is so: organizations are being read, and the person may be in a workspace within seconds. */
  @ApiPropertyOptional({ enum: [true] })
  reading?: boolean;
}
