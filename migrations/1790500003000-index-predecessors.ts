import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a repository shipped last is found without reading what else was recorded of it. */
export class IndexPredecessors1790500003000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create index history_of_shipped_releases on history_record (org_id, repository_id, deployed_at desc, id)
        where release_id is not null and kind in ('release', 'hotfix');
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop index history_of_shipped_releases;`);
  }
}
