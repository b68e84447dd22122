import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What the list of pending reviews is counted by is estimated as it is, and never read one release at a time. */
export class HastenPendingReviews1790600001000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- Those whose authors are too many for an entry of release_to_review: few if any.
      create index release_of_many_authors on release (org_id, id)
        where stage = 'EVIDENCING' and not evidence_approved
          and shipped_at is null and cancelled_at is null and deleted_at is null
          and pull_number is not null and pull_state is distinct from 'merged' and author_count > 32;

      -- A key is of one kind of observation: taken for two independent things they let a plan expect a dozen policies where
      -- there are hundreds.
      create statistics observation_kind_by_key (dependencies) on kind, key from observation;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop statistics observation_kind_by_key; drop index release_of_many_authors');
  }
}
