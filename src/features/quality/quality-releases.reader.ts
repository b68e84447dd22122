import { Injectable } from '@nestjs/common';
import type { TenantTx } from '../../database/database.js';
import type { EvidencePiece } from '../../domain/evidence/evidence.js';
import type { Policy, PolicyState } from '../../domain/policy/policy.js';
import type { Scorecard } from '../../domain/quality/scorecard.js';
import type { Stage } from '../../domain/release/stage.js';
import { piecesOf, type PiecesRow } from '../evidence/evidence-pieces.reader.js';
import { Predecessors, type ShippedRelease } from '../releases/predecessors.reader.js';

/** Pieces that are not the candidate's are read up to this many uploads, the newest: a release may have thousands. */
export const OTHERS_SHOWN = 200;

/** A release with its evidence, before that is judged. */
export interface QualityRelease {
  readonly id: string;
  readonly repositoryId: string;
  readonly org: string;
  readonly repo: string;
  readonly version: string;
  readonly stage: Stage;
  /** Null where there is none. */
  readonly candidate: { readonly sha: string; readonly shas: readonly string[] } | null;
  /** The merge of its evidence pull request, which is among the candidate's commits where it is the same; null where there is none. */
  readonly evidenceMerge: string | null;
  /** As it was when the release was shipped; null where it was not. */
  readonly shippedScorecard: Scorecard | null;
  /** The one that was seen last; null where it is not valid, or there is none. */
  readonly policy: Policy | null;
  readonly predecessor: ShippedRelease | null;
  /** All of the candidate and the newest of the others, as they were received. */
  readonly evidence: readonly EvidencePiece[];
  /** How many pieces there are in all. */
  readonly pieces: number;
}

interface ReleaseRow {
  readonly id: string;
  readonly repository_id: string;
  readonly org: string;
  readonly repo: string;
  readonly version: string;
  readonly stage: Stage;
  readonly candidate_sha: string | null;
  readonly candidate_shas: readonly string[];
  readonly evidence_merge: string | null;
  readonly shipped_scorecard: Scorecard | null;
  readonly policy: PolicyState | null;
  readonly pieces: string;
}

interface EvidenceRow extends PiecesRow {
  readonly release_id: string;
}

/** Reads releases with what their quality is told by, of those that whoever opened the transaction may see. */
@Injectable()
export class QualityReleases {
  constructor(private readonly predecessors: Predecessors) {}

  /** Those of the releases that there are, in the order of the ids. */
  async list(tx: TenantTx, ids: readonly string[]): Promise<readonly QualityRelease[]> {
    if (ids.length === 0) return [];
    const rows = await tx.prepared<ReleaseRow>(
      'list_quality_releases',
      `select r.id, r.repository_id, o.login as org, repo.name as repo, r.version, r.stage, r.candidate_sha,
         r.candidate_shas, r.shipped_scorecard,
         (select seen.value from observation seen
           where seen.repository_id = r.repository_id and seen.kind = 'policy' and seen.key = '') as policy,
         (select seen.value ->> 'mergeCommitSha' from evidence_pull pull
           join observation seen on seen.repository_id = r.repository_id and seen.kind = 'pull'
             and seen.key = pull.number::text
           where pull.release_id = r.id order by pull.opened_at desc limit 1) as evidence_merge,
         (select coalesce(sum(jsonb_array_length(e.pieces)), 0) from evidence e where e.release_id = r.id) as pieces
       from unnest($1::uuid[]) with ordinality as wanted (id, at)
       join release r on r.id = wanted.id
       join repository repo on repo.id = r.repository_id
       join organization o on o.org_id = r.org_id
       order by wanted.at`,
      [ids],
    );
    const predecessors = await this.predecessors.list(tx, ids);
    const evidence = await this.listEvidence(tx, ids);
    return rows.map((row) => ({
      id: row.id,
      repositoryId: row.repository_id,
      org: row.org,
      repo: row.repo,
      version: row.version,
      stage: row.stage,
      candidate: row.candidate_sha === null ? null : { sha: row.candidate_sha, shas: row.candidate_shas },
      evidenceMerge: row.evidence_merge,
      shippedScorecard: row.shipped_scorecard,
      policy: row.policy?.status === 'valid' ? row.policy.policy : null,
      predecessor: predecessors.get(row.id) ?? null,
      evidence: evidence.get(row.id) ?? [],
      pieces: Number(row.pieces),
    }));
  }

  private async listEvidence(
    tx: TenantTx,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, readonly EvidencePiece[]>> {
    const rows = await tx.prepared<EvidenceRow>(
      'list_quality_evidence',
      `select e.release_id, e.id, e.pipeline, e.environment, e.job, e.run_id, e.run_attempt, e.commit_sha, e.pieces,
         e.sha256, e.received_at
       from unnest($1::uuid[]) as wanted (id) join release r on r.id = wanted.id
       cross join lateral (select coalesce((
         select sequence from evidence where release_id = r.id order by sequence desc
         offset ${OTHERS_SHOWN - 1} limit 1), 0) as since) newest
       join evidence e on e.release_id = r.id and (e.sequence >= newest.since or e.commit_sha = any(r.candidate_shas))
       order by e.sequence`,
      [ids],
    );
    const byRelease = new Map<string, EvidencePiece[]>();
    for (const row of rows) {
      const pieces = byRelease.get(row.release_id) ?? [];
      byRelease.set(row.release_id, pieces);
      pieces.push(...piecesOf(row));
    }
    return byRelease;
  }
}
