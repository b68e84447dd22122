import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whoever lists pending reviews asks all of them for their status: here without reading a row of a release. */
export class CoverPendingReviews1790500000200 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table release
        -- Who wrote it, where they are few enough for an entry of an index; how many wrote it, whatever that is.
        add column few_author_ids bigint[] generated always as (
          case when cardinality(author_ids) <= 32 then author_ids end) stored,
        add column author_count integer generated always as (cardinality(author_ids)) stored;

      drop index release_in_review;
      create index release_to_review on release (org_id, updated_at desc, id)
        include (repository_id, valid_until, evaluated_at, pull_state, pull_seen_at, few_author_ids, author_count)
        where stage = 'EVIDENCING' and not evidence_approved
          and shipped_at is null and cancelled_at is null and deleted_at is null
          and pull_number is not null and pull_state is distinct from 'merged';

      -- By what a person is told whether they may review, apart from the many observations of pull requests and checks.
      create index observation_of_reviewers on observation (org_id, kind, key, repository_id)
        where kind in ('policy', 'permission', 'team');
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop index observation_of_reviewers, release_to_review;
      create index release_in_review on release (org_id, updated_at desc, id)
        include (repository_id, valid_until, evaluated_at)
        where stage = 'EVIDENCING' and not evidence_approved
          and shipped_at is null and cancelled_at is null and deleted_at is null;
      alter table release drop column author_count, drop column few_author_ids;
    `);
  }
}
