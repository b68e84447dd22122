import { Injectable } from '@nestjs/common';
import type { Counter } from 'prom-client';
import { isConditionCode } from '../../../domain/facts/condition-catalogue.js';
import { toErrorResponse } from '../../../http/errors/error.filter.js';
import { Metrics } from '../../../observability/metrics.js';
import { traced } from '../../../observability/tracing.js';
import type { GateAnswer } from './gate.service.js';

/** Counts the answers of the gate to CI runs, by the first reason why it is closed, and traces them. */
@Injectable()
export class GateMetrics {
  private readonly answers: Counter<'answer' | 'reason'>;

  constructor(metrics: Metrics) {
    this.answers = metrics.counter({
      name: 'shipgate_gate_answers_total',
      help: 'Answers of the gate by the first condition that keeps it closed, or the status of an error.',
      labels: ['answer', 'reason'],
    });
    metrics.startAtZero('GET', '/api/milestones/check', [500, 503]);
  }

  async observe(check: () => Promise<GateAnswer>): Promise<GateAnswer> {
    return traced({ name: 'check gate', kind: 'server' }, async (describe) => {
      try {
        const found = await check();
        const { gate, canDeploy, reason } = found;
        this.answers.inc(canDeploy ? OPEN : { answer: 'closed', reason: toLabel(reason) });
        describe({ open: canDeploy, stage: gate.stage, reason: reason ?? '' });
        return found;
      } catch (error) {
        this.answers.inc({ answer: 'error', reason: String(toErrorResponse(error).status) });
        throw error;
      }
    });
  }
}

const OPEN = { answer: 'open', reason: 'none' } as const;

/** A gate that only time has closed waits for the next evaluation, or for the end of a freeze. */
const toLabel = (reason: string | null): string => {
  if (reason === null) return 'time';
  return isConditionCode(reason) ? reason : 'other';
};
