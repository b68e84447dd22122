import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Only the owner lists the encrypted secrets of all users, for the command that changes the encryption key. The runtime role reads each
 * secret where it needs it, so a stolen connection of it must not list all of them. It may still replace one that it knows.
 */
export class RestrictSecretListing1790718000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // The owner may execute it as a member of the look-up role, which it belongs to.
    await runner.query(`
      revoke execute on function list_secrets_of_other_keys(text, integer) from shipgate_app;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      grant execute on function list_secrets_of_other_keys(text, integer) to shipgate_app;
    `);
  }
}
