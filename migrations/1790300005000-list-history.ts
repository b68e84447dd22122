import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What the history is listed by, and what a record that a person made says besides. */
export class ListHistory1790300005000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table history_record
        -- Who recorded a deployment that the code host did not tell of, and what they noted of it; null where it did.
        add column recorded_by bigint,
        add column note text;

      drop index history_by_time;
      -- With the repository, by which rows are hidden: a count reads no row of the table.
      create index history_by_time on history_record (org_id, deployed_at desc, id) include (repository_id);
      create index history_of_repository on history_record (org_id, repository_id, deployed_at desc, id);

      -- As it was, but that the setting is read once a statement and not once a row.
      alter policy viewer on history_record using (
        (select nullif(current_setting('app.viewer', true), '') is null)
        or repository_id in (select r.id from repository r));
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter policy viewer on history_record using (
        nullif(current_setting('app.viewer', true), '') is null or repository_id in (select r.id from repository r));
      drop index history_of_repository, history_by_time;
      create index history_by_time on history_record (org_id, deployed_at desc, id);
      alter table history_record drop column note, drop column recorded_by;
    `);
  }
}
