import { type DynamicModule, Module } from '@nestjs/common';
import type { Logger } from 'pino';
import { HealthController } from './health.controller.js';
import { LOGGER } from './logger.js';
import { MetricsController } from './metrics.controller.js';
import { Metrics } from './metrics.js';
import { Readiness } from './readiness.js';

/** Health, metrics and the log, to which every part may add its checks, numbers and lines. */
@Module({})
export class ObservabilityModule {
  static of(log: Logger): DynamicModule {
    return {
      module: ObservabilityModule,
      global: true,
      controllers: [HealthController, MetricsController],
      providers: [{ provide: LOGGER, useValue: log }, Metrics, Readiness],
      exports: [LOGGER, Metrics, Readiness],
    };
  }
}
