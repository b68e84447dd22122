import type { MigrationInterface, QueryRunner } from 'typeorm';
import { renameTenantTable, restoreTenantTable } from './rename-sql.js';

/** In the order in which an upload uses them, so that the locks of both form no circle. */
const TABLES = [
  { former: 'idempotent_upload', name: 'upload_idempotency_key', access: 'read-write' },
  {
    former: 'test_roll',
    name: 'test_results',
    columns: { tests: 'test_count', marks: 'entries' },
    access: 'append-only',
  },
  {
    former: 'evidence_pull',
    name: 'evidence_pull_request',
    columns: { set_digest: 'evidence_set_digest' },
    access: 'read-write',
  },
] as const;

/** Names the tables of evidence by the terms of the glossary. The former names are views of the tables. */
export class RenameEvidenceTables1790709000400 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      lock table ${TABLES.map(({ former }) => former).join(', ')} in access exclusive mode;
      ${TABLES.map(renameTenantTable).join('')}
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ${TABLES.map(restoreTenantTable).join('')}
    `);
  }
}
