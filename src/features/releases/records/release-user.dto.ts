import { ApiProperty } from '@nestjs/swagger';

/** A user whom a release names: a reviewer, or a user who can meet a condition. */
export class ReleaseUserDto {
  @ApiProperty({ example: 'ada' })
  login!: string;

  /** Null if it is not known, for example because the user never signed in to Shipgate. */
  @ApiProperty({
    type: String,
    format: 'uri',
    nullable: true,
    example: 'https://avatars.githubusercontent.com/u/583231?v=4',
  })
  avatarUrl!: string | null;
}
