import { Injectable } from '@nestjs/common';
import type { TenantTransaction } from '../../database/database.js';
import type { EvidenceKind, Finding } from '../../domain/evidence/evidence.js';
import type { ComparisonFact } from '../../domain/facts/facts.js';

/** The candidate of an earlier release, and GitHub's comparison with a later candidate. */
interface ComparedCandidate {
  readonly commitSha: string | null;
  /** Null if it is not stored. */
  readonly comparison: ComparisonFact | null;
}

/** Reads what the brief of a reviewer shows besides the details and the quality of a release. */
@Injectable()
export class ReviewBriefQueries {
  /** Compares the candidates of two releases of a repository by what is stored. */
  async findCandidateBefore(tx: TenantTransaction, releaseId: string, beforeId: string): Promise<ComparedCandidate> {
    const [row] = await tx.queryPrepared<ComparedCandidate>(
      'find_candidate_before',
      `select before.candidate_sha as "commitSha", seen.value as comparison
       from release r join release before on before.id = $2
       left join observation seen on seen.repository_id = r.repository_id and seen.kind = 'comparison'
         and seen.key = before.candidate_sha || '...' || r.candidate_sha
       where r.id = $1`,
      [releaseId, beforeId],
    );
    return row ?? { commitSha: null, comparison: null };
  }

  /** Lists the findings with an identity of these uploads, by upload and kind. */
  async listFindings(
    tx: TenantTransaction,
    evidenceIds: readonly string[],
  ): Promise<ReadonlyMap<string, readonly Finding[]>> {
    if (evidenceIds.length === 0) return new Map();
    const rows = await tx.queryPrepared<{
      readonly evidenceId: string;
      readonly kind: EvidenceKind;
      readonly findings: readonly Finding[];
    }>(
      'list_identified_findings',
      `select e.id as "evidenceId", identified.key as kind, identified.value -> 'findings' as findings
       from evidence e cross join lateral jsonb_each(e.identified_failures) identified
       where e.id = any($1::uuid[]) and identified.key in ('sast_scan', 'security')`,
      [evidenceIds],
    );
    return new Map(rows.map(({ evidenceId, kind, findings }) => [`${evidenceId} ${kind}`, findings]));
  }
}
