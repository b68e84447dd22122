import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsISO8601, IsOptional, Matches } from 'class-validator';

/** RFC 3339, § 5.6: a time without an offset would mean another moment in another place. */
const TIME_WITH_OFFSET = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/;

/** A member of a body that is a moment: a day that exists, a time of day and an offset from UTC. */
export const IsDateTime = (name: string): PropertyDecorator =>
  applyDecorators(
    IsISO8601({ strict: true }),
    Matches(TIME_WITH_OFFSET, { message: `${name} must have a time of day and an offset from UTC` }),
  );

const LONGEST_TOKEN = 255;
/** Old tokens have no prefix, and those to come may have another one: the code host says which is right. */
const TOKEN = new RegExp(`^[\\x21-\\x7e]{1,${LONGEST_TOKEN}}$`);

/** The field in which a person hands over a token of theirs, where the app itself may not do something. */
export const IsPersonalAccessToken = (): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({
      type: String,
      nullable: true,
      minLength: 1,
      maxLength: LONGEST_TOKEN,
      pattern: '^[\\x21-\\x7e]+$',
      example: 'a-personal-access-token',
    }),
    IsOptional(),
    Matches(TOKEN, { message: 'pat must be a personal access token' }),
  );

const LONGEST_SEARCH = 200;
/** Counted as people count, so that an emoji is one. */
const SEARCH = new RegExp(`^.{1,${LONGEST_SEARCH}}$`, 'su');

/** The parameter by which a list is searched: a text that is looked for as it stands, whatever its case. */
export const IsSearchTerm = (description: string): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({ description, type: String, minLength: 1, maxLength: LONGEST_SEARCH, example: 'payments' }),
    IsOptional(),
    Matches(SEARCH, { message: `search must have 1 to ${LONGEST_SEARCH} characters` }),
  );
