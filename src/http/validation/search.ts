import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, Matches } from 'class-validator';

const LONGEST = 200;
/** Counted as people count, so that an emoji is one. */
const SEARCH = new RegExp(`^.{1,${LONGEST}}$`, 'su');

/** The parameter by which a list is searched: a text that is looked for as it stands, whatever its case. */
export const IsSearch = (description: string): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({ description, type: String, minLength: 1, maxLength: LONGEST, example: 'payments' }),
    IsOptional(),
    Matches(SEARCH, { message: `search must have 1 to ${LONGEST} characters` }),
  );
