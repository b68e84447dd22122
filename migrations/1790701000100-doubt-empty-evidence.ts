import type { MigrationInterface, QueryRunner } from 'typeorm';
import { invalidateReleases } from './tenancy-sql.js';

/**
 * Earlier versions took a required document for provided whatever it held. Each verdict that may let a release be deployed is
 * derived anew before its gate is believed again. How much stored evidence holds is told by the reports that are kept with it.
 */
export class DoubtEmptyEvidence1790701000100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(invalidateReleases('open_until is not null'));
  }

  async down(): Promise<void> {
    // A verdict in doubt is derived anew by any version.
  }
}
