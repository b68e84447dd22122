import { endianness } from 'node:os';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import type { TenantTransaction } from '../../database/database.js';
import type { TestKind } from '../../domain/evidence/evidence.js';
import {
  type EncodedTestResults,
  indexesOf,
  type EncodedTestResultsPart,
  type TestEntries,
  TESTS_PER_PART,
} from '../../domain/quality/test-results.js';

/** As much of a roll is written at once: most take one statement or two, and the longest keep nobody waiting. */
const BYTES_AT_ONCE = 1_048_576;

/** A report whose tests are known by name. */
export interface ReportWithTests {
  readonly sha256: string;
  /** Without a part where the report tells of no test. */
  readonly roll: EncodedTestResults;
}

interface PlacedPart extends EncodedTestResultsPart {
  /** From 0 on. */
  readonly place: number;
}

/** Keeps the tests of reports by name. */
@Injectable()
export class TestResultsRepository {
  /** In the transaction that keeps the report; what is known of the same content already is left as it is. */
  async keep(tx: TenantTransaction, { sha256, roll: { complete, parts } }: ReportWithTests): Promise<void> {
    for (const batch of batchesOf(parts.map((part, place) => ({ ...part, place })))) {
      const kept = await insert(tx, { sha256, complete }, batch);
      // Another upload of the same report was kept meanwhile, and a roll is of one of them alone.
      if (kept === 0) return;
    }
  }
}

/** The first part by itself: who has kept it keeps the others. */
function batchesOf([first, ...rest]: readonly PlacedPart[]): readonly (readonly PlacedPart[])[] {
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

/** How many of them were not there. */
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
    `insert into test_roll (org_id, sha256, complete, part, tests, marks, names) values ${rows.join(', ')}
     on conflict do nothing returning part`,
    params,
  );
  return inserted.length;
}

const decompress = promisify(gunzip);

/** A report of an upload, and whether its tests are known. */
export interface ReportTestResults {
  readonly evidenceId: string;
  readonly kind: TestKind;
  readonly sha256: string;
  /** How many there are; null where they are not known by name, or not all of them. */
  readonly tests: number | null;
}

/** Which tests reports told of. */
@Injectable()
export class TestRollsReader {
  /** The test reports of these uploads. */
  async list(tx: TenantTransaction, evidenceIds: readonly string[]): Promise<readonly ReportTestResults[]> {
    return tx.query<ReportTestResults>(
      `select report.evidence_id as "evidenceId", report.summary ->> 'kind' as kind, report.sha256, rolled.tests
       from evidence_report report
       left join lateral (
         select sum(roll.tests)::int as tests from test_roll roll where roll.sha256 = report.sha256
         having bool_and(roll.complete)) rolled on true
       where report.evidence_id = any($1::uuid[])
         and report.summary ->> 'kind' in ('unit_tests', 'integration_tests', 'e2e_tests')
       order by report.id`,
      [evidenceIds],
    );
  }

  async marks(tx: TenantTransaction, sha256: string): Promise<TestEntries> {
    const rows = await tx.query<{ readonly marks: Buffer }>(
      `select marks from test_roll where sha256 = $1 order by part`,
      [sha256],
    );
    const bytes = Buffer.concat(rows.map(({ marks }) => marks));
    if (endianness() === 'BE') bytes.swap64();
    const marks = new BigUint64Array(bytes.length / BigUint64Array.BYTES_PER_ELEMENT);
    new Uint8Array(marks.buffer).set(bytes);
    return marks;
  }

  /** The names of those of the wanted tests that are in the report. */
  async names(tx: TenantTransaction, sha256: string, wanted: readonly bigint[]): Promise<readonly string[]> {
    const places = indexesOf(await this.marks(tx, sha256), wanted);
    const parts = new Map<number, readonly string[]>();
    const names: string[] = [];
    for (const place of places) {
      const part = Math.floor(place / TESTS_PER_PART);
      const known = parts.get(part) ?? (await this.namesOfPart(tx, sha256, part));
      parts.set(part, known);
      names.push(known[place % TESTS_PER_PART] ?? '');
    }
    return names;
  }

  private async namesOfPart(tx: TenantTransaction, sha256: string, part: number): Promise<readonly string[]> {
    const [row] = await tx.query<{ readonly names: Buffer }>(
      `select names from test_roll where sha256 = $1 and part = $2`,
      [sha256, part],
    );
    return row ? (JSON.parse(String(await decompress(row.names))) as readonly string[]) : [];
  }
}
