import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What the list of pending reviews is read from. */
export class ListReviews1790300003000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- Who wrote a commit of the candidate, by the host's ids; null where that is not known. It counts as long as the
      -- verdict that it was written down with.
      alter table release add column author_ids bigint[];

      -- The releases that wait for their evidence to be approved.
      create index release_in_review on release (org_id, updated_at desc, id)
        include (repository_id, valid_until, evaluated_at)
        where stage = 'EVIDENCING' and not evidence_approved
          and shipped_at is null and cancelled_at is null and deleted_at is null;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop index release_in_review;
      alter table release drop column author_ids;
    `);
  }
}
