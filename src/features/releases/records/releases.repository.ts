import { Injectable } from '@nestjs/common';
import type { TenantTransaction } from '../../../database/database.js';
import { withoutSubjects } from '../../../domain/facts/condition.js';
import { factId } from '../../../domain/facts/facts.js';
import type { Scorecard } from '../../../domain/quality/scorecard.js';
import type { Verdict } from '../../../domain/release/evaluate.js';
import { MAX_LISTED_BLOCKERS, type VerdictSummary } from '../../../domain/release/outcome.js';
import type {
  Predecessor,
  ReleaseRecord,
  GovernanceState,
  ShippedFacts,
} from '../../../domain/release/release-record.js';
import { CI_WORKFLOW, ENFORCE_WORKFLOW } from '../../../domain/repository/managed-files.js';
import type { ReleaseUserDto } from './release-user.dto.js';
import { predecessorSql } from './releases.queries.js';

/** A release with its record and the stored result of the last evaluation. */
export interface StoredRelease {
  readonly id: string;
  readonly repositoryId: string;
  readonly record: ReleaseRecord;
  /** The facts that the last evaluation used, as `kind:key`. */
  readonly usedFacts: readonly string[];
  readonly verdictDigest: string | null;
  /** Whether the last evaluation opened the gate, even if it has expired since. */
  readonly wasOpen: boolean;
  /** When a fact that the evaluation used changed; null if none did. */
  readonly invalidatedAt: Date | null;
  readonly createdAt: Date;
}

/** A release in one row. */
type FlatRelease = Omit<StoredRelease, 'record'> & Omit<ReleaseRecord, 'repository'> & GovernanceState;

/** Finds installed workflow files that were not compared yet. The gate does not open before. */
const NOT_WATCHED_YET = `
  select from workflow_installation i
  cross join lateral unnest(case when i.custom_ci then array['${ENFORCE_WORKFLOW}']
    else array['${CI_WORKFLOW}', '${ENFORCE_WORKFLOW}'] end) as installed (path)
  where i.repository_id = r.repository_id and not exists (
    select from watched_file f where f.repository_id = r.repository_id and f.path = installed.path)`;

const SELECT = `
  select r.id, r.repository_id as "repositoryId", r.version, r.milestone_number as "milestoneNumber",
    r.milestone_github_id::float8 as "milestoneGithubId", r.stage, r.candidate_sha as "candidateSha",
    r.started_at as "startedAt", r.cancelled_at as "cancelledAt", r.deleted_at as "deletedAt", r.shipped, r.used_facts as "usedFacts",
    r.verdict_digest as "verdictDigest", r.open_until is not null as "wasOpen", r.invalidated_at as "invalidatedAt",
    r.created_at as "createdAt", repo.removed_at is not null as removed, repo.managed_at is not null as "withinPlan",
    array(select distinct t.branch from tampered_file t where t.repository_id = r.repository_id order by 1)
      as "tamperedBranches",
    case when exists (${NOT_WATCHED_YET}) then '[]'
      when exists (select from watched_file f where f.repository_id = r.repository_id) then
      (select coalesce(jsonb_agg(jsonb_build_object('branch', b.branch, 'sha', head) order by b.branch, head), '[]')
        from watched_branch b, unnest(array_remove(b.intact_heads, b.head_sha) || b.head_sha) as head
        where b.repository_id = r.repository_id
          -- This release is not built from other branches.
          and (b.trunk or b.branch = r.version or right(b.branch, length(r.version) + 1) = '/' || r.version))
      end as "watchedHeads",
    (select jsonb_build_object('number', p.number, 'url', p.url, 'headSha', p.head_sha, 'files', p.files,
        'setDigest', p.evidence_set_digest, 'mergeApproval', p.merge_approval)
      from evidence_pull_request p where p.release_id = r.id and p.abandoned_at is null
      order by p.opened_at desc, p.number desc limit 1) as "evidencePull",
    (select jsonb_build_object('candidateSha', before.shipped ->> 'candidateSha',
       'linePercent', before.shipped -> 'linePercent') ${predecessorSql('r.shipped_at is not null')}) as predecessor
  from release r join repository repo on repo.id = r.repository_id`;

/** A verdict to be saved. */
interface NewVerdict {
  readonly verdict: Verdict;
  /** The users who wrote the candidate's commits; null if that is not known. */
  readonly authors: ReadonlySet<number> | null;
  /** Distinguishes it from other verdicts. */
  readonly digest: string;
  readonly summary: VerdictSummary;
  /** The users who can meet the blocker at this position of the summary. */
  readonly users: readonly (readonly ReleaseUserDto[])[];
}

/** Reads and writes the rows of releases. */
@Injectable()
export class ReleasesRepository {
  async find(tx: TenantTransaction, id: string): Promise<StoredRelease | null> {
    const [row] = await tx.queryPrepared<FlatRelease>('get_release_record', `${SELECT} where r.id = $1`, [id]);
    return row ? toRelease(row) : null;
  }

  /** Locks the release until the transaction ends; null if there is none. */
  async findForUpdate(tx: TenantTransaction, id: string): Promise<StoredRelease | null> {
    // A separate statement takes the lock: a statement that waits for a lock sees the current row, but joined rows as they were
    // before the wait, for example without a merge.
    await tx.queryPrepared('lock_release', `select 1 from release where id = $1 for no key update`, [id]);
    return this.find(tx, id);
  }

  /** Saves who started the release. Returns false if it was started before, because the first start is final. */
  async markStarted(tx: TenantTransaction, id: string, login: string, now: Date): Promise<boolean> {
    const started = await tx.query(
      `update release set started_at = $2, started_by = $3, updated_at = $2 where id = $1 and started_at is null
       returning id`,
      [id, now, login],
    );
    return started.length > 0;
  }

  /** Rejects new changes of the scope of the release until the given time. */
  async closeScope(tx: TenantTransaction, id: string, until: Date): Promise<void> {
    await tx.query(`update release set scope_closed_until = $2 where id = $1 and shipped_at is null`, [id, until]);
  }

  /** Saves the result of an evaluation. */
  async writeVerdict(
    tx: TenantTransaction,
    id: string,
    { verdict, authors, digest, summary, users }: NewVerdict,
    now: Date,
  ): Promise<void> {
    const { gate } = verdict;
    const { blocked, unread, blockers } = summary;
    await tx.queryPrepared(
      'write_verdict_with_artifacts',
      `update release set stage = $2, unmet = $3, milestone_reasons = $4, warnings = $5, used_facts = $6, candidate_sha = $7,
         candidate_shas = $8, tests_passing = $9, evidence_approved = $10, open_until = $11, valid_until = $12,
         invalidated_at = null, verdict_digest = $13, hotfix = $14, evaluated_at = $15,
         blocked = $18, unread = $19, blockers = $20, blocker_count = $21, author_ids = $22, approvals_given = $23, accepted_digests = $24,
         cancelled_at = case when $16 then coalesce(cancelled_at, $15) end,
         deleted_at = case when $17 then coalesce(deleted_at, $15) end,
         updated_at = case when verdict_digest is distinct from $13 then $15 else updated_at end
       where id = $1`,
      [
        id,
        verdict.stage,
        JSON.stringify(verdict.unmet.map(withoutSubjects)),
        JSON.stringify(verdict.milestoneReasons),
        JSON.stringify(verdict.warnings),
        verdict.usedFacts.map(factId),
        verdict.candidateSha,
        verdict.candidateShas,
        verdict.testsPassing,
        verdict.evidenceApproved,
        asTimestamp(gate.openUntil),
        asTimestamp(gate.validUntil),
        digest,
        verdict.hotfix,
        now,
        verdict.cancelled,
        verdict.deleted,
        blocked,
        unread,
        JSON.stringify(
          blockers
            .slice(0, MAX_LISTED_BLOCKERS)
            .map((condition, at) => ({ ...withoutSubjects(condition), users: users[at] ?? [] })),
        ),
        blockers.length,
        authors && [...authors],
        verdict.approval?.approvers.length ?? null,
        (verdict.artifacts ?? []).map(({ digest: accepted }) => accepted),
      ],
    );
  }

  /** Marks a release as shipped and freezes its facts. */
  async ship(
    tx: TenantTransaction,
    id: string,
    { shipped, scorecard }: { readonly shipped: ShippedFacts & Predecessor; readonly scorecard: Scorecard },
    now: Date,
  ): Promise<void> {
    await tx.query(
      // The gate may have been open for another candidate, so it is closed until the next evaluation.
      `update release set shipped_at = $2, shipped = $3, stage = 'DEPLOYED', candidate_sha = $4, candidate_shas = $5,
         tests_passing = $6, evidence_approved = $7, open_until = null, valid_until = '-infinity', updated_at = $2,
         blocked = false, unread = false, blockers = '[]', blocker_count = 0, shipped_scorecard = $8
       where id = $1 and shipped_at is null`,
      [
        id,
        now,
        JSON.stringify(shipped),
        shipped.candidateSha,
        shipped.candidateShas,
        shipped.testsPassing,
        shipped.evidenceApproved,
        JSON.stringify(scorecard),
      ],
    );
  }
}

/** Converts a time in milliseconds. Infinite times become the infinities of Postgres. */
export function asTimestamp(at: number | null): Date | string | null {
  if (at === null) return null;
  if (Number.isFinite(at)) return new Date(at);
  return at > 0 ? 'infinity' : '-infinity';
}

const toRelease = (row: FlatRelease): StoredRelease => ({
  id: row.id,
  repositoryId: row.repositoryId,
  usedFacts: row.usedFacts,
  verdictDigest: row.verdictDigest,
  wasOpen: row.wasOpen,
  invalidatedAt: row.invalidatedAt,
  createdAt: row.createdAt,
  record: {
    version: row.version,
    milestoneNumber: row.milestoneNumber,
    milestoneGithubId: row.milestoneGithubId,
    stage: row.stage,
    candidateSha: row.candidateSha,
    startedAt: row.startedAt,
    cancelledAt: row.cancelledAt,
    deletedAt: row.deletedAt,
    shipped: row.shipped,
    evidencePull: row.evidencePull,
    predecessor: row.predecessor,
    repository: {
      removed: row.removed,
      withinPlan: row.withinPlan,
      tamperedBranches: row.tamperedBranches,
      watchedHeads: row.watchedHeads,
    },
  },
});
