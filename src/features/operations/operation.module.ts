import { Module } from '@nestjs/common';
import { HealthController } from './health.controller.js';
import { MetricsController } from './metrics.controller.js';

/** What supervisors, load balancers and Prometheus ask. Expects the app to provide environment, metrics and readiness. */
@Module({ controllers: [HealthController, MetricsController] })
export class OperationModule {}
