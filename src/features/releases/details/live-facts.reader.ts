import { Injectable } from '@nestjs/common';
import type { TenantTx } from '../../../database/database.js';
import { FACT_LIFETIME_MS, factId, parseFactId, type FactKey } from '../../../domain/facts/facts.js';
import { ObservationsReader } from '../facts/observations.reader.js';

interface FactsRow {
  readonly repository_id: string;
  readonly milestone_number: number;
  readonly candidate_sha: string | null;
  readonly consulted: readonly string[];
}

/** What of a release may be another by now than when it was observed. */
@Injectable()
export class LiveFacts {
  constructor(private readonly observations: ObservationsReader) {}

  /**
   * What its last verdict rested on and what people are shown besides, as far as it may change and was not observed since
   * the moment.
   */
  async listSeenBefore(tx: TenantTx, releaseId: string, moment: Date): Promise<readonly FactKey[]> {
    const [row] = await tx.query<FactsRow>(
      `select repository_id, milestone_number, candidate_sha, consulted from release where id = $1`,
      [releaseId],
    );
    if (!row) return [];
    const wanted = new Map([...row.consulted.map(parseFactId), ...shownOf(row)].map((key) => [factId(key), key]));
    const changeable = [...wanted.values()].filter(({ kind }) => Number.isFinite(FACT_LIFETIME_MS[kind]));
    const seen = new Set(
      (await this.observations.list(tx, row.repository_id, changeable))
        .filter(({ observedAt }) => observedAt >= moment)
        .map(factId),
    );
    return changeable.filter((key) => !seen.has(factId(key)));
  }
}

/** A verdict asks for the checks only where the policy does, and a shipped one for neither. */
const shownOf = ({ milestone_number: number, candidate_sha: sha }: FactsRow): readonly FactKey[] => [
  { kind: 'issues', key: String(number) },
  ...(sha === null ? [] : [{ kind: 'checks', key: sha } as const]),
];
