import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Stores with which identity token an artifact was stated, so that one token states a limited number. */
export class CountArtifactsOfTokens1807000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table artifact add column token_id text;
      create index artifact_of_token on artifact (org_id, token_id) where token_id is not null;`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table artifact drop column token_id');
  }
}
