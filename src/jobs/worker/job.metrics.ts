import { Injectable } from '@nestjs/common';
import type { Histogram } from 'prom-client';
import { Metrics } from '../../observability/metrics.js';
import type { JobName } from '../job.js';
import { JobLeaseLostError } from './job-fence.js';

/** From a job without work to a job that reads a large organization. */
const SECONDS_BUCKETS = [0.005, 0.025, 0.1, 0.5, 1, 5, 15, 60, 300];

/** Measures the attempts of jobs in this process. */
@Injectable()
export class JobMetrics {
  private readonly attempts: Histogram<'job' | 'outcome'>;

  constructor(metrics: Metrics) {
    this.attempts = metrics.histogram(
      {
        name: 'shipgate_job_duration_seconds',
        help: 'Time of one attempt of a job. lost: another worker has the job now. given_up: it was the last attempt.',
        labels: ['job', 'outcome'],
      },
      SECONDS_BUCKETS,
    );
  }

  async measure(job: JobName, isLastAttempt: boolean, attempt: () => Promise<void>): Promise<void> {
    const startedAt = performance.now();
    const observe = (outcome: 'done' | 'failed' | 'given_up' | 'lost'): void =>
      this.attempts.observe({ job, outcome }, (performance.now() - startedAt) / 1_000);
    try {
      await attempt();
      observe('done');
    } catch (error) {
      if (error instanceof JobLeaseLostError) observe('lost');
      else observe(isLastAttempt ? 'given_up' : 'failed');
      throw error;
    }
  }
}
