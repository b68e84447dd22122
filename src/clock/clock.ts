import { Injectable } from '@nestjs/common';

/** The time, as everything but the database asks for it; a test puts its own in its place. */
@Injectable()
export class Clock {
  now(): Date {
    return new Date();
  }
}
