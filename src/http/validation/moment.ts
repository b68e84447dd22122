import { applyDecorators } from '@nestjs/common';
import { IsISO8601, Matches } from 'class-validator';

/** RFC 3339, § 5.6: a time without an offset would mean another moment in another place. */
const TIME_WITH_OFFSET = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/;

/** A member of a body that is a moment: a day that exists, a time of day and an offset from UTC. */
export const IsMoment = (name: string): PropertyDecorator =>
  applyDecorators(
    IsISO8601({ strict: true }),
    Matches(TIME_WITH_OFFSET, { message: `${name} must have a time of day and an offset from UTC` }),
  );
