import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which deployments wait to be let go, so that the gates that they wait behind are judged meanwhile. */
export class KeepWaitingDeployments1790702000200 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- True for a deployment to the policy's target that waits for the reviewers of its environment.
      alter table deployment add column waiting boolean not null default false;
      create index deployment_waiting on deployment (org_id, repository_id) where waiting;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop index deployment_waiting;
      alter table deployment drop column waiting;
    `);
  }
}
