import { Injectable } from '@nestjs/common';
import type { TenantTx } from '../../database/database.js';
import { factId, type Observation } from '../../domain/release/facts.js';

/** Writes down what was observed. */
@Injectable()
export class ObservationsRecorder {
  /** Keeps each observation, unless one that was made later is there already: a late answer never turns back time. */
  async record(tx: TenantTx, repositoryId: string, observations: readonly Observation[]): Promise<void> {
    // In one order everywhere, so that two writers never wait for each other in a circle.
    const ordered = [...observations].sort((a, b) => (factId(a) < factId(b) ? -1 : 1));
    if (ordered.length === 0) return;
    await tx.query(
      `insert into observation as known (org_id, repository_id, kind, key, value, observed_at)
       select $1, $2, seen.kind, seen.key, seen.value, seen.observed_at
       from unnest($3::text[], $4::text[], $5::jsonb[], $6::timestamptz[]) as seen (kind, key, value, observed_at)
       on conflict (org_id, repository_id, kind, key) do update
       set value = excluded.value, observed_at = excluded.observed_at
       where known.observed_at < excluded.observed_at`,
      [
        tx.orgId,
        repositoryId,
        ordered.map(({ kind }) => kind),
        ordered.map(({ key }) => key),
        ordered.map(({ value }) => JSON.stringify(value)),
        ordered.map(({ observedAt }) => observedAt),
      ],
    );
  }
}
