import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { Counter } from 'prom-client';
import { toErrorResponse } from '../../http/errors/error.filter.js';
import { Metrics } from '../../observability/metrics.js';
import { traced } from '../../observability/tracing.js';

const CREATED = 201;

/** Counts the artifacts that CI states by their outcome, and traces them. */
@Injectable()
export class ArtifactStatementsMetrics {
  private readonly statements: Counter<'outcome'>;

  constructor(metrics: Metrics) {
    this.statements = metrics.counter({
      name: 'shipgate_artifact_statements_total',
      help: 'Artifacts that CI stated by the outcome.',
      labels: ['outcome'],
    });
  }

  async observe<T>(reply: FastifyReply, receive: () => Promise<T>): Promise<T> {
    return traced({ name: 'receive artifact', kind: 'server' }, async () => {
      try {
        const receipt = await receive();
        this.statements.inc({ outcome: reply.statusCode === CREATED ? 'stored' : 'repeated' });
        return receipt;
      } catch (error) {
        this.statements.inc({ outcome: toErrorResponse(error).status < 500 ? 'rejected' : 'failed' });
        throw error;
      }
    });
  }
}
