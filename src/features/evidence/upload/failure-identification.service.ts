import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { TenantTransaction } from '../../../database/database.js';
import type {
  FailedTest,
  FailedTestHistory,
  IdentifiedFailures,
  IdentifiedFailuresByKind,
} from '../../../domain/evidence/evidence.js';
import { isTestKind } from '../../../domain/evidence/evidence-status.js';
import {
  TEST_OUTCOME_CODES,
  type TestEntries,
  TestOutcomes,
  toTestEntries,
} from '../../../domain/quality/test-results.js';
import type { NewEvidence } from '../evidence.repository.js';
import { TestResultsRepository } from '../test-results.repository.js';
import { type EarlierTestUpload, EarlierUploadsQueries, type UploadWithTests } from './earlier-uploads.queries.js';
import type { NewEvidenceItem } from './upload-content.js';

/** The maximum size of the test results that are read for one upload, in bytes. An upload beyond it names no test. */
const MAX_READ_BYTES = 16_777_216;
/** The maximum number of other uploads that an item names for one of its tests. A test in more of them identifies nothing at all. */
const MAX_ALSO_IN = 20;
/**
 * The maximum size of the identified failures of a release, in bytes of JSON. Each verdict reads them all, so failures beyond it belong
 * to their item alone.
 */
const MAX_IDENTIFIED_BYTES = 8_388_608;
/** The number of failed tests of an item whose history is read. A condition names as many. */
const MAX_WITH_HISTORY = 3;

/** Finds out which failures of an upload have an identity, by what was stored before. */
@Injectable()
export class FailureIdentificationService {
  constructor(
    private readonly uploads: EarlierUploadsQueries,
    private readonly testResults: TestResultsRepository,
  ) {}

  /**
   * Returns the failures of the upload that have an identity, by kind; null if there are none. The caller holds the lock of the
   * release, so that no upload of the same run is stored meanwhile.
   */
  async identify(tx: TenantTransaction, evidence: NewEvidence): Promise<IdentifiedFailuresByKind | null> {
    const identified: { -readonly [K in keyof IdentifiedFailuresByKind]: IdentifiedFailures } = {};
    for (const item of evidence.items) {
      const { tests, repeatedTests } = isTestKind(item.kind) ? await this.identifyTests(tx, evidence, item) : NO_TESTS;
      if (tests.length + repeatedTests.length + item.findings.length === 0) continue;
      identified[item.kind] = { tests, findings: item.findings, repeatedTests };
    }
    if (Object.keys(identified).length === 0) return null;
    const bytes = JSON.stringify(identified).length + (await this.uploads.measureIdentified(tx, evidence.releaseId));
    return bytes > MAX_IDENTIFIED_BYTES ? null : identified;
  }

  /**
   * Compares the names with those of the other uploads of the run. A name that occurs in two of them identifies no test as long as
   * both count.
   */
  private async identifyTests(
    tx: TenantTransaction,
    evidence: NewEvidence,
    { kind, failedTests }: NewEvidenceItem,
  ): Promise<Pick<IdentifiedFailures, 'tests' | 'repeatedTests'>> {
    const others = await this.uploads.listOfRun(tx, evidence, kind);
    const own = evidence.reports
      .filter(({ summary }) => isOfKind(summary, kind))
      .map(({ testResults }) => toTestEntries(testResults.parts.map(({ marks }) => marks)));
    const failedBefore = others.flatMap(({ failedTests: ids }) => ids);
    const repeated = new Set(failedBefore.length === 0 ? [] : (await findInAny(own, failedBefore)).keys());
    const ids = failedTests.map(({ id }) => id);
    const alsoIn = await this.findAlsoIn(
      tx,
      others,
      ids.filter((id) => !repeated.has(id)),
    );
    if (ids.length === 0 || alsoIn === null) return { tests: [], repeatedTests: [...repeated] };
    for (const [id, uploads] of alsoIn) if (uploads.length > MAX_ALSO_IN) repeated.add(id);
    const histories = await this.readHistories(tx, evidence, kind, ids.slice(0, MAX_WITH_HISTORY));
    const tests = failedTests.map(({ id, name }): FailedTest => {
      const [uploads = [], history] = [repeated.has(id) ? [] : alsoIn.get(id), histories.get(id)];
      return { id, name, ...(uploads.length > 0 && { alsoIn: uploads }), ...(history && { history }) };
    });
    return { tests, repeatedTests: [...repeated] };
  }

  /** Returns the other uploads that have each of the tests, too. Null if there is too much to read. */
  private async findAlsoIn(
    tx: TenantTransaction,
    others: readonly UploadWithTests[],
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, readonly string[]> | null> {
    const alsoIn = new Map<string, string[]>(ids.map((id) => [id, []]));
    if (ids.length === 0) return alsoIn;
    let bytes = 0;
    for (const { evidenceId, reports } of others) {
      bytes += reports.reduce((sum, report) => sum + report.bytes, 0);
      if (bytes > MAX_READ_BYTES) return null;
      for (const id of (await findInAny(await this.readAll(tx, reports), ids)).keys()) alsoIn.get(id)?.push(evidenceId);
    }
    return alsoIn;
  }

  /** Reads what earlier uploads of the repository say about the tests, the newest first, until each of them has passed once. */
  private async readHistories(
    tx: TenantTransaction,
    evidence: NewEvidence,
    kind: NewEvidenceItem['kind'],
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, FailedTestHistory>> {
    const failingSince = new Map<string, FailedTestHistory['failingSince']>(ids.map((id) => [id, null]));
    const histories = new Map<string, FailedTestHistory>();
    let bytes = 0;
    for (const upload of await this.uploads.listBefore(tx, evidence, kind)) {
      bytes += upload.reports.reduce((sum, report) => sum + report.bytes, 0);
      if (bytes > MAX_READ_BYTES || histories.size === ids.length) break;
      const outcomes = await findInAny(await this.readAll(tx, upload.reports), ids);
      for (const [id, outcome] of outcomes) {
        if (histories.has(id) || outcome === TEST_OUTCOME_CODES.skipped) continue;
        if (outcome === TEST_OUTCOME_CODES.failed) failingSince.set(id, toRun(upload));
        else histories.set(id, { failingSince: failingSince.get(id) ?? null, lastPassedIn: upload.version });
      }
    }
    for (const [id, since] of failingSince) {
      if (!histories.has(id)) histories.set(id, { failingSince: since, lastPassedIn: null });
    }
    return histories;
  }

  private async readAll(
    tx: TenantTransaction,
    reports: readonly { readonly sha256: string }[],
  ): Promise<readonly TestEntries[]> {
    const entries: TestEntries[] = [];
    for (const { sha256 } of reports) entries.push(await this.testResults.readEntries(tx, sha256));
    return entries;
  }
}

const NO_TESTS = { tests: [], repeatedTests: [] } as const;

const isOfKind = (summary: unknown, kind: string): boolean =>
  (summary as { readonly kind?: unknown } | null)?.kind === kind;

const toRun = ({ runId, receivedAt }: EarlierTestUpload): FailedTestHistory['failingSince'] => ({
  run: runId,
  at: receivedAt.toISOString().slice(0, 10),
});

/** Returns the worst outcome of each of the tests that is in one of the lists. Other requests are answered between two lists. */
async function findInAny(lists: readonly TestEntries[], ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const outcomes = new TestOutcomes(ids);
  for (const list of lists) {
    outcomes.add(list);
    if (lists.length > 1) await nextTurn();
  }
  return outcomes.found;
}
