import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Stores whether a report of a deployment names a digest that the policy does not accept. */
export class RecordReportsOfOtherBytes1806000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table deployment_report add column has_other_bytes boolean not null default false');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table deployment_report drop column has_other_bytes');
  }
}
