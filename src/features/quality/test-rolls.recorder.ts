import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { constants, gzip, type ZlibOptions } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import type { TenantTx } from '../../database/database.js';
import type { TestOutcome } from '../../domain/evidence/test-outcome.js';
import { TEST_MARK } from '../../domain/quality/test-marks.js';

const compress = promisify<Buffer | string, ZlibOptions, Buffer>(gzip);

/** Enough that a report has few parts, and few enough that one of them is read for a single name. */
export const TESTS_OF_A_PART = 4_096;

const MARK_BYTES = BigUint64Array.BYTES_PER_ELEMENT;

/** A roll that is as long as one may be has perhaps lost its end; the characters are those of all names together. */
const LONGEST = { tests: 250_000, characters: 31_999_000 };

/** A report whose tests are known by name. */
export interface RolledReport {
  readonly sha256: string;
  readonly tests: readonly TestOutcome[];
}

/** Keeps the tests of reports by name. */
@Injectable()
export class TestRolls {
  /** In the transaction that keeps the report; what is known of the same content already is left as it is. */
  async keep(tx: TenantTx, { sha256, tests }: RolledReport): Promise<void> {
    if (tests.length === 0) return;
    const known = await tx.query(`select from test_roll where sha256 = $1 and part = 0`, [sha256]);
    if (known.length > 0) return;
    const complete = isComplete(tests);
    for (let part = 0; part * TESTS_OF_A_PART < tests.length; part += 1) {
      const of = tests.slice(part * TESTS_OF_A_PART, (part + 1) * TESTS_OF_A_PART);
      const names = await compress(JSON.stringify(of.map(({ name }) => name)), { level: constants.Z_BEST_SPEED });
      const kept = await tx.query(
        `insert into test_roll (org_id, sha256, part, tests, complete, marks, names)
         values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing returning part`,
        [tx.orgId, sha256, part, of.length, complete, marksOf(of), names],
      );
      // Another upload of the same report was kept meanwhile, and a roll is of one of them alone.
      if (kept.length === 0) return;
    }
  }
}

function isComplete(tests: readonly TestOutcome[]): boolean {
  const characters = tests.reduce((sum, { name }) => sum + name.length, 0);
  return tests.length < LONGEST.tests && characters < LONGEST.characters;
}

/** `TestMarks`, little-endian whatever the machine. Numbers of 64 bits would be made and thrown away for each test. */
function marksOf(tests: readonly TestOutcome[]): Buffer {
  const marks = Buffer.alloc(tests.length * MARK_BYTES);
  tests.forEach(({ name, outcome }, nth) => {
    const at = nth * MARK_BYTES;
    marks.write(hash('sha256', name).slice(0, 2 * MARK_BYTES), at, 'hex');
    marks.writeUInt8(((marks[at] ?? 0) & ~3) | TEST_MARK[outcome], at);
  });
  return marks;
}
