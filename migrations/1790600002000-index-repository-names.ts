import type { MigrationInterface, QueryRunner } from 'typeorm';

/** All repositories of a workspace are named, in order, without reading a row of them. */
export class IndexRepositoryNames1790600002000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- By the workspace alone, so that one repository is still looked up by its name in the index that is made for it.
      create index repository_names on repository (org_id) include (id, lower_name, name, private, github_id);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop index repository_names;`);
  }
}
