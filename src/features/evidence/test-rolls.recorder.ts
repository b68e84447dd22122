import { Injectable } from '@nestjs/common';
import type { TenantTx } from '../../database/database.js';
import type { PackedRoll, RollPart } from '../../domain/quality/packed-roll.js';

/** As much of a roll is written at once: most take one statement or two, and the longest keep nobody waiting. */
const BYTES_AT_ONCE = 1_048_576;

/** A report whose tests are known by name. */
export interface RolledReport {
  readonly sha256: string;
  /** Without a part where the report tells of no test. */
  readonly roll: PackedRoll;
}

interface PlacedPart extends RollPart {
  /** From 0 on. */
  readonly place: number;
}

/** Keeps the tests of reports by name. */
@Injectable()
export class TestRolls {
  /** In the transaction that keeps the report; what is known of the same content already is left as it is. */
  async keep(tx: TenantTx, { sha256, roll: { complete, parts } }: RolledReport): Promise<void> {
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
  tx: TenantTx,
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
