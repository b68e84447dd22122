import { type DynamicModule, Global, Module } from '@nestjs/common';
import { Clock } from './clock/clock.js';
import { Database } from './database/database.js';
import { Gathering } from './features/releases/gathering.js';

/** What everything stands on: the database and the time. */
export interface Ground {
  readonly database: Database;
  readonly clock?: Clock;
  readonly gathering?: Gathering;
}

@Global()
@Module({})
export class GroundModule {
  static of({ database, clock = new Clock(), gathering = new Gathering() }: Ground): DynamicModule {
    return {
      module: GroundModule,
      providers: [
        { provide: Database, useValue: database },
        { provide: Clock, useValue: clock },
        { provide: Gathering, useValue: gathering },
      ],
      exports: [Database, Clock, Gathering],
    };
  }
}
