import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, Matches } from 'class-validator';

const LONGEST = 255;
/** Old tokens have no prefix, and those to come may have another one: the code host says which is right. */
const TOKEN = new RegExp(`^[\\x21-\\x7e]{1,${LONGEST}}$`);

/** The field in which a person hands over a token of theirs, where the app itself may not do something. */
export const IsPersonalAccessToken = (): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({
      type: String,
      nullable: true,
      minLength: 1,
      maxLength: LONGEST,
      pattern: '^[\\x21-\\x7e]+$',
      example: 'a-personal-access-token',
    }),
    IsOptional(),
    Matches(TOKEN, { message: 'pat must be a personal access token' }),
  );
