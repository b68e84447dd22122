import { randomBytes, randomUUID } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { KeepReportsInBlocks1790500000100 } from '../../migrations/1790500000100-keep-reports-in-blocks.js';
import { JoinReportPieces1790715000000 } from '../../migrations/1790715000000-join-report-pieces.js';
import { migrations } from '../../migrations/index.js';
import { Database } from '../../src/database/database.js';
import { type OrgId, toOrgId } from '../../src/database/ids.js';
import { migrate } from '../../src/database/migrate.js';
import { readMigrationStatus } from '../../src/database/migration-status.js';
import { DatabaseReportStore } from '../../src/features/evidence/storage/database-report-store.js';
import { ReportContentsRepository } from '../../src/features/evidence/storage/report-contents.repository.js';
import { ReportStorageService } from '../../src/features/evidence/storage/report-storage.service.js';
import { ObjectStore } from '../../src/features/evidence/storage/s3-report-store.js';
import { createLineLogger } from '../../src/observability/logger.js';
import { contentOf } from '../support/given-content.js';
import { createEmptyDatabase, type TestDatabase } from '../support/database.js';

const MEGABYTE = 1_048_576;
const BLOCKS = migrations.indexOf(KeepReportsInBlocks1790500000100);
const REPAIR = migrations.indexOf(JoinReportPieces1790715000000);

/** The first statements of the migration `KeepReportsInPieces`, in both of its forms, before it was renamed. */
const createFormerTable = (column: 'bytes' | 'deflated'): string => `
  create table report_content_piece (
    org_id uuid not null,
    sha256 text not null,
    position integer not null check (position > 0),
    ${column} bytea not null,
    primary key (org_id, sha256, position),
    foreign key (org_id, sha256) references report_content (org_id, sha256)
  );
  alter table report_content_piece alter column ${column} set storage external;
  alter table report_content_piece enable row level security;
  alter table report_content_piece force row level security;
  create policy tenant on report_content_piece
    using (org_id = nullif(current_setting('app.org_id', true), '')::uuid)
    with check (org_id = nullif(current_setting('app.org_id', true), '')::uuid);
  grant select, insert on report_content_piece to shipgate_app;`;

const FORMER = `insert into schema_migration (timestamp, name) values (1790500000100, 'KeepReportsInPieces1790500000100')`;

let database: TestDatabase;
let client: Client;
let org: OrgId;

beforeEach(async () => {
  database = await createEmptyDatabase();
  client = new Client(database.superuserUrl);
  await client.connect();
});
afterEach(async () => {
  await client.end();
  await database.drop();
});

/** Migrates as the version did that had the migrations before `end`, and creates the table of the former migration. */
async function migrateFormerly(column: 'bytes' | 'deflated', end: number): Promise<void> {
  await migrate(database.ownerUrl, migrations.slice(0, BLOCKS));
  await client.query(`set role shipgate_owner; ${createFormerTable(column)} ${FORMER}; reset role`);
  await migrate(database.ownerUrl, [...migrations.slice(0, BLOCKS), ...migrations.slice(BLOCKS + 1, end)]);
}

async function createWorkspace(): Promise<void> {
  org = toOrgId(randomUUID());
  await client.query('insert into organization (org_id, github_id, login, created_at) values ($1, 1, $2, now())', [
    org,
    'acme',
  ]);
}

/** Stores a report as the former version did: its first megabyte in its own row, the others in rows of a second table. */
async function storeReport(
  size: number,
  table: string,
  column: 'bytes' | 'deflated',
): Promise<ReturnType<typeof contentOf>> {
  const report = contentOf(randomBytes(size));
  const [first, ...rest] = report.blocks;
  await client.query('insert into report_content (org_id, sha256, bytes) values ($1, $2, $3)', [
    org,
    report.sha256,
    first,
  ]);
  for (const [index, block] of rest.entries()) {
    const stored = column === 'bytes' ? block : deflateRawSync(block);
    await client.query(`insert into ${table} (org_id, sha256, position, ${column}) values ($1, $2, $3, $4)`, [
      org,
      report.sha256,
      index + 1,
      stored,
    ]);
  }
  return report;
}

/** Reads each report as the service does, and compares it with what was stored. */
async function expectReadable(reports: readonly ReturnType<typeof contentOf>[]): Promise<void> {
  const opened = await Database.open({ url: database.appUrl });
  const objects = new ObjectStore(createLineLogger('silent', { write: () => undefined }));
  const storage = new ReportStorageService(new DatabaseReportStore(), new ReportContentsRepository(opened), objects);
  try {
    for (const { bytes, sha256 } of reports) {
      const chunks: Uint8Array[] = [];
      for await (const chunk of await storage.open(org, sha256)) chunks.push(chunk);
      expect(Buffer.concat(chunks).equals(bytes)).toBe(true);
    }
  } finally {
    await Promise.all([objects.onApplicationShutdown(), opened.close()]);
  }
}

/** The bytes of all blocks, and the bytes that are counted for the workspace beyond the rows of the contents. */
async function countBlocks(): Promise<unknown> {
  const { rows } = await client.query<Record<string, unknown>>(
    `select (select sum(octet_length(deflated)) from report_content_block)::int as stored,
       (select sum(bytes) from storage_usage_change)::int - (select sum(octet_length(bytes)) from report_content)::int as counted,
       to_regclass('report_content_piece') as pieces`,
  );
  return rows[0];
}

const expectRepaired = async (): Promise<void> => {
  const counts = (await countBlocks()) as { readonly stored: number };
  expect(counts).toEqual({ stored: counts.stored, counted: counts.stored, pieces: null });
  expect(counts.stored).toBeGreaterThan(MEGABYTE);
  expect(await readMigrationStatus(client)).toEqual({ pending: [], newer: [], conflicts: [] });
};

describe('a database on which KeepReportsInPieces ran', () => {
  it.each(['bytes', 'deflated'] as const)('is upgraded with its reports in the column %s', async (column) => {
    await migrateFormerly(column, BLOCKS + 4);
    await createWorkspace();
    const reports = [];
    for (const size of [1_400_000, 3 * MEGABYTE + 1]) {
      reports.push(await storeReport(size, 'report_content_piece', column));
    }
    await migrate(database.ownerUrl);
    await expectReadable(reports);
    await expectRepaired();
  });

  it('is upgraded after a version that knew only the new name had created a second table', async () => {
    await migrateFormerly('deflated', BLOCKS + 4);
    await createWorkspace();
    const before = await storeReport(1_400_000, 'report_content_piece', 'deflated');
    // That version did not compare the migrations in the database with its own.
    await client.query(`delete from schema_migration where name like 'KeepReportsInPieces%'`);
    await migrate(database.ownerUrl, migrations.slice(0, REPAIR));
    await client.query(FORMER);
    const after = await storeReport(2 * MEGABYTE, 'report_content_block', 'deflated');
    await client.query(
      `insert into storage_usage_change (org_id, bytes)
       select org_id, octet_length(bytes) from report_content where sha256 = $1
       union all select org_id, octet_length(deflated) from report_content_block where sha256 = $1`,
      [after.sha256],
    );
    const { rowCount } = await client.query('select from report_content_block where sha256 = $1', [before.sha256]);
    expect(rowCount).toBe(0);
    await migrate(database.ownerUrl);
    await expectReadable([before, after]);
    await expectRepaired();
  });
});

it('a database on which KeepReportsInBlocks ran keeps its reports', async () => {
  await migrate(database.ownerUrl, migrations.slice(0, BLOCKS + 5));
  await createWorkspace();
  const report = await storeReport(1_400_000, 'report_content_block', 'deflated');
  const before = await client.query('select * from report_content_block');
  await migrate(database.ownerUrl);
  expect((await client.query('select * from report_content_block')).rows).toEqual(before.rows);
  await expectReadable([report]);
});
