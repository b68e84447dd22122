import { Injectable } from '@nestjs/common';
import { clockSkewLimit } from '../../../auth/session/session-lifetime.js';
import { Database, type TenantTransaction, type Viewer } from '../../../database/database.js';
import { isUuid } from '../../../database/ids.js';
import { FACT_LIFETIME_MS, type FactKey, parseFactId, type Sha } from '../../../domain/facts/facts.js';
import type { NamedUser } from '../../../domain/release/condition-users.js';
import type { OpenRelease } from '../../../domain/release/resolve-release.js';
import { releaseNotFound } from '../../../http/errors/domain-error.js';
import { concerns, type FactHint } from '../facts/fact-hints.repository.js';
import type { ReleaseUserDto } from './release-user.dto.js';

/** How long no change of the scope may begin while a release waits to be shipped, in milliseconds. The next try may come late. */
export const SCOPE_LOCK_AFTER_DEPLOY_MS = 60_000;

/**
 * SQL for the predecessor `before` of the release `r`: the last deployed one, or the last one before its own deployment, because
 * a deployment may be reported after a later one. `isShipped` is a condition on `r`.
 */
export const predecessorSql = (isShipped: string, limit = 1): string => `
  from deployment_record h join release before on before.id = h.release_id
  where h.repository_id = r.repository_id and h.kind in ('release', 'hotfix') and h.release_id <> r.id
    -- One comparison, with which the index begins: what was deployed later is not read.
    and h.deployed_at < case when ${isShipped} then (
      select min(own.deployed_at) from deployment_record own
      where own.release_id = r.id and own.kind in ('release', 'hotfix')) else 'infinity' end
  order by h.deployed_at desc, h.id limit ${limit}`;

/** A shipped release. */
export interface ShippedRelease {
  readonly id: string;
  readonly version: string;
  /** Null if it shipped without coverage. */
  readonly linePercent: number | null;
  /** The score of its scorecard; null if there was no scorecard or no score. */
  readonly score: number | null;
}

/** The number of releases whose scores are shown before the one of a release. */
export const MAX_EARLIER_SCORES = 9;

/** A release whose predecessor is requested. */
interface Successor {
  readonly id: string;
  readonly repositoryId: string;
  readonly isShipped: boolean;
}

const toColumns = (releases: readonly Successor[]): readonly unknown[] => [
  releases.map(({ id }) => id),
  releases.map(({ repositoryId }) => repositoryId),
  releases.map(({ isShipped }) => isShipped),
];

/** Finds releases, their predecessors and the facts that they used. */
@Injectable()
export class ReleasesQueries {
  constructor(private readonly database: Database) {}

  /** Maps release ids to their predecessors. Releases without one are left out. */
  async listPredecessors(
    tx: TenantTransaction,
    releases: readonly Successor[],
  ): Promise<ReadonlyMap<string, ShippedRelease>> {
    if (releases.length === 0) return new Map();
    const rows = await tx.queryPrepared<ShippedRelease & { readonly of: string }>(
      'list_release_predecessors',
      `select r.id as of, last.id, last.version, last."linePercent", last.score
       from unnest($1::uuid[], $2::uuid[], $3::boolean[]) as r (id, repository_id, is_shipped)
       cross join lateral (
         select before.id, before.version, (before.shipped ->> 'linePercent')::float8 as "linePercent",
           (before.shipped_scorecard ->> 'score')::float8 as score ${predecessorSql('r.is_shipped')}) last`,
      toColumns(releases),
    );
    return new Map(rows.map(({ of, ...shipped }) => [of, shipped]));
  }

  /**
   * Maps release ids to the scores with which the releases before them shipped, the earliest first, at most `MAX_EARLIER_SCORES`. A score is
   * null if there was none.
   */
  async listEarlierScores(
    tx: TenantTransaction,
    releases: readonly Successor[],
  ): Promise<ReadonlyMap<string, readonly (number | null)[]>> {
    if (releases.length === 0) return new Map();
    const rows = await tx.queryPrepared<{ readonly of: string; readonly latest: readonly [string, number | null][] }>(
      'list_earlier_scores',
      `select r.id as of, to_jsonb(array(
         select jsonb_build_array(before.id, (before.shipped_scorecard ->> 'score')::float8)
         ${predecessorSql('r.is_shipped', MAX_EARLIER_SCORES)})) as latest
       from unnest($1::uuid[], $2::uuid[], $3::boolean[]) as r (id, repository_id, is_shipped)`,
      toColumns(releases),
    );
    // A release that was deployed several times has one score.
    return new Map(rows.map(({ of, latest }) => [of, [...new Map(latest).values()].toReversed()]));
  }

  /**
   * Returns the logins and avatars of the users in each group. A user who is no member of the workspace has no avatar; one who is known by the id alone is
   * then left out.
   */
  async listNamedUsers(
    tx: TenantTransaction,
    groups: readonly (readonly NamedUser[])[],
  ): Promise<readonly (readonly ReleaseUserDto[])[]> {
    const named = groups.flat();
    if (named.length === 0) return [];
    const rows = await tx.queryPrepared<ReleaseUserDto & { readonly id: number }>(
      'list_named_users',
      'select github_id::float8 as id, login, avatar_url as "avatarUrl" from list_named_users($1::bigint[], $2::text[])',
      [
        named.filter((user) => typeof user === 'number'),
        named.filter((user) => typeof user === 'string').map((login) => login.toLowerCase()),
      ],
    );
    const known = new Map<NamedUser, ReleaseUserDto>(
      rows.flatMap(({ id, login, avatarUrl }): [NamedUser, ReleaseUserDto][] => [
        [id, { login, avatarUrl }],
        [login.toLowerCase(), { login, avatarUrl }],
      ]),
    );
    return groups.map((users) =>
      users.flatMap((user) =>
        typeof user === 'number'
          ? (known.get(user) ?? [])
          : (known.get(user.toLowerCase()) ?? { login: user, avatarUrl: null }),
      ),
    );
  }

  /** Returns the id of the release with this exact version; null if there is none. */
  async findByVersion(tx: TenantTransaction, repositoryId: string, version: string): Promise<string | null> {
    const [row] = await tx.query<{ readonly id: string }>(
      `select id from release where repository_id = $1 and version = $2 and deleted_at is null`,
      [repositoryId, version],
    );
    return row?.id ?? null;
  }

  /** Lists the versions of the repository's releases, the newest release first, 200 at most. */
  async listNewestVersions(tx: TenantTransaction, repositoryId: string): Promise<readonly string[]> {
    const rows = await tx.query<{ readonly version: string }>(
      `select version from release where repository_id = $1 and deleted_at is null order by created_at desc, id limit 200`,
      [repositoryId],
    );
    return rows.map(({ version }) => version);
  }

  /** Locks the release until the transaction ends and returns whether it is shipped; null if it was deleted. */
  async lockStatus(tx: TenantTransaction, releaseId: string): Promise<'live' | 'shipped' | null> {
    const [row] = await tx.query<{ readonly shipped: boolean }>(
      `select shipped_at is not null as shipped from release where id = $1 and deleted_at is null for update`,
      [releaseId],
    );
    if (!row) return null;
    return row.shipped ? 'shipped' : 'live';
  }

  /**
   * Whether the release was deployed and only waits for changes of its scope to end before it ships. A time too far in the future
   * comes from a wrong clock and is ignored.
   */
  async isAboutToShip(tx: TenantTransaction, releaseId: string, now: Date): Promise<boolean> {
    const rows = await tx.query(
      `select from release where id = $1 and scope_closed_until > $2 and scope_closed_until <= $3`,
      [releaseId, now, clockSkewLimit(new Date(now.getTime() + SCOPE_LOCK_AFTER_DEPLOY_MS))],
    );
    return rows.length > 0;
  }

  /** Whether the release is shipped. Does not lock it. */
  async isShipped(tx: TenantTransaction, releaseId: string): Promise<boolean> {
    const rows = await tx.query(`select from release where id = $1 and shipped_at is not null`, [releaseId]);
    return rows.length > 0;
  }

  /**
   * Lists the changed facts that a verdict may use: those of the latest verdicts, and every stored one. Otherwise a release that
   * is created later would treat a stored value as fresh.
   */
  async listUsedFacts(
    tx: TenantTransaction,
    repositoryId: string,
    hints: readonly FactHint[],
  ): Promise<readonly FactKey[]> {
    if (hints.length === 0) return [];
    return tx.queryPrepared<FactKey>(
      'list_used_facts',
      `with h as (select * from unnest($2::text[], $3::text[]) as h (kind, key))
       select o.kind, o.key from h join observation o on o.repository_id = $1 and ${concerns('h', 'o')}
       union
       select f.kind, f.key from (
         select split_part(fact, ':', 1) as kind, substr(fact, strpos(fact, ':') + 1) as key
         from release, unnest(used_facts) as fact where repository_id = $1 and deleted_at is null) as f
       join h on ${concerns('h', 'f')}
       order by kind, key`,
      [repositoryId, hints.map(({ kind }) => kind), hints.map(({ key }) => key)],
    );
  }

  /** Lists the active releases of a repository, each with its changeable facts. */
  async listActive(
    tx: TenantTransaction,
    repositoryId: string,
  ): Promise<readonly { readonly id: string; readonly changeable: readonly FactKey[] }[]> {
    const rows = await tx.query<{ readonly id: string; readonly usedFacts: readonly string[] }>(
      `select id, used_facts as "usedFacts" from release
       where repository_id = $1 and deleted_at is null and shipped_at is null order by id`,
      [repositoryId],
    );
    return rows.map(({ id, usedFacts }) => ({
      id,
      changeable: usedFacts.map(parseFactId).filter(({ kind }) => Number.isFinite(FACT_LIFETIME_MS[kind])),
    }));
  }

  /** Lists the releases of a repository that are neither shipped nor cancelled. */
  async listOpen(tx: TenantTransaction, repositoryId: string): Promise<readonly OpenRelease[]> {
    return tx.query<OpenRelease>(
      `select version, candidate_shas as "candidateShas" from release
       where repository_id = $1 and deleted_at is null and shipped_at is null and cancelled_at is null`,
      [repositoryId],
    );
  }

  /** Whether a deployment of one of the commits waits for approval that began after `since`. */
  async hasWaitingDeployment(
    tx: TenantTransaction,
    repositoryId: string,
    shas: readonly Sha[],
    since: Date,
  ): Promise<boolean> {
    const waiting = await tx.queryPrepared(
      'find_waiting_deployment',
      `select from deployment where repository_id = $1 and waiting and state = 'pending' and sha = any($2) and began_at > $3
       limit 1`,
      [repositoryId, shas, since],
    );
    return waiting.length > 0;
  }

  /** Lists the deployments of the repository that wait for the protection rule. */
  async listWaitingHolds(tx: TenantTransaction, repositoryId: string): Promise<readonly string[]> {
    const rows = await tx.queryPrepared<{ readonly id: string }>(
      'list_waiting_holds',
      `select id from deployment_hold where repository_id = $1 and state = 'waiting' order by id`,
      [repositoryId],
    );
    return rows.map(({ id }) => id);
  }

  /** Throws `not_found` if there is no such release in the workspace or the user cannot read its repository. */
  async assertReadable(viewer: Viewer, id: string): Promise<void> {
    const found =
      isUuid(id) &&
      (await this.database.asViewer(viewer, (tx) =>
        tx.query(`select from release where id = $1 and deleted_at is null`, [id]),
      ));
    if (!found || found.length === 0) throw releaseNotFound();
  }
}
