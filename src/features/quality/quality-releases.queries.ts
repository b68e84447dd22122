import { Injectable } from '@nestjs/common';
import { Clock } from '../../config/clock.js';
import type { TenantTransaction } from '../../database/database.js';
import type { Policy, PolicyState } from '../../domain/policy/policy.js';
import type { Scorecard } from '../../domain/quality/scorecard.js';
import type { Condition, Stage } from '../../domain/release/stage.js';
import { ReleasesQueries, type ShippedRelease } from '../releases/records/releases.queries.js';
import {
  NO_EVIDENCE,
  type RawEvidence,
  QualityEvidenceQueries,
  type ReleaseEvidence,
  unpackedEvidence,
} from './quality-evidence.queries.js';

/** Policies may be large, and a workspace may have many repositories. */
const MOST_KEPT = 1_000;
/** For how long a policy is taken for what it was, in milliseconds. */
const KEPT_MS = 10_000;

/** By the repository; null is that there is none which is valid. */
type Policies = ReadonlyMap<string, Policy | null>;

/** The policies of repositories that one reading of many releases comes upon again and again. */
export class PolicyCache {
  #known = new Map<string, Policy | null>();
  #since: Date | null = null;

  /** Those of the repositories; `read` is asked for the ones that were not read just now. */
  async of(
    repositoryIds: Iterable<string>,
    now: Date,
    read: (repositoryIds: readonly string[]) => Promise<Policies>,
  ): Promise<Policies> {
    const isOld = this.#since === null || now.getTime() - this.#since.getTime() > KEPT_MS;
    if (isOld || this.#known.size > MOST_KEPT) {
      // Not emptied: whoever asked before may still look into it.
      this.#known = new Map();
      this.#since = now;
    }
    const known = this.#known;
    const unknown = [...new Set(repositoryIds)].filter((id) => !known.has(id));
    if (unknown.length === 0) return known;
    for (const [id, policy] of await read(unknown)) known.set(id, policy);
    return known;
  }
}

/** A release whose quality is told by its evidence. */
interface EvidencedRelease {
  readonly id: string;
  readonly repositoryId: string;
  readonly org: string;
  readonly repo: string;
  readonly version: string;
  readonly stage: Stage;
  /** Null where there is none. */
  readonly candidate: { readonly sha: string; readonly shas: readonly string[] } | null;
  /**
   * The merge of its evidence pull request, which is among the candidate's commits where it is the same; null where there is none,
   * or the candidate is but one commit.
   */
  readonly evidenceMerge: string | null;
  /** As it was when the release was shipped; null where it was not. */
  readonly shippedScorecard: Scorecard | null;
  /** The one that was seen last; null where it is not valid, or there is none. */
  readonly policy: Policy | null;
  readonly predecessor: ShippedRelease | null;
  /** What its verdict found missing of the runs that brought the evidence, as far as the release keeps it. */
  readonly incomplete: readonly Condition[];
}

/** A release with its evidence, before that is judged. */
export interface QualityRelease extends EvidencedRelease, ReleaseEvidence {}

/** The same while it waits for that. */
export interface RawRelease extends EvidencedRelease {
  readonly packed: RawEvidence;
}

/** The release itself. */
export const parseRelease = ({ packed, ...release }: RawRelease): QualityRelease => ({
  ...release,
  ...unpackedEvidence(packed),
});

/** Conditions that may tell of jobs which uploaded nothing. */
const OF_RUNS: ReadonlySet<string> = new Set(['evidence_incomplete', 'evidence_failing']);

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
  readonly is_shipped: boolean;
  readonly shipped_scorecard: Scorecard | null;
  readonly blockers: readonly Condition[];
}

/**
 * Reads releases with what their quality is told by, of those that whoever opened the transaction may see. Each release is
 * looked up by itself (`offset 0` keeps the planner from joining): for many ids it would rather read the whole table, whose size
 * is that of all workspaces together.
 */
@Injectable()
export class QualityReleasesQueries {
  constructor(
    private readonly predecessors: ReleasesQueries,
    private readonly evidence: QualityEvidenceQueries,
    private readonly clock: Clock,
  ) {}

  /** Those of the releases that there are, in the order of the ids. Policies that were read just now are not read again. */
  async list(
    tx: TenantTransaction,
    ids: readonly string[],
    recent = new PolicyCache(),
  ): Promise<readonly RawRelease[]> {
    if (ids.length === 0) return [];
    const rows = await tx.queryPrepared<ReleaseRow>(
      'list_quality_releases',
      `select r.id, r.repository_id, o.login as org, repo.name as repo, r.version, r.stage, r.candidate_sha,
         r.candidate_shas, r.shipped_at is not null as is_shipped, r.shipped_scorecard, r.blockers, merged.sha as evidence_merge
       from unnest($1::uuid[]) with ordinality as wanted (id, at)
       cross join lateral (select * from release where id = wanted.id offset 0) r
       join repository repo on repo.id = r.repository_id
       join organization o on o.org_id = r.org_id
       left join lateral (
         select seen.value ->> 'mergeCommitSha' as sha from evidence_pull pull
         cross join lateral (
           select value from observation
           where repository_id = r.repository_id and kind = 'pull' and key = pull.number::text offset 0) seen
         where pull.release_id = r.id and r.candidate_shas <> array[r.candidate_sha]
         order by pull.opened_at desc limit 1) merged on true
       order by wanted.at`,
      [ids],
    );
    const policies = await recent.of(
      rows.map(({ repository_id: id }) => id),
      this.clock.now(),
      (repositoryIds) => this.readPolicies(tx, repositoryIds),
    );
    const predecessors = await this.predecessors.list(
      tx,
      rows.map(({ id, repository_id: repositoryId, is_shipped: isShipped }) => ({ id, repositoryId, isShipped })),
    );
    const evidence = await this.evidence.list(tx, ids);
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
      policy: policies.get(row.repository_id) ?? null,
      predecessor: predecessors.get(row.id) ?? null,
      incomplete: row.blockers.filter(({ code }) => OF_RUNS.has(code)),
      packed: evidence.get(row.id) ?? NO_EVIDENCE,
    }));
  }

  /** By the repository, null where there is none that is valid. Many have the same one, which is read once. */
  private async readPolicies(
    tx: TenantTransaction,
    repositoryIds: readonly string[],
  ): Promise<ReadonlyMap<string, Policy | null>> {
    const rows = await tx.queryPrepared<{ readonly ids: readonly string[]; readonly value: PolicyState | null }>(
      'list_quality_policies',
      `select array_agg(wanted.id) as ids, seen.value from unnest($1::uuid[]) as wanted (id)
       left join lateral (
         select value from observation
         where repository_id = wanted.id and kind = 'policy' and key = '' offset 0) seen on true
       group by seen.value`,
      [repositoryIds],
    );
    return new Map(
      rows.flatMap(({ ids, value }) => ids.map((id) => [id, value?.status === 'valid' ? value.policy : null] as const)),
    );
  }
}
