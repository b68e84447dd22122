import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Lets the content of a report lie in an object store, and keeps the order in which the reports of an upload came. */
export class StoreReportsOutside1790400001000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- Where it lies, if not here: its own address, so that a change of the storage leaves it readable.
      alter table report_content add column location text;
      alter table report_content add constraint report_content_in_one_place check (location is null or bytes = '');

      alter table evidence_report add column position integer not null default 0;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table evidence_report drop column position;
      alter table report_content drop constraint report_content_in_one_place;
      alter table report_content drop column location;
    `);
  }
}
