import { Injectable } from '@nestjs/common';
import type { Counter } from 'prom-client';
import { Metrics } from '../../observability/metrics.js';
import type { StatementDto } from './statements.dto.js';

/** Counts the signed statements by their result. */
@Injectable()
export class StatementsMetrics {
  private readonly statements: Counter<'result'>;

  constructor(metrics: Metrics) {
    this.statements = metrics.counter({
      name: 'shipgate_statements_total',
      help: 'Signed statements about the gate by their result.',
      labels: ['result'],
    });
  }

  count({ payload }: StatementDto): void {
    const { predicate } = JSON.parse(Buffer.from(payload, 'base64').toString('utf8')) as {
      readonly predicate: { readonly verificationResult: 'PASSED' | 'FAILED' };
    };
    this.statements.inc({ result: predicate.verificationResult.toLowerCase() });
  }
}
