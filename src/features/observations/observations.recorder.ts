import { Injectable } from '@nestjs/common';
import type { TenantTx } from '../../database/database.js';
import { factId, type FactKey, type Observation } from '../../domain/release/facts.js';

/** Writes down what was observed. */
@Injectable()
export class ObservationsRecorder {
  /**
   * Keeps each observation, unless one that was made later is there already: a late answer never turns back time.
   * Answers the facts whose value is another one now than before.
   */
  async record(tx: TenantTx, repositoryId: string, observations: readonly Observation[]): Promise<readonly FactKey[]> {
    if (observations.length === 0) return [];
    // In one order everywhere, so that two writers never wait for each other in a circle.
    const ordered = [...observations].sort((a, b) => (factId(a) < factId(b) ? -1 : 1));
    const seen = [
      repositoryId,
      ordered.map(({ kind }) => kind),
      ordered.map(({ key }) => key),
      ordered.map(({ value }) => JSON.stringify(value)),
      ordered.map(({ observedAt }) => observedAt),
    ];
    // Locked before it is compared, by a statement of its own: what another writer left is then compared with, not what
    // was there when this one began to wait. Of facts that nobody knows yet two writers may both say that they changed.
    await tx.prepared(
      'lock_observations',
      `select 1 from observation where repository_id = $1
         and (kind, key) in (select * from unnest($2::text[], $3::text[]))
       order by kind collate "C", key collate "C" for update`,
      seen.slice(0, 3),
    );
    return tx.prepared<FactKey>(
      'keep_observations',
      `with seen as (
         select * from unnest($2::text[], $3::text[], $4::jsonb[], $5::timestamptz[])
           as seen (kind, key, value, observed_at)),
       kept as (
         insert into observation as known (org_id, repository_id, kind, key, value, observed_at)
         select $6, $1, seen.kind, seen.key, seen.value, seen.observed_at from seen
         on conflict (org_id, repository_id, kind, key) do update
         set value = excluded.value, observed_at = excluded.observed_at
         where known.observed_at < excluded.observed_at
         returning known.kind, known.key, known.value)
       select kept.kind, kept.key from kept
       left join observation before
         on before.repository_id = $1 and before.kind = kept.kind and before.key = kept.key
       where before.value is distinct from kept.value`,
      [...seen, tx.orgId],
    );
  }

  /** Lets what was observed of these facts before a moment count as long ago. */
  async expire(tx: TenantTx, repositoryId: string, facts: readonly FactKey[], before: Date): Promise<void> {
    await tx.query(
      `update observation set observed_at = 'epoch' where repository_id = $1 and observed_at < $4
         and (kind, key) in (select * from unnest($2::text[], $3::text[]))`,
      [repositoryId, facts.map(({ kind }) => kind), facts.map(({ key }) => key), before],
    );
  }
}
