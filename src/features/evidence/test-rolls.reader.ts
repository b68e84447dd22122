import { endianness } from 'node:os';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import type { TenantTx } from '../../database/database.js';
import type { TestKind } from '../../domain/evidence/evidence.js';
import { TESTS_OF_A_PART } from '../../domain/quality/packed-roll.js';
import { placesOf, type TestMarks } from '../../domain/quality/test-marks.js';

const decompress = promisify(gunzip);

/** A report of an upload, and whether its tests are known. */
export interface ReportRoll {
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
  async list(tx: TenantTx, evidenceIds: readonly string[]): Promise<readonly ReportRoll[]> {
    return tx.query<ReportRoll>(
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

  async marks(tx: TenantTx, sha256: string): Promise<TestMarks> {
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
  async names(tx: TenantTx, sha256: string, wanted: readonly bigint[]): Promise<readonly string[]> {
    const places = placesOf(await this.marks(tx, sha256), wanted);
    const parts = new Map<number, readonly string[]>();
    const names: string[] = [];
    for (const place of places) {
      const part = Math.floor(place / TESTS_OF_A_PART);
      const known = parts.get(part) ?? (await this.namesOfPart(tx, sha256, part));
      parts.set(part, known);
      names.push(known[place % TESTS_OF_A_PART] ?? '');
    }
    return names;
  }

  private async namesOfPart(tx: TenantTx, sha256: string, part: number): Promise<readonly string[]> {
    const [row] = await tx.query<{ readonly names: Buffer }>(
      `select names from test_roll where sha256 = $1 and part = $2`,
      [sha256, part],
    );
    return row ? (JSON.parse(String(await decompress(row.names))) as readonly string[]) : [];
  }
}
