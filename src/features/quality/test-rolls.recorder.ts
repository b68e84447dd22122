import { Injectable } from '@nestjs/common';
import type { TenantTx } from '../../database/database.js';
import type { PackedRoll, RollPart } from '../../domain/quality/packed-roll.js';

/** A report whose tests are known by name. */
export interface RolledReport {
  readonly sha256: string;
  /** Without a part where the report tells of no test. */
  readonly roll: PackedRoll;
}

/** Keeps the tests of reports by name. */
@Injectable()
export class TestRolls {
  /** In the transaction that keeps the report; what is known of the same content already is left as it is. */
  async keep(tx: TenantTx, { sha256, roll }: RolledReport): Promise<void> {
    const [first, ...rest] = roll.parts.map((part, nth) => ({ ...part, nth }));
    if (first === undefined) return;
    const kept = await insert(tx, sha256, roll.complete, [first]);
    // Where the first part was there, another upload of the same report is kept, and a roll is of one of them alone.
    if (kept && rest.length > 0) await insert(tx, sha256, roll.complete, rest);
  }
}

const COLUMNS_OF_A_PART = 4;

/** All of them in one statement: a large report has dozens of parts. False where one was there. */
async function insert(
  tx: TenantTx,
  sha256: string,
  complete: boolean,
  parts: readonly (RollPart & { readonly nth: number })[],
): Promise<boolean> {
  const common = [tx.orgId, sha256, complete];
  const rows = parts.map((_, at) => {
    const from = common.length + at * COLUMNS_OF_A_PART;
    return `($1, $2, $3, ${Array.from({ length: COLUMNS_OF_A_PART }, (_column, nth) => `$${from + nth + 1}`).join(', ')})`;
  });
  const inserted = await tx.query(
    `insert into test_roll (org_id, sha256, complete, part, tests, marks, names) values ${rows.join(', ')}
     on conflict do nothing returning part`,
    [...common, ...parts.flatMap(({ nth, tests, marks, names }) => [nth, tests, marks, names])],
  );
  return inserted.length === parts.length;
}
