import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Those reviews are read again first that it was longest not asked about: found without looking at all the others. */
export class OrderReviewsByObservation1790600001100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create index release_to_be_read on release (org_id, pull_seen_at nulls first, updated_at desc, id)
        include (repository_id, valid_until, evaluated_at, author_count, pull_state)
        where stage = 'EVIDENCING' and not evidence_approved
          and shipped_at is null and cancelled_at is null and deleted_at is null
          and pull_number is not null and pull_state is distinct from 'merged'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index release_to_be_read');
  }
}
