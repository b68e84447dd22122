import type { MigrationInterface, QueryRunner } from 'typeorm';
import { renameTenantTable, restoreTenantTable } from './rename-sql.js';

const TABLE = { former: 'storage_tally', name: 'storage_usage_change', access: 'read-write' } as const;

/**
 * Names the counts of stored bytes by the terms of the glossary. The former name is a view of the table. It is a migration of its own,
 * because transactions use this table before and after those of the other migrations.
 */
export class RenameStorageUsage1790709000600 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(renameTenantTable(TABLE));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(restoreTenantTable(TABLE));
  }
}
