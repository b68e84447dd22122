import type { MigrationInterface, QueryRunner } from 'typeorm';
import { invalidateReleases } from './tenancy-sql.js';

/**
 * Earlier versions took only authors for those who wrote a release. Each verdict that tells who did is derived anew before its
 * gate or its list of authors is believed again.
 */
export class DoubtReleaseAuthors1790701000200 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(invalidateReleases('author_ids is not null'));
  }

  async down(): Promise<void> {
    // A verdict in doubt is derived anew by any version.
  }
}
