import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Evidence pull requests that were closed unmerged, and that people asked to be opened again. */
export class ReopenEvidencePulls1790300008000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- Since when it counts for its release no more: another one is to take its place.
      alter table evidence_pull add column abandoned_at timestamptz;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table evidence_pull drop column abandoned_at`);
  }
}
