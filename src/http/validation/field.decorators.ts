import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsISO8601, IsOptional, Matches } from 'class-validator';

/** Matches a time with an offset (RFC 3339, § 5.6). Without an offset the moment is ambiguous. */
const TIME_WITH_OFFSET = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/;

/** Validates a timestamp: a valid day, a time of day and an offset from UTC. */
export const IsDateTime = (name: string): PropertyDecorator =>
  applyDecorators(
    IsISO8601({ strict: true }),
    Matches(TIME_WITH_OFFSET, { message: `${name} must have a time of day and an offset from UTC` }),
  );

const MAX_TOKEN_LENGTH = 255;
/** Matches any possible token. Old tokens have no prefix and new ones may have another, so only GitHub can check it. */
const TOKEN = new RegExp(`^[\\x21-\\x7e]{1,${MAX_TOKEN_LENGTH}}$`);

/** Validates an optional personal access token of a user, for actions that the app is not allowed to do itself. */
export const IsPersonalAccessToken = (): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({
      type: String,
      nullable: true,
      minLength: 1,
      maxLength: MAX_TOKEN_LENGTH,
      pattern: '^[\\x21-\\x7e]+$',
      example: 'a-personal-access-token',
    }),
    IsOptional(),
    Matches(TOKEN, { message: 'pat must be a personal access token' }),
  );

const MAX_SEARCH_LENGTH = 200;
/** Counts code points, so that an emoji is one character. */
const SEARCH = new RegExp(`^.{1,${MAX_SEARCH_LENGTH}}$`, 'su');

/** Validates a search term: literal text, any case. */
export const IsSearchTerm = (description: string): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({ description, type: String, minLength: 1, maxLength: MAX_SEARCH_LENGTH, example: 'payments' }),
    IsOptional(),
    Matches(SEARCH, { message: `search must have 1 to ${MAX_SEARCH_LENGTH} characters` }),
  );

/** Matches a name on one line, counted in Unicode characters, so that an emoji counts as one. */
export const LABEL_PATTERN = /^[^\p{Cc}\p{Cs}]{1,100}$/u;
