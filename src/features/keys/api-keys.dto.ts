import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayNotEmpty, IsArray, IsIn, IsOptional, IsString, Matches } from 'class-validator';
import { KEY_SCOPES, type KeyScope } from '../../domain/keys/key-scope.js';
import { IsDateTime } from '../../http/validation/field.decorators.js';
import { MAX_KEY_NAME_LENGTH } from './api-keys.service.js';

/** More than there are kinds of rights, so that naming one twice does no harm. */
const MAX_SCOPES = 10;
const REPOSITORY = /^([\w.-]{1,100}\/)?[\w.-]{1,100}$/;

/** What a new API key is to be. */
export class CreateApiKeyDto {
  /** What people call it, such as the CI system that will hold it. */
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
   * Confines the key to some repositories, each as `name`, `owner/name` or its id here. Left out, the key reaches every
   * repository of the workspace, now and later, also private ones that you may not read yourself.
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

  /** When it ends, with an offset from UTC; left out, it does not. */
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

  /** How its secret begins, so that the key can be told from others. */
  @ApiProperty({ example: 'sgk_4fZq0B' })
  prefix!: string;

  @ApiProperty({ enum: KEY_SCOPES, isArray: true })
  scopes!: readonly KeyScope[];

  /**
   * Names of the repositories that it is confined to, but for those that are hidden from you; absent where it has every
   * repository of the workspace.
   */
  @ApiPropertyOptional({ type: [String], example: ['payments'] })
  repos?: readonly string[];

  @ApiProperty({ type: String, format: 'date-time' })
  createdAt!: Date;

  /** Null where it does not end. An expired key is listed until it is revoked. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  expiresAt!: Date | null;

  /** Null where it was never used; kept to the minute. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  lastUsedAt!: Date | null;
}

/** A new API key. */
export class NewApiKeyDto extends ApiKeyDto {
  /** The secret: shown now and never again. */
  @ApiProperty({ example: 'sgk_4fZq0BxJ9v…' })
  key!: string;
}

export class ApiKeysDto {
  /** The newest first. */
  @ApiProperty({ type: [ApiKeyDto] })
  keys!: readonly ApiKeyDto[];
}
