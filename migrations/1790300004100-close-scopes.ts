import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Until when nobody begins to change the scope of a release, because it was deployed and is about to be shipped. */
export class CloseScopes1790300004100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table release add column scope_closed_until timestamptz');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table release drop column scope_closed_until');
  }
}
