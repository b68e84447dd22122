import { Injectable } from '@nestjs/common';
import type { TenantTx } from '../../../database/database.js';
import type { FactKey } from '../../../domain/facts/facts.js';

/**
 * Keeps with each release which evidence pull request is its latest and what was observed of that: ten thousand look-ups are
 * too many for a list.
 */
@Injectable()
export class ObservedPulls {
  /** Of the releases that wait for one of these facts. What was shipped is in no list of reviews. */
  async keepThoseOf(tx: TenantTx, repositoryId: string, facts: readonly FactKey[]): Promise<void> {
    const numbers = facts.filter(({ kind }) => kind === 'pull').map(({ key }) => Number(key));
    if (numbers.length === 0) return;
    const releases = await tx.query<{ readonly id: string }>(
      // Whoever locks several releases does it in this order.
      `select id from release where shipped_at is null and deleted_at is null and id in (
         select release_id from evidence_pull where repository_id = $1 and number = any($2::integer[]))
       order by id for no key update`,
      [repositoryId, numbers],
    );
    const ids = releases.map(({ id }) => id);
    if (ids.length > 0) await this.keep(tx, ids);
  }

  /** The releases are locked by an earlier statement: what another writer left is then seen. */
  async keep(tx: TenantTx, releaseIds: readonly string[]): Promise<void> {
    await tx.prepared(
      'keep_observed_pulls',
      `update release set pull_number = latest.number, pull_state = latest.state, pull_seen_at = latest.observed_at
       from (
         select r.id, pull.number, seen.state, seen.observed_at from release r
         left join lateral (
           select p.number from evidence_pull p where p.release_id = r.id and p.abandoned_at is null
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
}
