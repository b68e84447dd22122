import { Injectable } from '@nestjs/common';
import type { TenantTx } from '../../../database/database.js';
import type { FactKey, FactKind, Observation } from '../../../domain/facts/facts.js';

interface ObservationRow {
  readonly kind: FactKind;
  readonly key: string;
  readonly value: Observation['value'];
  readonly observed_at: Date;
}

/** What was observed of the repositories of a workspace: the latest answer to each question, and when it was given. */
@Injectable()
export class ObservationsReader {
  /** Those of the wanted observations that there are. */
  async list(tx: TenantTx, repositoryId: string, wanted: readonly FactKey[]): Promise<readonly Observation[]> {
    if (wanted.length === 0) return [];
    const rows = await tx.prepared<ObservationRow>(
      'list_observations',
      `select o.kind, o.key, o.value, o.observed_at
       from unnest($2::text[], $3::text[]) as wanted (kind, key)
       join observation o on o.repository_id = $1 and o.kind = wanted.kind and o.key = wanted.key`,
      [repositoryId, wanted.map(({ kind }) => kind), wanted.map(({ key }) => key)],
    );
    return rows.map(({ kind, key, value, observed_at: observedAt }) => ({ kind, key, value, observedAt }));
  }
}
