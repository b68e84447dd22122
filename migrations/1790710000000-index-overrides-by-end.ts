import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Indexes the overrides by their end, so that the list of the present ones does not read the ended ones. */
export class IndexOverridesByEnd1790710000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create index waiver_by_end on waiver (org_id, expires_at) where withdrawn_at is null;
      create index break_glass_request_by_end on break_glass_request (org_id, expires_at) where withdrawn_at is null;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop index waiver_by_end, break_glass_request_by_end;`);
  }
}
