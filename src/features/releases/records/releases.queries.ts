import { Injectable } from '@nestjs/common';
import { clockSkewLimit } from '../../../auth/session/session-lifetime.js';
import { Database, type TenantTransaction, type Viewer } from '../../../database/database.js';
import { isUuid } from '../../../database/ids.js';
import { FACT_LIFETIME_MS, type FactKey, parseFactId } from '../../../domain/facts/facts.js';
import { releaseNotFound } from '../../../http/errors/domain-error.js';
import { concerns, type FactHint } from '../facts/fact-hints.repository.js';

/** For how long nobody begins to change the scope of a release that waits to be shipped: the next try may come late. */
export const SCOPE_LOCK_AFTER_DEPLOY_MS = 60_000;

/**
 * The release `r`'s predecessor `before`: the one that was deployed last, or last before it, since one may be told of long after the
 * next. Whether it was shipped is a condition on `r`.
 */
export const predecessorSql = (isShipped: string): string => `
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

/** Which release of the same repository was shipped last before each. Which releases a workspace has. Which releases a person may know of. */
@Injectable()
export class ReleasesQueries {
  constructor(private readonly database: Database) {}

  /** By the release's id; those that have none are left out. */
  async list(tx: TenantTransaction, releases: readonly Successor[]): Promise<ReadonlyMap<string, ShippedRelease>> {
    if (releases.length === 0) return new Map();
    const rows = await tx.queryPrepared<PredecessorRow>(
      'list_predecessors',
      `select r.id as of, last.id, last.version, last."linePercent", last.score
       from unnest($1::uuid[], $2::uuid[], $3::boolean[]) as r (id, repository_id, is_shipped)
       cross join lateral (
         select before.id, before.version, (before.shipped ->> 'linePercent')::float8 as "linePercent",
           (before.shipped_scorecard ->> 'score')::float8 as score ${predecessorSql('r.is_shipped')}) last`,
      [
        releases.map(({ id }) => id),
        releases.map(({ repositoryId }) => repositoryId),
        releases.map(({ isShipped }) => isShipped),
      ],
    );
    return new Map(rows.map(({ of, ...shipped }) => [of, shipped]));
  }

  /** The live release of this exact version; null where there is none. */
  async findByVersion(tx: TenantTransaction, repositoryId: string, version: string): Promise<string | null> {
    const [row] = await tx.query<{ readonly id: string }>(
      `select id from release where repository_id = $1 and version = $2 and deleted_at is null`,
      [repositoryId, version],
    );
    return row?.id ?? null;
  }

  /** Whether the release is still to be shipped, and stays so until the transaction ends; null where it is gone. */
  async lockStatus(tx: TenantTransaction, releaseId: string): Promise<'live' | 'shipped' | null> {
    const [row] = await tx.query<{ readonly shipped: boolean }>(
      `select shipped_at is not null as shipped from release where id = $1 and deleted_at is null for update`,
      [releaseId],
    );
    if (!row) return null;
    return row.shipped ? 'shipped' : 'live';
  }

  /**
   * Whether the release was deployed, and waits only for changes of its scope to come to an end before it is shipped. What
   * reaches further than it can was written by a clock that was wrong.
   */
  async isAboutToShip(tx: TenantTransaction, releaseId: string, now: Date): Promise<boolean> {
    const rows = await tx.query(
      `select from release where id = $1 and scope_closed_until > $2 and scope_closed_until <= $3`,
      [releaseId, now, clockSkewLimit(new Date(now.getTime() + SCOPE_LOCK_AFTER_DEPLOY_MS))],
    );
    return rows.length > 0;
  }

  /** Whether the release is shipped by now; it is not held. */
  async isShipped(tx: TenantTransaction, releaseId: string): Promise<boolean> {
    const rows = await tx.query(`select from release where id = $1 and shipped_at is not null`, [releaseId]);
    return rows.length > 0;
  }

  /**
   * Those of the facts that may have changed on which a verdict may rest: what the last ones rested on, and whatever is stored. A
   * release that is made next would take that for fresh, although nobody asked about it when it changed.
   */
  async listUsedFacts(
    tx: TenantTransaction,
    repositoryId: string,
    hints: readonly FactHint[],
  ): Promise<readonly FactKey[]> {
    if (hints.length === 0) return [];
    return tx.queryPrepared<FactKey>(
      'list_facts_rested_on',
      `with h as (select * from unnest($2::text[], $3::text[]) as h (kind, key))
       select o.kind, o.key from h join observation o on o.repository_id = $1 and ${concerns('h', 'o')}
       union
       select f.kind, f.key from (
         select split_part(fact, ':', 1) as kind, substr(fact, strpos(fact, ':') + 1) as key
         from release, unnest(consulted) as fact where repository_id = $1 and deleted_at is null) as f
       join h on ${concerns('h', 'f')}
       order by kind, key`,
      [repositoryId, hints.map(({ kind }) => kind), hints.map(({ key }) => key)],
    );
  }

  /** Live releases of a repository that are not shipped, with the facts of theirs that may change. */
  async listActive(
    tx: TenantTransaction,
    repositoryId: string,
  ): Promise<readonly { readonly id: string; readonly changeable: readonly FactKey[] }[]> {
    const rows = await tx.query<{ readonly id: string; readonly consulted: readonly string[] }>(
      `select id, consulted from release
       where repository_id = $1 and deleted_at is null and shipped_at is null order by id`,
      [repositoryId],
    );
    return rows.map(({ id, consulted }) => ({
      id,
      changeable: consulted.map(parseFactId).filter(({ kind }) => Number.isFinite(FACT_LIFETIME_MS[kind])),
    }));
  }

  /** Throws `not_found` for what is no release, another workspace's, or of a repository that the person may not read. */
  async assertReadable(viewer: Viewer, id: string): Promise<void> {
    const found =
      isUuid(id) &&
      (await this.database.asViewer(viewer, (tx) =>
        tx.query(`select from release where id = $1 and deleted_at is null`, [id]),
      ));
    if (!found || found.length === 0) throw releaseNotFound();
  }
}
