import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayNotEmpty, IsArray, IsIn, IsOptional, IsString, Matches } from 'class-validator';
import { KEY_SCOPES, type KeyScope } from '../../domain/keys/key-scope.js';
import { IsDateTime } from '../../http/validation/field.decorators.js';

export const MAX_KEY_NAME_LENGTH = 100;
/** More than there are scopes, because a request may name one twice. */
const MAX_SCOPES = 10;
const REPOSITORY = /^([\w.-]{1,100}\/)?[\w.-]{1,100}$/;

/** The API key to create. */
export class CreateApiKeyDto {
  /** A name for users, such as the CI system that uses the key. */
  @ApiProperty({ example: 'Jenkins', minLength: 1, maxLength: MAX_KEY_NAME_LENGTH })
  @IsString()
  name!: string;

  @ApiProperty({ enum: KEY_SCOPES, isArray: true, minItems: 1, maxItems: MAX_SCOPES, example: ['evidence:write'] })
  @IsArray()
  @ArrayNotEmpty()
  @ArrayMaxSize(MAX_SCOPES)
  @IsIn(KEY_SCOPES, { each: true })
  scopes!: KeyScope[];

  /**
   * Limits the key to these repositories, each as `name`, `owner/name` or its Shipgate id. If absent, the key can access every
   * repository of the workspace, now and later, including private ones that you cannot read.
   */
  @ApiPropertyOptional({
    type: 'array',
    items: { type: 'string', maxLength: 201, pattern: REPOSITORY.source },
    minItems: 1,
    maxItems: 500,
    example: ['payments'],
  })
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(500)
  @Matches(REPOSITORY, { each: true, message: 'each of repos must be a repository, as name, owner/name or its id' })
  repos?: string[] | null;

  /** When the key expires, with an offset from UTC. If absent, it does not expire. */
  @ApiPropertyOptional({ type: String, format: 'date-time', example: '2099-01-01T00:00:00Z' })
  @IsOptional()
  @IsDateTime('expiresAt')
  expiresAt?: string | null;
}

/** An API key of the workspace, without its secret. */
export class ApiKeyDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty({ example: 'Jenkins' })
  name!: string;

  /** The first characters of the secret, to recognize the key. */
  @ApiProperty({ example: 'sgk_4fZq0B' })
  prefix!: string;

  @ApiProperty({ enum: KEY_SCOPES, isArray: true })
  scopes!: readonly KeyScope[];

  /**
   * The names of the repositories that the key is limited to, without those that you cannot read; absent if it can access every
   * repository of the workspace.
   */
  @ApiPropertyOptional({ type: [String], example: ['payments'] })
  repos?: readonly string[];

  /** The login of the admin who created it, at that time; `command line` if the operator of the service did. */
  @ApiProperty({ example: 'ada' })
  createdBy!: string;

  @ApiProperty({ type: String, format: 'date-time' })
  createdAt!: Date;

  /** Null if the key does not expire. An expired key is listed until it is revoked. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  expiresAt!: Date | null;

  /** To the minute; null if the key was never used. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  lastUsedAt!: Date | null;
}

/** A new API key with its secret. */
export class NewApiKeyDto extends ApiKeyDto {
  /** The secret. No later response contains it. */
  @ApiProperty({ example: 'sgk_4fZq0BxJ9v…' })
  key!: string;
}

export class ApiKeysDto {
  /** The keys, newest first. */
  @ApiProperty({ type: [ApiKeyDto] })
  keys!: readonly ApiKeyDto[];
}

/** The credential of a CI system, without its secret. */
export class CredentialDto {
  @ApiProperty({ enum: ['api_key', 'identity_token'] })
  kind!: 'api_key' | 'identity_token';

  /** An identity token has all of them. Runs of some events may not upload, though. */
  @ApiProperty({ enum: KEY_SCOPES, isArray: true })
  scopes!: readonly KeyScope[];

  /** The repositories that the credential can access; null if these are all repositories of the workspace. */
  @ApiProperty({ type: [String], nullable: true, example: ['acme/payments'] })
  repos!: readonly string[] | null;

  /** Null if it does not expire, and for an identity token, which names its own end. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  expiresAt!: Date | null;
}
