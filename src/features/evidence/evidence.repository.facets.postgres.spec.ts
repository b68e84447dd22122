import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { WorkspaceRows } from '../../../test/support/workspace-rows.js';
import { givenQualityEvidence } from '../../../test/support/quality-rows.js';
import { Database } from '../../database/database.js';
import { withDedicatedClient } from '../../database/dedicated-client.js';
import { toOrgId } from '../../database/ids.js';
import { type EncodedTestResults, TESTS_PER_PART } from '../../domain/quality/test-results.js';
import { QualitySearchQueries } from '../quality/quality-search.queries.js';
import type { QualityFilter } from '../quality/quality.dto.js';
import { EvidenceRepository } from './evidence.repository.js';
import { TestResultsEncoder } from './formats/test-results-encoder.js';
import { TestSuite } from './formats/test-suite.js';
import type { ReportContentsRepository } from './storage/report-contents.repository.js';
import { type ReportWithTests, TestResultsRepository } from './test-results.repository.js';

const ANY: QualityFilter = { owner: null, repo: null, milestone: null, type: null, environment: null };

let test: TestDatabase;
let database: Database;
let acme: WorkspaceRows;
let globex: WorkspaceRows;

beforeAll(async () => {
  test = await createTestDatabase();
  database = await Database.open({ url: test.appUrl });
  acme = await WorkspaceRows.of(database, toOrgId(randomUUID()), 'Acme', 1);
  globex = await WorkspaceRows.of(database, toOrgId(randomUUID()), 'Globex', 2);
});
afterAll(async () => {
  await database.close();
  await test.drop();
});

const found = (rows: WorkspaceRows, filter: Partial<QualityFilter> = {}): Promise<readonly string[]> =>
  database.inTenant(
    rows.orgId,
    async (tx) => (await new QualitySearchQueries().find(tx, { ...ANY, ...filter }, null)).ids,
  );

async function givenReleases(rows: WorkspaceRows, name: string): Promise<readonly [string, string]> {
  const repositoryId = await rows.repository(name);
  const [old, young] = [
    await rows.release({ repositoryId, version: 'v1.0.0' }),
    await rows.release({ repositoryId, version: 'v1.1.0' }),
  ];
  await rows.release({ repositoryId, version: 'v1.2.0' });
  const of = { repositoryId, environment: 'staging' };
  await givenQualityEvidence(rows, { ...of, releaseId: old, kind: 'coverage', receivedAt: '2026-01-02T00:00:00Z' });
  await givenQualityEvidence(rows, { ...of, releaseId: young, kind: 'unit_tests', receivedAt: '2026-01-03T00:00:00Z' });
  // A clock that is behind does not move the time of the last evidence back.
  await givenQualityEvidence(rows, { ...of, releaseId: young, kind: 'sbom', receivedAt: '2026-01-01T00:00:00Z' });
  return [young, old];
}

describe('evidence', () => {
  it('is found in its workspace, the latest first', async () => {
    const ids = await givenReleases(acme, 'payments');
    const theirs = await givenReleases(globex, 'ledger');
    expect([await found(acme), await found(globex)]).toEqual([ids, theirs]);
    expect(await found(acme, { type: 'sbom', environment: 'staging' })).toEqual(ids.slice(0, 1));
    expect(await found(acme, { type: 'sbom', environment: 'ci' })).toEqual([]);
  });
});

describe('the tests of a report', () => {
  const testResultsWith = (count: number): EncodedTestResults => {
    const testResults = new TestResultsEncoder();
    for (let at = 0; at < count; at += 1) testResults.add(TestSuite.createRoot().nameTest(`test ${at}`), 'passed');
    return testResults.packed();
  };
  const save = (sha256: string, count: number): Promise<void> =>
    database.inTenant(acme.orgId, (tx) =>
      new TestResultsRepository().save(tx, { sha256, testResults: testResultsWith(count) }),
    );
  const savedTests = async (sha256: string): Promise<unknown> =>
    database.inTenant(acme.orgId, async (tx) => [
      (await new TestResultsRepository().readEntries(tx, sha256)).length,
      await tx.query(`select complete, count(*)::int as parts from test_results where sha256 = $1 group by 1`, [
        sha256,
      ]),
    ]);

  it('are stored once if several concurrent uploads contain them', async () => {
    const count = 2 * TESTS_PER_PART + 1;
    await Promise.all([save('a', count), save('a', count), save('a', count)]);
    expect(await savedTests('a')).toEqual([count, [{ complete: true, parts: 3 }]]);
  });

  it('are those of the first upload if one with more tests waited for it', async () => {
    const [isStored, received] = promiseOf();
    const [mayEnd, end] = promiseOf();
    const first = database.inTenant(acme.orgId, async (tx) => {
      await new TestResultsRepository().save(tx, { sha256: 'c', testResults: testResultsWith(3) });
      received();
      await mayEnd;
    });
    await isStored;
    const second = save('c', TESTS_PER_PART + 1);
    await withDedicatedClient(test.superuserUrl, async (client) => {
      const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and query like '%into test_results%'`;
      while ((await client.query(waiting)).rowCount === 0);
    });
    end();
    await Promise.all([first, second]);
    expect(await savedTests('c')).toEqual([3, [{ complete: true, parts: 1 }]]);
  });

  it('are stored in one order, regardless of the order in an upload', async () => {
    const order: string[] = [];
    const repository = {
      save: async (_tx: unknown, { sha256 }: ReportWithTests) => Promise.resolve(void order.push(sha256)),
    };
    const inventory = new EvidenceRepository(
      {} as ReportContentsRepository,
      repository as unknown as TestResultsRepository,
    );
    const repositoryId = await acme.repository('ordered');
    const releaseId = await acme.release({ repositoryId, version: 'v1.0.0' });
    const testResults = testResultsWith(1);
    const reports = ['n', 'z', 'm'].map((sha256) => ({ sha256, testResults }));
    const of = { releaseId, repositoryId, environment: 'ci', items: [], receivedAt: new Date(0), reports };
    await acme.within((tx) => inventory.addFacets(tx, of));
    expect(order).toEqual(['m', 'n', 'z']);
  });

  it('are marked as incomplete at the maximum number', async () => {
    await save('b', 250_000);
    expect(await savedTests('b')).toEqual([250_000, [{ complete: false, parts: Math.ceil(250_000 / TESTS_PER_PART) }]]);
  });
});

/** Returns a promise and the function that resolves it. */
function promiseOf(): readonly [Promise<void>, () => void] {
  let fulfil = (): void => undefined;
  return [new Promise<void>((resolve) => (fulfil = resolve)), () => fulfil()];
}
