import { Injectable } from '@nestjs/common';
import type { Counter } from 'prom-client';
import { toErrorResponse } from '../../../http/errors/error.filter.js';
import { Metrics } from '../../../observability/metrics.js';

/** Counts statements about running artifacts by their outcome. */
@Injectable()
export class RunningMetrics {
  private readonly statements: Counter<'outcome'>;

  constructor(metrics: Metrics) {
    this.statements = metrics.counter({
      name: 'shipgate_running_statements_total',
      help: 'Statements about running artifacts by their outcome.',
      labels: ['outcome'],
    });
  }

  async observe(receive: () => Promise<boolean>): Promise<void> {
    try {
      this.statements.inc({ outcome: (await receive()) ? 'changed' : 'repeated' });
    } catch (error) {
      this.statements.inc({ outcome: toErrorResponse(error).status < 500 ? 'rejected' : 'failed' });
      throw error;
    }
  }
}
