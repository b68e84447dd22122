import { Injectable } from '@nestjs/common';
import type { TenantTransaction } from '../../database/database.js';

/** A decision as far as a statement names it. */
export interface StatedDecision {
  readonly at: Date;
  readonly isOpen: boolean;
  readonly candidateSha: string | null;
  readonly policyDigest: string | null;
  /** The target of the policy; null if no valid policy was known. */
  readonly target: string | null;
  readonly repositoryGithubId: number;
}

/** Reads what statements are made of. */
@Injectable()
export class StatementsQueries {
  async findDecision(tx: TenantTransaction, releaseId: string, decisionId: string): Promise<StatedDecision | null> {
    const [row] = await tx.queryPrepared<StatedDecision>(
      'find_stated_decision',
      `select d.at, d.open as "isOpen", d.candidate_sha as "candidateSha", d.policy_digest as "policyDigest", (
         select seen.fact #>> '{value,policy,deployment,target}'
         from jsonb_array_elements(d.inputs -> 'observations') as seen (fact)
         where seen.fact ->> 'kind' = 'policy' and seen.fact #>> '{value,status}' = 'valid' limit 1) as target,
         p.github_id::float8 as "repositoryGithubId"
       from decision d join release r on r.id = d.release_id join repository p on p.id = r.repository_id
       where d.id = $2 and d.release_id = $1`,
      [releaseId, decisionId],
    );
    return row ?? null;
  }
}
