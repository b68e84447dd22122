import type { MigrationInterface, QueryRunner } from 'typeorm';

// Of these a list reads rows by the thousand.
const READ_IN_NUMBERS = ['evidence', 'evidence_pull', 'observation'];

/** What a viewer may read is worked out for each table of a statement: here without reading a row of a repository. */
export class IndexReadableRepositories1790500000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create index repository_readable on repository (org_id) include (id, github_id, private);
      ${READ_IN_NUMBERS.map(
        (table) => `
      -- As it was, but that the setting is read once a statement and not once a row.
      alter policy viewer on ${table} using (
        (select nullif(current_setting('app.viewer', true), '') is null)
        or repository_id in (select r.id from repository r));`,
      ).join('')}
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ${READ_IN_NUMBERS.map(
        (table) => `
      alter policy viewer on ${table} using (
        nullif(current_setting('app.viewer', true), '') is null or repository_id in (select r.id from repository r));`,
      ).join('')}
      drop index repository_readable;
    `);
  }
}
