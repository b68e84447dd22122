import { Injectable } from '@nestjs/common';
import { Clock } from '../../config/clock.js';
import type { TenantTransaction } from '../../database/database.js';
import type { RunCoverage } from '../../domain/evidence/run-coverage.js';
import type { Condition, Stage } from '../../domain/facts/condition.js';
import type { Policy, PolicyState } from '../../domain/policy/policy.js';
import type { Scorecard } from '../../domain/quality/scorecard.js';
import { ReleasesQueries, type ShippedRelease } from '../releases/records/releases.queries.js';
import { runCoveragesSql } from '../releases/evaluation/verdict-inputs.queries.js';
import {
  NO_EVIDENCE,
  type RawEvidence,
  QualityEvidenceQueries,
  type ReleaseEvidence,
  parseEvidence,
} from './quality-evidence.queries.js';

/** The maximum number of cached policies. Policies may be large, and a workspace may have many repositories. */
const MAX_CACHED = 1_000;
/** How long a cached policy is used, in milliseconds. */
const CACHED_MS = 10_000;

/** Policies by repository id; null if the repository has no valid policy. */
type Policies = ReadonlyMap<string, Policy | null>;

/** A cache of policies for one read of many releases, which often share repositories. */
export class PolicyCache {
  #known = new Map<string, Policy | null>();
  #since: Date | null = null;

  /** Returns the policies of the repositories. `read` reads those that are not cached. */
  async of(
    repositoryIds: Iterable<string>,
    now: Date,
    read: (repositoryIds: readonly string[]) => Promise<Policies>,
  ): Promise<Policies> {
    const isOld = this.#since === null || now.getTime() - this.#since.getTime() > CACHED_MS;
    if (isOld || this.#known.size > MAX_CACHED) {
      // Replaced and not cleared, because an earlier caller may still read the old map.
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

/** The data of a release from which its quality is derived, without the evidence. */
interface ReleaseData {
  readonly id: string;
  readonly repositoryId: string;
  readonly org: string;
  readonly repo: string;
  readonly version: string;
  readonly stage: Stage;
  /** Null if there is none. */
  readonly candidate: { readonly sha: string; readonly shas: readonly string[] } | null;
  /**
   * The merge commit of its evidence pull request. It is one of the candidate's commits if it is equivalent. Null if there is no
   * merge or the candidate is a single commit.
   */
  readonly evidenceMerge: string | null;
  /** The scorecard of the time of shipping; null if the release is not shipped. */
  readonly shippedScorecard: Scorecard | null;
  /** The policy that was observed last; null if there is none or it is not valid. */
  readonly policy: Policy | null;
  readonly predecessor: ShippedRelease | null;
  /** The stored conditions of its verdict about incomplete CI runs. */
  readonly incomplete: readonly Condition[];
  /** The coverage of its runs whose uploads were united. */
  readonly runCoverages: readonly RunCoverage[];
}

/** A release with its evidence, before the evaluation of its quality. */
export interface QualityRelease extends ReleaseData, ReleaseEvidence {}

/** A release whose evidence is not parsed yet. */
export interface RawRelease extends ReleaseData {
  readonly packed: RawEvidence;
}

/** Parses the evidence of the release. */
export const parseRelease = ({ packed, ...release }: RawRelease): QualityRelease => ({
  ...release,
  ...parseEvidence(packed),
});

/** The codes of conditions that may report jobs without uploads. */
const OF_RUNS: ReadonlySet<string> = new Set(['evidence_incomplete', 'evidence_failing']);

interface FoundRelease extends Pick<
  RawRelease,
  'id' | 'repositoryId' | 'org' | 'repo' | 'version' | 'stage' | 'evidenceMerge' | 'shippedScorecard' | 'runCoverages'
> {
  readonly candidateSha: string | null;
  readonly candidateShas: readonly string[];
  readonly isShipped: boolean;
  readonly blockers: readonly Condition[];
}

/**
 * Reads the data for the quality of releases that the transaction can see. Each release is looked up by its id (`offset 0`
 * prevents a join): for many ids the planner would otherwise read the whole table, which contains all workspaces.
 */
@Injectable()
export class QualityReleasesQueries {
  constructor(
    private readonly releases: ReleasesQueries,
    private readonly evidence: QualityEvidenceQueries,
    private readonly clock: Clock,
  ) {}

  /** Lists the existing releases, in the order of the ids. Recently read policies come from the cache. */
  async list(
    tx: TenantTransaction,
    ids: readonly string[],
    recent = new PolicyCache(),
  ): Promise<readonly RawRelease[]> {
    if (ids.length === 0) return [];
    const rows = await tx.queryPrepared<FoundRelease>(
      'list_releases_with_coverage',
      `select r.id, r.repository_id as "repositoryId", o.login as org, repo.name as repo, r.version, r.stage,
         r.candidate_sha as "candidateSha", r.candidate_shas as "candidateShas", r.shipped_at is not null as "isShipped",
         r.shipped_scorecard as "shippedScorecard", r.blockers, merged.sha as "evidenceMerge",
         ${runCoveragesSql('r.id')} as "runCoverages"
       from unnest($1::uuid[]) with ordinality as wanted (id, at)
       cross join lateral (select * from release where id = wanted.id offset 0) r
       join repository repo on repo.id = r.repository_id
       join organization o on o.org_id = r.org_id
       left join lateral (
         select seen.value ->> 'mergeCommitSha' as sha from evidence_pull_request pull
         cross join lateral (
           select value from observation
           where repository_id = r.repository_id and kind = 'pull' and key = pull.number::text offset 0) seen
         where pull.release_id = r.id and r.candidate_shas <> array[r.candidate_sha]
         order by pull.opened_at desc limit 1) merged on true
       order by wanted.at`,
      [ids],
    );
    const policies = await recent.of(
      rows.map(({ repositoryId }) => repositoryId),
      this.clock.now(),
      (repositoryIds) => this.readPolicies(tx, repositoryIds),
    );
    const predecessors = await this.releases.listPredecessors(
      tx,
      rows.map(({ id, repositoryId, isShipped }) => ({ id, repositoryId, isShipped })),
    );
    const evidence = await this.evidence.list(tx, ids);
    return rows.map((row) => ({
      id: row.id,
      repositoryId: row.repositoryId,
      org: row.org,
      repo: row.repo,
      version: row.version,
      stage: row.stage,
      candidate: row.candidateSha === null ? null : { sha: row.candidateSha, shas: row.candidateShas },
      evidenceMerge: row.evidenceMerge,
      shippedScorecard: row.shippedScorecard,
      policy: policies.get(row.repositoryId) ?? null,
      predecessor: predecessors.get(row.id) ?? null,
      runCoverages: row.runCoverages,
      incomplete: row.blockers.filter(({ code }) => OF_RUNS.has(code)),
      packed: evidence.get(row.id) ?? NO_EVIDENCE,
    }));
  }

  /** Reads the policies by repository id; null if there is no valid one. A policy that many repositories share is read once. */
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
