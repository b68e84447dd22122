import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Stores how many approvals of the last verdict count, for lists. Null until the next verdict of a release. */
export class CountGivenApprovals1790710002000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table release add column approvals_given integer`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table release drop column approvals_given`);
  }
}
