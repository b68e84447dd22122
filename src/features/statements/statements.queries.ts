import { Injectable } from '@nestjs/common';
import type { TenantTransaction } from '../../database/database.js';
import type { Policy } from '../../domain/policy/policy.js';
import type { StoredInputs } from '../../domain/release/replay.js';

/** A decision as far as a statement names it. */
export interface StatedDecision {
  readonly at: Date;
  readonly isOpen: boolean;
  readonly candidateSha: string | null;
  readonly policyDigest: string | null;
  /** The policy; null if no valid one was known. */
  readonly policy: Policy | null;
  /** Its inputs, if they were asked for. */
  readonly inputs: StoredInputs | null;
  /** Whether the policy accepted the digest as an artifact of the candidate. */
  readonly isAccepted: boolean;
  /** SHA-256 of the verified bundles of the digest, sorted. */
  readonly attestations: readonly string[];
  readonly repositoryGithubId: number;
}

/** Reads what statements are made of. */
@Injectable()
export class StatementsQueries {
  /** The inputs of the decision of a shipped release have no artifacts, so those of an earlier decision count. */
  async findDecision(
    tx: TenantTransaction,
    { releaseId, decisionId }: { readonly releaseId: string; readonly decisionId: string },
    { digest, withInputs }: { readonly digest: string | null; readonly withInputs: boolean },
  ): Promise<StatedDecision | null> {
    const [row] = await tx.queryPrepared<StatedDecision>(
      'find_stated_decision',
      `select d.at, d.open as "isOpen", d.candidate_sha as "candidateSha", d.policy_digest as "policyDigest", (
         select seen.fact #> '{value,policy}'
         from jsonb_array_elements(d.inputs -> 'observations') as seen (fact)
         where seen.fact ->> 'kind' = 'policy' and seen.fact #>> '{value,status}' = 'valid' limit 1) as policy,
         case when $4 then d.inputs end as inputs,
         $3::text is not null and coalesce(d.verdict -> 'artifacts', '[]')
           @> jsonb_build_array(jsonb_build_object('digest', $3::text)) as "isAccepted", (
           select coalesce(jsonb_agg(distinct bundle.value ->> 'sha256'), '[]')
           from jsonb_array_elements(coalesce(d.inputs -> 'artifacts', (
             select earlier.inputs -> 'artifacts' from decision earlier
             where earlier.release_id = d.release_id and earlier.sequence < d.sequence and earlier.inputs ? 'artifacts'
             order by earlier.sequence desc limit 1), '[]')) as artifact,
             jsonb_array_elements(artifact.value -> 'bundles') as bundle
           where $3::text is not null and artifact.value ->> 'digest' = $3
             and bundle.value ->> 'status' = 'verified') as attestations,
         p.github_id::float8 as "repositoryGithubId"
       from decision d join release r on r.id = d.release_id join repository p on p.id = r.repository_id
       where d.id = $2 and d.release_id = $1`,
      [releaseId, decisionId, digest, withInputs],
    );
    return row ?? null;
  }
}
