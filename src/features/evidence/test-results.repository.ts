import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import type { TenantTransaction } from '../../database/database.js';
import type { TestKind } from '../../domain/evidence/evidence.js';
import {
  type EncodedTestNames,
  type EncodedTestResults,
  findIndexes,
  findTestName,
  type EncodedTestResultsPart,
  type TestEntries,
  TESTS_PER_PART,
  toTestEntries,
} from '../../domain/quality/test-results.js';

/** The bytes of one insert. Most reports take one or two statements, and a long one does not delay other transactions. */
const BYTES_AT_ONCE = 1_048_576;

/** A report with its tests. */
export interface ReportWithTests {
  readonly sha256: string;
  /** Has no part if the report has no tests. */
  readonly testResults: EncodedTestResults;
}

interface PlacedPart extends EncodedTestResultsPart {
  /** From 0 on. */
  readonly place: number;
}

/** A test report of an upload with the number of its stored tests. */
export interface ReportTestResults {
  readonly evidenceId: string;
  readonly kind: TestKind;
  readonly sha256: string;
  /** Null unless the names of all tests are stored. */
  readonly tests: number | null;
}

const decompress = promisify(gunzip);

/** Stores and reads the tests of reports by name. */
@Injectable()
export class TestResultsRepository {
  /** Saves the tests of a report, in the transaction that saves the report. Does not change tests of the same content. */
  async save(tx: TenantTransaction, { sha256, testResults: { complete, parts } }: ReportWithTests): Promise<void> {
    for (const batch of toBatches(parts.map((part, place) => ({ ...part, place })))) {
      const inserted = await insert(tx, { sha256, complete }, batch);
      // Another transaction saved the same report in the meantime. Parts of two encodings must not mix.
      if (inserted === 0) return;
    }
  }

  /** Lists the test reports of these uploads. */
  async listReports(tx: TenantTransaction, evidenceIds: readonly string[]): Promise<readonly ReportTestResults[]> {
    return tx.query<ReportTestResults>(
      `select report.evidence_id as "evidenceId", report.summary ->> 'kind' as kind, report.sha256, counted.tests
       from evidence_report report
       left join lateral (
         select sum(part.test_count)::int as tests from test_results part where part.sha256 = report.sha256
         having bool_and(part.complete)) counted on true
       where report.evidence_id = any($1::uuid[])
         and report.summary ->> 'kind' in ('unit_tests', 'integration_tests', 'e2e_tests')
       order by report.id`,
      [evidenceIds],
    );
  }

  async readEntries(tx: TenantTransaction, sha256: string): Promise<TestEntries> {
    const rows = await tx.query<{ readonly entries: Buffer }>(
      `select entries from test_results where sha256 = $1 order by part`,
      [sha256],
    );
    return toTestEntries(rows.map(({ entries }) => entries));
  }

  /** Lists the names of those of the hashes that are in the report. */
  async listNames(tx: TenantTransaction, sha256: string, hashes: readonly bigint[]): Promise<readonly string[]> {
    const places = findIndexes(await this.readEntries(tx, sha256), hashes);
    const parts = new Map<number, EncodedTestNames>();
    const names: string[] = [];
    for (const place of places) {
      const part = Math.floor(place / TESTS_PER_PART);
      const known = parts.get(part) ?? (await this.listNamesOfPart(tx, sha256, part));
      parts.set(part, known);
      names.push(findTestName(known, place % TESTS_PER_PART));
    }
    return names;
  }

  private async listNamesOfPart(tx: TenantTransaction, sha256: string, part: number): Promise<EncodedTestNames> {
    const [row] = await tx.query<{ readonly names: Buffer }>(
      `select names from test_results where sha256 = $1 and part = $2`,
      [sha256, part],
    );
    return row ? (JSON.parse(String(await decompress(row.names))) as EncodedTestNames) : [];
  }
}

/** The first part alone: the transaction that inserts it also inserts the others. */
function toBatches([first, ...rest]: readonly PlacedPart[]): readonly (readonly PlacedPart[])[] {
  if (first === undefined) return [];
  const batches: PlacedPart[][] = [[first]];
  let bytes = BYTES_AT_ONCE;
  for (const part of rest) {
    if (bytes >= BYTES_AT_ONCE) {
      batches.push([]);
      bytes = 0;
    }
    batches.at(-1)?.push(part);
    bytes += part.marks.length + part.names.length;
  }
  return batches;
}

/** Returns the number of inserted parts. */
async function insert(
  tx: TenantTransaction,
  { sha256, complete }: { readonly sha256: string; readonly complete: boolean },
  parts: readonly PlacedPart[],
): Promise<number> {
  const params: unknown[] = [tx.orgId, sha256, complete];
  const rows = parts.map(({ place, tests, marks, names }) => {
    const columns = [place, tests, marks, names].map((value) => `$${params.push(value)}`);
    return `($1, $2, $3, ${columns.join(', ')})`;
  });
  const inserted = await tx.query(
    `insert into test_results (org_id, sha256, complete, part, test_count, entries, names) values ${rows.join(', ')}
     on conflict do nothing returning part`,
    params,
  );
  return inserted.length;
}
