import { randomBytes, randomUUID } from 'node:crypto';
import { inflateRawSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readStorageLocation } from '../../src/config/value-parsers.js';
import { Database } from '../../src/database/database.js';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import { type OrgId, toOrgId } from '../../src/database/ids.js';
import {
  DatabaseReportStore,
  type ReportContent,
  type ReportStore,
} from '../../src/features/evidence/storage/report-store.js';
import { ReportContentsRepository } from '../../src/features/evidence/storage/report-contents.repository.js';
import { ReportStorageService } from '../../src/features/evidence/storage/report-storage.service.js';
import { S3ReportStore, ObjectStore } from '../../src/features/evidence/storage/s3-report-store.js';
import { createLineLogger } from '../../src/observability/logger.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { contentOf, someContent } from '../support/given-content.js';
import { FixedClock } from '../support/fixed-clock.js';
import { S3TestServer } from '../support/s3-test-server.js';

const clock = new FixedClock(new Date('2026-05-04T12:00:00Z'));

let testDatabase: TestDatabase;
let database: Database;
let server: S3TestServer;
let objects: ObjectStore;
let org: OrgId;
let other: OrgId;
const lines: string[] = [];

beforeAll(async () => {
  [testDatabase, server] = await Promise.all([createTestDatabase(), S3TestServer.start()]);
  database = await Database.open({ url: testDatabase.appUrl });
  objects = new ObjectStore(createLineLogger('error', { write: (line) => void lines.push(line) }));
  [org, other] = [await organization(1), await organization(2)];
});
afterAll(async () => {
  await objects.onApplicationShutdown();
  await Promise.all([server.goDown().catch(() => undefined), database.close()]);
  await Promise.all([server.clear(), testDatabase.drop()]);
});

async function organization(githubId: number): Promise<OrgId> {
  const id = randomUUID();
  await withDedicatedClient(testDatabase.superuserUrl, (client) =>
    client.query('insert into organization (org_id, github_id, login, created_at) values ($1, $2, $3, now())', [
      id,
      githubId,
      `org-${githubId}`,
    ]),
  );
  return toOrgId(id);
}

const storageOf = (store: ReportStore): ReportStorageService =>
  new ReportStorageService(store, new ReportContentsRepository(database), objects);

async function storeContents(
  storage: ReportStorageService,
  orgId: OrgId,
  ...contents: readonly ReportContent[]
): Promise<void> {
  const placed = await storage.store(orgId, contents);
  const repository = new ReportContentsRepository(database);
  await database.inTenant(orgId, async (tx) => {
    for (const content of placed) await repository.record(tx, content);
  });
}

async function readAll(storage: ReportStorageService, orgId: OrgId, sha256: string): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of await storage.open(orgId, sha256)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Changes or deletes stored content. */
interface Harm {
  corrupt(orgId: OrgId, sha256: string): Promise<unknown>;
  lose(orgId: OrgId, sha256: string): Promise<unknown>;
}

const asSuperuser = (statement: string, ...values: readonly unknown[]): Promise<unknown> =>
  withDedicatedClient(testDatabase.superuserUrl, (client) => client.query(statement, [...values]));

const STORES: readonly (readonly [string, () => ReportStore, Harm])[] = [
  [
    'the database',
    () => new DatabaseReportStore(),
    {
      corrupt: (_, sha256) =>
        asSuperuser(
          'update report_content set bytes = set_byte(bytes, 0, 1 - get_byte(bytes, 0) % 2) where sha256 = $1',
          sha256,
        ),
      lose: (_, sha256) => asSuperuser(`delete from report_content where sha256 = $1`, sha256),
    },
  ],
  [
    'an object store',
    () => new S3ReportStore(objects, readStorageLocation(server.storageUrl()), clock),
    {
      corrupt: (orgId, sha256) => server.corrupt(`kept/${orgId}/2026-05/${sha256}`),
      lose: (orgId, sha256) => server.lose(`kept/${orgId}/2026-05/${sha256}`),
    },
  ],
];

describe.each(STORES)('content in %s', (_, storeOf, harm) => {
  let storage: ReportStorageService;
  beforeAll(() => {
    storage = storageOf(storeOf());
  });

  it.each([0, 1, 1_048_575, 1_048_576, 1_048_577, 3_500_000])('of %i bytes is read unchanged', async (size) => {
    const content = someContent(size);
    await storeContents(storage, org, content);
    expect((await readAll(storage, org, content.sha256)).equals(content.bytes)).toBe(true);
  });

  it('is stored once when it is uploaded several times', async () => {
    const [one, two] = [someContent(), someContent()];
    await storeContents(storage, org, one, two, one);
    await storeContents(storage, org, one);
    expect(await readAll(storage, org, one.sha256)).toEqual(one.bytes);
    expect(await readAll(storage, org, two.sha256)).toEqual(two.bytes);
  });

  it('is read from many files at once', async () => {
    const contents = Array.from({ length: 40 }, () => someContent());
    await storeContents(storage, org, ...contents);
    for (const { sha256, bytes } of contents) expect(await readAll(storage, org, sha256)).toEqual(bytes);
  });

  it('cannot be read by another workspace, even by its digest', async () => {
    const content = someContent();
    await storeContents(storage, org, content);
    await expect(storage.open(other, content.sha256)).rejects.toThrow('does not match its digest');
    await storeContents(storage, other, content);
    expect(await readAll(storage, other, content.sha256)).toEqual(content.bytes);
  });

  it('without a row cannot be read', async () => {
    const content = someContent();
    await storage.store(org, [content]);
    await expect(storage.open(org, content.sha256)).rejects.toThrow('does not match its digest');
  });

  it('that was changed is not returned, not even its start', async () => {
    const content = someContent(2_500_000);
    await storeContents(storage, org, content);
    await harm.corrupt(org, content.sha256);
    await expect(storage.open(org, content.sha256)).rejects.toThrow('does not match its digest');
  });

  it('that changes during the read ends with an error before its end', async () => {
    const content = contentOf(Buffer.concat([randomBytes(3_000_000)]));
    await storeContents(storage, org, content);
    const opened = await storage.open(org, content.sha256);
    await harm.corrupt(org, content.sha256);
    let size = 0;
    const reading = async (): Promise<void> => {
      for await (const chunk of opened) size += chunk.length;
    };
    await expect(reading()).rejects.toThrow('does not match its digest');
    expect(size).toBeLessThan(3_000_000);
  });

  it('that was lost causes an error', async () => {
    const content = someContent();
    await storeContents(storage, org, content);
    await harm.lose(org, content.sha256);
    await expect(storage.open(org, content.sha256)).rejects.toThrow('does not match its digest');
  });

  it('is read after the storage was moved to another place', async () => {
    const content = someContent();
    await storeContents(storage, org, content);
    for (const elsewhere of [
      new DatabaseReportStore(),
      new S3ReportStore(objects, readStorageLocation(server.storageUrl('another/place')), clock),
    ]) {
      const changed = storageOf(elsewhere);
      expect(await readAll(changed, org, content.sha256)).toEqual(content.bytes);
      const later = someContent();
      await storeContents(changed, org, later);
      expect(await readAll(storage, org, later.sha256)).toEqual(later.bytes);
    }
  });
});

describe('large content in the database', () => {
  const MEGABYTE = 1_048_576;
  let storage: ReportStorageService;
  beforeAll(() => {
    storage = storageOf(new DatabaseReportStore());
  });

  /** The size of the content in each row. */
  const rowsOf = async (sha256: string): Promise<readonly number[]> => {
    const rows = `select 0 as position, bytes from report_content where sha256 = $1
      union all select position, deflated from report_content_block where sha256 = $1 order by position`;
    const stored = await withDedicatedClient(testDatabase.superuserUrl, (client) =>
      client.query<{ readonly position: number; readonly bytes: Buffer }>(rows, [sha256]),
    );
    return stored.rows.map(({ position, bytes }) => (position === 0 ? bytes : inflateRawSync(bytes)).length);
  };

  it('is stored in rows of one megabyte', async () => {
    const content = someContent(2 * MEGABYTE + 3);
    await storeContents(storage, org, content);
    expect(await rowsOf(content.sha256)).toEqual([MEGABYTE, MEGABYTE, 3]);
  });

  it('is compressed to a fraction of its size', async () => {
    const content = contentOf(Buffer.from('<testcase name="keeps the order"/>\n'.repeat(100_000)));
    await storeContents(storage, org, content);
    const sizes = `select sum(octet_length(deflated))::int as size from report_content_block where sha256 = $1`;
    const { rows } = await withDedicatedClient(testDatabase.superuserUrl, (client) =>
      client.query<{ readonly size: number }>(sizes, [content.sha256]),
    );
    expect(rows[0]?.size).toBeLessThan((content.bytes.length - MEGABYTE) / 10);
    expect((await readAll(storage, org, content.sha256)).equals(content.bytes)).toBe(true);
  });

  it('is stored once when several uploads contain it at the same time', async () => {
    const content = someContent(3 * MEGABYTE);
    await Promise.all([
      storeContents(storage, org, content),
      storeContents(storage, org, content),
      storeContents(storage, org, content),
    ]);
    expect(await rowsOf(content.sha256)).toHaveLength(3);
    expect((await readAll(storage, org, content.sha256)).equals(content.bytes)).toBe(true);
  });

  it('is stored completely or not at all', async () => {
    const content = someContent(3 * MEGABYTE);
    const [placed] = await storage.store(org, [content]);
    const failing = database.inTenant(org, async (tx) => {
      if (placed) await new ReportContentsRepository(database).record(tx, placed);
      throw new Error('something after it went wrong');
    });
    await expect(failing).rejects.toThrow('something after it went wrong');
    expect(await rowsOf(content.sha256)).toEqual([]);
  });

  it.each([
    ['its end is lost', 'delete from report_content_block where sha256 = $1 and position = 2'],
    ['its middle is lost', 'delete from report_content_block where sha256 = $1 and position = 1'],
    ['its blocks stand elsewhere', 'update report_content_block set position = position + 2 where sha256 = $1'],
    [
      'a byte of one differs',
      `update report_content_block set deflated = set_byte(deflated, 9, 1 - get_byte(deflated, 9) % 2)
       where sha256 = $1 and position = 2`,
    ],
  ])('is not returned if %s', async (_, harm) => {
    const content = someContent(2 * MEGABYTE + 100);
    await storeContents(storage, org, content);
    await asSuperuser(harm, content.sha256);
    await expect(storage.open(org, content.sha256)).rejects.toThrow('does not match its digest');
  });
});

describe('an object store that does not answer', () => {
  it('causes a 503 with Retry-After and an error in the log', async () => {
    const storage = storageOf(new S3ReportStore(objects, readStorageLocation(server.storageUrl()), clock));
    const content = someContent();
    await storeContents(storage, org, content);
    await server.goDown();
    lines.length = 0;
    const unavailable = { code: 'unavailable', headers: { 'Retry-After': '5' } };
    await expect(storage.store(org, [someContent()])).rejects.toMatchObject(unavailable);
    await expect(storage.open(org, content.sha256)).rejects.toMatchObject(unavailable);
    expect(lines.filter((line) => line.includes('report storage failed'))).toHaveLength(2);
  });
});
