import { type DynamicModule, Global, Module } from '@nestjs/common';
import { Clock } from '../config/clock.js';
import { EncryptionService } from '../crypto/encryption.service.js';
import { Database } from '../database/database.js';
import { WorkbookThreadConfig } from '../export/xlsx/workbook-thread.service.js';
import { ParserThreadConfig } from '../features/evidence/parsing/parser-thread.js';
import { EvidencePullDelay } from '../features/releases/evaluation/release-evaluation.service.js';
import { JsonListStream } from '../http/pagination/json-list.stream.js';

/** The modules that every feature uses. */
export interface CoreProviders {
  readonly database: Database;
  readonly clock?: Clock;
  readonly gathering?: EvidencePullDelay;
  readonly threads?: ParserThreadConfig;
}

@Global()
@Module({})
export class CoreModule {
  static of(core: CoreProviders): DynamicModule {
    const {
      database,
      clock = new Clock(),
      gathering = new EvidencePullDelay(),
      threads = new ParserThreadConfig(),
    } = core;
    return {
      module: CoreModule,
      providers: [
        { provide: Database, useValue: database },
        { provide: Clock, useValue: clock },
        { provide: EvidencePullDelay, useValue: gathering },
        { provide: ParserThreadConfig, useValue: threads },
        { provide: WorkbookThreadConfig, useValue: new WorkbookThreadConfig(threads.execArgv) },
        EncryptionService,
        JsonListStream,
      ],
      exports: [
        Database,
        Clock,
        EncryptionService,
        EvidencePullDelay,
        JsonListStream,
        ParserThreadConfig,
        WorkbookThreadConfig,
      ],
    };
  }
}
