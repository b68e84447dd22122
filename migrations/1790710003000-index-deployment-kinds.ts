import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The deployments of one kind are listed in order, and deployments are searched, without reading a row of the others. */
export class IndexDeploymentKinds1790710003000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create index deployment_record_of_kind on deployment_record (org_id, kind, deployed_at desc, id)
        include (repository_id, version, environment);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop index deployment_record_of_kind;`);
  }
}
