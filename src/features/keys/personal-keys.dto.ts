import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsString } from 'class-validator';
import { PERSONAL_KEY_SCOPES, type PersonalKeyScope } from '../../domain/keys/key-scope.js';
import { MAX_KEY_NAME_LENGTH } from './api-keys.dto.js';

/** The personal key to create. */
export class CreatePersonalKeyDto {
  /** A name for the key, such as the tool that uses it. */
  @ApiProperty({ example: 'editor on my laptop', minLength: 1, maxLength: MAX_KEY_NAME_LENGTH })
  @IsString()
  name!: string;

  /** `read`: the tools can read what you can read. `write`: they can also change what you can change. */
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

  /** The first characters of the secret, to recognize the key. */
  @ApiProperty({ example: 'sgp_4fZq0B' })
  prefix!: string;

  @ApiProperty({ enum: PERSONAL_KEY_SCOPES })
  scope!: PersonalKeyScope;

  @ApiProperty({ type: String, format: 'date-time' })
  createdAt!: Date;

  /** 30 days after its creation. An expired key is listed until it is revoked. */
  @ApiProperty({ type: String, format: 'date-time' })
  expiresAt!: Date;

  /** To the minute; null if the key was never used. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  lastUsedAt!: Date | null;
}

/** A new personal key with its secret. */
export class NewPersonalKeyDto extends PersonalKeyDto {
  /** The secret. No later response contains it. */
  @ApiProperty({ example: 'sgp_4fZq0BxJ9v…' })
  key!: string;
}

export class PersonalKeysDto {
  /** The keys, newest first. */
  @ApiProperty({ type: [PersonalKeyDto] })
  keys!: readonly PersonalKeyDto[];
}
