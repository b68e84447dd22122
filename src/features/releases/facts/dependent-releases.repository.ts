import { Injectable } from '@nestjs/common';
import { Clock } from '../../../config/clock.js';
import type { TenantTransaction } from '../../../database/database.js';
import { factId, type FactKey } from '../../../domain/facts/facts.js';

/** Invalidates the releases that depend on facts, and stores the state of the latest evidence pull request with each of them. */
@Injectable()
export class DependentReleasesRepository {
  constructor(private readonly clock: Clock) {}

  /**
   * Updates the releases that wait for one of these facts, because a list cannot run ten thousand sub-queries. Shipped releases are in
   * no list of reviews.
   */
  async updatePullStates(tx: TenantTransaction, repositoryId: string, facts: readonly FactKey[]): Promise<void> {
    const numbers = facts.filter(({ kind }) => kind === 'pull').map(({ key }) => Number(key));
    if (numbers.length === 0) return;
    const releases = await tx.query<{ readonly id: string }>(
      // Every transaction that locks several releases uses this order, to prevent deadlocks.
      `select id from release where shipped_at is null and deleted_at is null and id in (
         select release_id from evidence_pull_request where repository_id = $1 and number = any($2::integer[]))
       order by id for no key update`,
      [repositoryId, numbers],
    );
    const ids = releases.map(({ id }) => id);
    if (ids.length > 0) await this.updatePullState(tx, ids);
  }

  /** An earlier statement locks the releases, so that this one sees the writes of the previous lock holder. */
  async updatePullState(tx: TenantTransaction, releaseIds: readonly string[]): Promise<void> {
    await tx.queryPrepared(
      'update_pull_states',
      `update release set pull_number = latest.number, pull_state = latest.state, pull_seen_at = latest.observed_at
       from (
         select r.id, pull.number, seen.state, seen.observed_at from release r
         left join lateral (
           select p.number from evidence_pull_request p where p.release_id = r.id and p.abandoned_at is null
           order by p.opened_at desc, p.number desc limit 1) pull on true
         left join lateral (
           select coalesce(o.value ->> 'state', 'closed') as state, o.observed_at from observation o
           where o.repository_id = r.repository_id and o.kind = 'pull' and o.key = pull.number::text limit 1) seen on true
         where r.id = any($1::uuid[])) latest
       where release.id = latest.id and (release.pull_number, release.pull_state, release.pull_seen_at)
         is distinct from (latest.number, latest.state, latest.observed_at)`,
      [releaseIds],
    );
  }

  /** Lists the releases that wait for a review. */
  async listWaiting(tx: TenantTransaction, repositoryId: string): Promise<readonly string[]> {
    const waiting = await tx.query<{ readonly id: string }>(
      `select id from release where repository_id = $1 and stage = 'EVIDENCING' and not evidence_approved
         and shipped_at is null and cancelled_at is null and deleted_at is null order by id`,
      [repositoryId],
    );
    return toIds(waiting);
  }

  /**
   * Locks the releases first and reads the facts that they used only then: an evaluation that runs now may have used the old
   * value.
   */
  async invalidateDependents(
    tx: TenantTransaction,
    repositoryId: string,
    facts: readonly FactKey[],
  ): Promise<readonly string[]> {
    if (facts.length === 0) return [];
    return toIds(
      await tx.queryPrepared<{ readonly id: string }>(
        'invalidate_dependents',
        `with locked as (
           select id, used_facts from release
           where repository_id = $1 and deleted_at is null and (shipped_at is null or used_facts && $2::text[])
           order by id for no key update)
         update release set valid_until = '-infinity', invalidated_at = coalesce(invalidated_at, $3) from locked
         where release.id = locked.id and locked.used_facts && $2::text[] returning release.id`,
        [repositoryId, facts.map(factId), this.clock.earliestNow()],
      ),
    );
  }

  /** Invalidates the active releases, and the shipped ones only if `ofShipped` is set. */
  async invalidateAll(
    tx: TenantTransaction,
    repositoryId: string,
    { exceptId = null, ofShipped = false }: { readonly exceptId?: string | null; readonly ofShipped?: boolean } = {},
  ): Promise<readonly string[]> {
    return toIds(
      await tx.query<{ readonly id: string }>(
        `update release set valid_until = '-infinity', invalidated_at = coalesce(invalidated_at, $4) where id in (
           select id from release where repository_id = $1 and deleted_at is null and (shipped_at is null or $3)
             and id is distinct from $2::uuid
           order by id for no key update) returning id`,
        [repositoryId, exceptId, ofShipped, this.clock.earliestNow()],
      ),
    );
  }
}

const toIds = (rows: readonly { readonly id: string }[]): readonly string[] => rows.map(({ id }) => id);
