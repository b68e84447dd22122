import { Injectable } from '@nestjs/common';
import type { TenantTx } from '../../database/database.js';

/** The release `r`'s predecessor `before`: the one that was deployed last, or last before it, since one may be told of long after the next. */
export const PREDECESSOR = `
  from history_record h join release before on before.id = h.release_id
  where h.repository_id = r.repository_id and h.kind in ('release', 'hotfix') and h.release_id <> r.id
    and (r.shipped_at is null or h.deployed_at < (
      select min(own.deployed_at) from history_record own
      where own.release_id = r.id and own.kind in ('release', 'hotfix')))
  order by h.deployed_at desc, h.id limit 1`;

/** A release as it was shipped. */
export interface ShippedRelease {
  readonly id: string;
  readonly version: string;
  /** Null where it shipped without any measured coverage. */
  readonly linePercent: number | null;
  /** Of its scorecard; null where that said none, or there was none yet. */
  readonly score: number | null;
}

interface PredecessorRow extends ShippedRelease {
  readonly of: string;
}

/** Which release of the same repository was shipped last before each. */
@Injectable()
export class Predecessors {
  /** By the release's id; those that have none are left out. */
  async list(tx: TenantTx, releaseIds: readonly string[]): Promise<ReadonlyMap<string, ShippedRelease>> {
    if (releaseIds.length === 0) return new Map();
    const rows = await tx.prepared<PredecessorRow>(
      'list_predecessors',
      `select r.id as of, last.id, last.version, last."linePercent", last.score
       from unnest($1::uuid[]) as wanted (id)
       -- Each by itself: for many ids the planner would rather read the whole table.
       cross join lateral (select id, repository_id, shipped_at from release where id = wanted.id offset 0) r
       cross join lateral (
         select before.id, before.version, (before.shipped ->> 'linePercent')::float8 as "linePercent",
           (before.shipped_scorecard ->> 'score')::float8 as score ${PREDECESSOR}) last`,
      [releaseIds],
    );
    return new Map(rows.map(({ of, ...shipped }) => [of, shipped]));
  }
}
