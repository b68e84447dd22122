import { type DynamicModule, Module } from '@nestjs/common';
import type { Logger } from 'pino';
import { LOGGER } from './logger.js';
import { Metrics } from './metrics.js';
import { OutageWatch } from './outage-watch.js';
import { Readiness } from './readiness.js';

/** Readiness, outages, metrics and the log, to which every part may add its checks, numbers and lines. */
@Module({})
export class ObservabilityModule {
  static of(log: Logger): DynamicModule {
    return {
      module: ObservabilityModule,
      global: true,
      providers: [{ provide: LOGGER, useValue: log }, Metrics, OutageWatch, Readiness],
      exports: [LOGGER, Metrics, OutageWatch, Readiness],
    };
  }
}
