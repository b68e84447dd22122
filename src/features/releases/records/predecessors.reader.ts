import { Injectable } from '@nestjs/common';
import type { TenantTx } from '../../../database/database.js';

/**
 * The release `r`'s predecessor `before`: the one that was deployed last, or last before it, since one may be told of long after the
 * next. Whether it was shipped is a condition on `r`.
 */
export const predecessorOf = (isShipped: string): string => `
  from history_record h join release before on before.id = h.release_id
  where h.repository_id = r.repository_id and h.kind in ('release', 'hotfix') and h.release_id <> r.id
    -- One comparison, with which the index begins: what was deployed later is not read.
    and h.deployed_at < case when ${isShipped} then (
      select min(own.deployed_at) from history_record own
      where own.release_id = r.id and own.kind in ('release', 'hotfix')) else 'infinity' end
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

/** A release of which the predecessor is asked for, as whoever asks has read it. */
interface Successor {
  readonly id: string;
  readonly repositoryId: string;
  readonly isShipped: boolean;
}

interface PredecessorRow extends ShippedRelease {
  readonly of: string;
}

/** Which release of the same repository was shipped last before each. */
@Injectable()
export class Predecessors {
  /** By the release's id; those that have none are left out. */
  async list(tx: TenantTx, releases: readonly Successor[]): Promise<ReadonlyMap<string, ShippedRelease>> {
    if (releases.length === 0) return new Map();
    const rows = await tx.prepared<PredecessorRow>(
      'list_predecessors',
      `select r.id as of, last.id, last.version, last."linePercent", last.score
       from unnest($1::uuid[], $2::uuid[], $3::boolean[]) as r (id, repository_id, is_shipped)
       cross join lateral (
         select before.id, before.version, (before.shipped ->> 'linePercent')::float8 as "linePercent",
           (before.shipped_scorecard ->> 'score')::float8 as score ${predecessorOf('r.is_shipped')}) last`,
      [
        releases.map(({ id }) => id),
        releases.map(({ repositoryId }) => repositoryId),
        releases.map(({ isShipped }) => isShipped),
      ],
    );
    return new Map(rows.map(({ of, ...shipped }) => [of, shipped]));
  }
}
