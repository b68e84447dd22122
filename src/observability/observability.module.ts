import { type DynamicModule, Module } from '@nestjs/common';
import type { Logger } from 'pino';
import { LOGGER } from './logger.js';
import { Metrics } from './metrics.js';
import { OutageWatch } from './outage-watch.js';
import { Readiness } from './readiness.js';

/** Provides readiness, outage watch, metrics and the log. Every module may add its own checks and metrics. */
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
