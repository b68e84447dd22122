import { Injectable } from '@nestjs/common';
import type { Counter } from 'prom-client';
import type { ReportedStatus } from '../../../domain/history/reported-deployment.js';
import { toErrorResponse } from '../../../http/errors/error.filter.js';
import { Metrics } from '../../../observability/metrics.js';
import { traced } from '../../../observability/tracing.js';

/** Counts reports of deployments by their outcome, and traces them. */
@Injectable()
export class DeploymentReportsMetrics {
  private readonly reports: Counter<'status' | 'outcome'>;

  constructor(metrics: Metrics) {
    this.reports = metrics.counter({
      name: 'shipgate_deployment_reports_total',
      help: 'Reports of deployments by their status and outcome.',
      labels: ['status', 'outcome'],
    });
  }

  async observe<T extends { readonly isRepeated: boolean }>(
    status: ReportedStatus,
    report: () => Promise<T>,
  ): Promise<T> {
    return traced({ name: 'receive deployment report', kind: 'server' }, async () => {
      try {
        const answer = await report();
        this.reports.inc({ status, outcome: answer.isRepeated ? 'repeated' : 'stored' });
        return answer;
      } catch (error) {
        this.reports.inc({ status, outcome: toErrorResponse(error).status < 500 ? 'rejected' : 'failed' });
        throw error;
      }
    });
  }
}
