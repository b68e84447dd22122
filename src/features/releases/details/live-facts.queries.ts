import { Injectable } from '@nestjs/common';
import { type TenantTransaction } from '../../../database/database.js';
import { FACT_LIFETIME_MS, factId, type FactKey, parseFactId } from '../../../domain/facts/facts.js';
import { ObservationsRepository } from '../facts/observations.repository.js';

/** The members of a release that determine its facts. */
interface ReleaseFacts {
  readonly repositoryId: string;
  readonly milestoneNumber: number;
  readonly candidateSha: string | null;
  readonly usedFacts: readonly string[];
}

/** Finds the facts of a release that may have changed since they were observed. */
@Injectable()
export class LiveFactsQueries {
  constructor(private readonly observations: ObservationsRepository) {}

  /**
   * Lists the changeable facts that the last verdict used or the details page shows, and that were not observed since the moment.
   */
  async listSeenBefore(tx: TenantTransaction, releaseId: string, moment: Date): Promise<readonly FactKey[]> {
    const [row] = await tx.query<ReleaseFacts>(
      `select repository_id as "repositoryId", milestone_number as "milestoneNumber", candidate_sha as "candidateSha", used_facts as "usedFacts"
       from release where id = $1`,
      [releaseId],
    );
    if (!row) return [];
    const facts = new Map(
      [...row.usedFacts.map(parseFactId), ...getVisibleFacts(row)].map((key) => [factId(key), key]),
    );
    const changeable = [...facts.values()].filter(({ kind }) => Number.isFinite(FACT_LIFETIME_MS[kind]));
    const seen = new Set(
      (await this.observations.list(tx, row.repositoryId, changeable))
        .filter(({ observedAt }) => observedAt >= moment)
        .map(factId),
    );
    return changeable.filter((key) => !seen.has(factId(key)));
  }
}

/**
 * The details page shows the checks and issues, but a verdict uses the checks only if the policy requires some, and the verdict
 * of a shipped release uses neither.
 */
const getVisibleFacts = ({ milestoneNumber, candidateSha }: ReleaseFacts): readonly FactKey[] => [
  { kind: 'issues', key: String(milestoneNumber) },
  ...(candidateSha === null ? [] : [{ kind: 'checks', key: candidateSha } as const]),
];
