import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { Metrics } from '../../observability/metrics.js';
import { GIVEN_UP } from '../job-table.js';

/** Publishes how many jobs are due and how many failed in every attempt. */
@Injectable()
export class QueueMetrics {
  constructor(database: Database, metrics: Metrics) {
    const count = async (which: string): Promise<number> => {
      const { rows } = await database.pool.query<{ readonly jobs: string }>(
        `select count(*) as jobs from graphile_worker.jobs where ${which}`,
      );
      return Number(rows[0]?.jobs);
    };
    metrics.gauge('shipgate_jobs_due', 'Jobs that wait to be done now.', () =>
      count('locked_at is null and run_at <= now() and attempts < max_attempts'),
    );
    metrics.gauge(
      'shipgate_jobs_given_up',
      'Jobs that failed too often to be tried again, and that no later job replaced.',
      () => count(GIVEN_UP),
    );
  }
}
