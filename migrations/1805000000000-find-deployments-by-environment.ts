import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Lets the latest deployments of an environment be found without a scan of all deployments of the repository. */
export class FindDeploymentsByEnvironment1805000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'create index deployment_of_environment on deployment (org_id, repository_id, lower(environment), observed_at)',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index deployment_of_environment');
  }
}
