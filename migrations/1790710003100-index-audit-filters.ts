import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The entries of an action, and those of a range of days, are found without reading the others. */
export class IndexAuditFilters1790710003100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create index audit_entry_by_action on audit_entry (org_id, action, sequence);
      create index audit_entry_by_time on audit_entry (org_id, at);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop index audit_entry_by_time;
      drop index audit_entry_by_action;
    `);
  }
}
