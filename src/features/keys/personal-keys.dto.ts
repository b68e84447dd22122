import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsString } from 'class-validator';
import { PERSONAL_KEY_SCOPES, type PersonalKeyScope } from '../../domain/keys/key-scope.js';
import { MAX_KEY_NAME_LENGTH } from './api-keys.service.js';

/** What a new personal key is to be. */
export class CreatePersonalKeyDto {
  /** What you call it, such as the tool that will hold it. */
  @ApiProperty({ example: 'editor on my laptop', minLength: 1, maxLength: MAX_KEY_NAME_LENGTH })
  @IsString()
  name!: string;

  /** `read`: the tools may look at what you may see. `write`: they may also change what you may change with them. */
  @ApiProperty({ enum: PERSONAL_KEY_SCOPES, example: 'read' })
  @IsIn(PERSONAL_KEY_SCOPES)
  scope!: PersonalKeyScope;
}

/** One of your own keys in the workspace, without its secret. */
export class PersonalKeyDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty({ example: 'editor on my laptop' })
  name!: string;

  /** How its secret begins, so that the key can be told from others. */
  @ApiProperty({ example: 'sgp_4fZq0B' })
  prefix!: string;

  @ApiProperty({ enum: PERSONAL_KEY_SCOPES })
  scope!: PersonalKeyScope;

  @ApiProperty({ type: String, format: 'date-time' })
  createdAt!: Date;

  /** 30 days after its creation. An expired key is listed until it is revoked. */
  @ApiProperty({ type: String, format: 'date-time' })
  expiresAt!: Date;

  /** Null where it was never used; kept to the minute. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  lastUsedAt!: Date | null;
}

/** A new personal key. */
export class NewPersonalKeyDto extends PersonalKeyDto {
  /** The secret: shown now and never again. */
  @ApiProperty({ example: 'sgp_4fZq0BxJ9v…' })
  key!: string;
}

export class PersonalKeysDto {
  /** The newest first. */
  @ApiProperty({ type: [PersonalKeyDto] })
  keys!: readonly PersonalKeyDto[];
}
