import type { MigrationInterface, QueryRunner } from 'typeorm';
import { invalidateReleases } from './tenancy-sql.js';

/**
 * Earlier versions took a required check that was skipped for a success. Each verdict that rests on checks is derived anew
 * before its gate is believed again.
 */
export class DoubtSkippedChecks1790701000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(invalidateReleases(`exists (select from unnest(consulted) fact where fact like 'checks:%')`));
  }

  async down(): Promise<void> {
    // A verdict in doubt is derived anew by any version.
  }
}
