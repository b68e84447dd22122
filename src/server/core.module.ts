import { type DynamicModule, Global, Module } from '@nestjs/common';
import { Clock } from '../config/clock.js';
import { Database } from '../database/database.js';
import { ThreadSource } from '../features/evidence/parsing/report-parser.service.js';
import { Gathering } from '../features/releases/evaluation/release-evaluation.service.js';
import { JsonListStream } from '../http/pagination/json-list.stream.js';

/** What every feature stands on. */
export interface Ground {
  readonly database: Database;
  readonly clock?: Clock;
  readonly gathering?: Gathering;
  readonly threads?: ThreadSource;
}

@Global()
@Module({})
export class GroundModule {
  static of(ground: Ground): DynamicModule {
    const { database, clock = new Clock(), gathering = new Gathering(), threads = new ThreadSource() } = ground;
    return {
      module: GroundModule,
      providers: [
        { provide: Database, useValue: database },
        { provide: Clock, useValue: clock },
        { provide: Gathering, useValue: gathering },
        { provide: ThreadSource, useValue: threads },
        JsonListStream,
      ],
      exports: [Database, Clock, Gathering, JsonListStream, ThreadSource],
    };
  }
}
