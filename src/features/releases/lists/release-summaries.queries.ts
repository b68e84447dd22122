import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT } from '../../../config/environment.js';
import type { TenantTransaction } from '../../../database/database.js';
import { type Condition, withoutSubjects } from '../../../domain/facts/condition.js';
import type { Freeze } from '../../../domain/policy/policy.js';
import { activeFreezes } from '../../../domain/policy/freeze.js';
import { freezeConditions } from '../../../domain/release/conditions.js';
import {
  isOverdue,
  MAX_LISTED_BLOCKERS,
  readinessValidUntil,
  releaseOutcome,
  releaseReadiness,
} from '../../../domain/release/outcome.js';
import { commitUrl, type GitHubServer, repositoryUrl } from '../../../workspaces/repository-url.js';
import { unliftedFreezesSql } from '../evaluation/verdict-inputs.queries.js';
import type { ReleaseUserDto } from '../records/release-user.dto.js';
import type { ReleaseSummaryDto } from './release-list.dto.js';

/** The freezes in effect at a time, and those of the workspace that are still to come. */
export interface ActiveFreezes {
  /** Freezes of the whole workspace, set by its admins. */
  readonly ofWorkspace: readonly Freeze[];
  /** Freezes of single repositories, set by their policies. */
  readonly byRepository: ReadonlyMap<string, readonly Freeze[]>;
  /** Freezes of the whole workspace that are not over, earliest first. */
  readonly planned: readonly Freeze[];
}

/** The same, as `activeFreezesSql` selects it. */
export interface FoundFreezes extends Pick<ActiveFreezes, 'ofWorkspace' | 'planned'> {
  readonly byRepository: readonly { readonly id: string; readonly freezes: readonly Freeze[] }[];
}

/** A condition as the verdict of a release stores it for lists. */
interface StoredBlocker extends Condition {
  readonly users?: readonly ReleaseUserDto[];
}

/** A summary, with its age for the refresh of lists. */
export interface DatedReleaseSummary {
  readonly summary: ReleaseSummaryDto;
  /** The facts are too old, or the release was never evaluated. */
  readonly stale: boolean;
  /** When its verdict was derived; null before the first verdict. */
  readonly evaluatedAt: Date | null;
}

/** The stored part of a summary, as `storedSummariesSql` selects it. */
export interface StoredSummary extends Omit<
  ReleaseSummaryDto,
  'outcome' | 'blockers' | 'moreBlockers' | 'readiness' | 'repoUrl' | 'candidateUrl' | 'isOverdue' | 'dueFreeze'
> {
  /** Those of an earlier version have no users. */
  readonly blockers: readonly StoredBlocker[];
  readonly blocked: boolean;
  readonly unread: boolean;
  readonly blockerCount: number;
  readonly readyUntil: Date | number | null;
  readonly validUntil: Date | number;
  readonly evaluatedAt: Date | null;
  readonly active: boolean;
}

/** SQL for the freezes in effect at a time and those of the workspace to come, as one value. `at` is an SQL expression. Days are UTC, and both ends are included. */
export function activeFreezesSql(at: string): string {
  const day = `to_char(${at} at time zone 'UTC', 'YYYY-MM-DD')`;
  return `jsonb_build_object(
    'ofWorkspace', ${unliftedFreezesSql(at, `(${at} at time zone 'UTC')::date between from_day and to_day`)},
    'planned', ${unliftedFreezesSql(at, `to_day >= (${at} at time zone 'UTC')::date`)},
    'byRepository', (
      select coalesce(jsonb_agg(jsonb_build_object('id', repository_id, 'freezes', active)), '[]')
      from (
        select repository_id, (
          select jsonb_agg(item) from jsonb_array_elements(value #> '{policy,freezes}') as item
          where item ->> 'from' <= ${day} collate "C" and item ->> 'to' >= ${day} collate "C") as active
        from observation where kind = 'policy' and key = '' and value #> '{policy,freezes}' <> '[]') as policy
      where active is not null))`;
}

/** SQL that checks whether `freezes`, a value of `activeFreezesSql`, has none. */
export const isNothingFrozenSql = (freezes: string): string =>
  `${freezes} -> 'ofWorkspace' = '[]' and ${freezes} -> 'byRepository' = '[]'`;

export const toActiveFreezes = ({ ofWorkspace, byRepository, planned }: FoundFreezes): ActiveFreezes => ({
  ofWorkspace,
  planned,
  byRepository: new Map(byRepository.map(({ id, freezes }) => [id, freezes])),
});

/** SQL for the stored summaries of the releases in an array of ids. `at` is the position of the id, from 1. Not sorted. */
export const storedSummariesSql = (ids: string): string => `
  select wanted.at, r.id as "milestoneId", r.repository_id as "repoId", o.login as org, repo.name as repo, r.version, r.title,
    r.stage, r.blocked, r.unread, r.blockers, r.blocker_count as "blockerCount", r.candidate_sha as "candidateSha",
    r.milestone_url as "milestoneUrl", r.milestone_number as "milestoneNumber", r.ready_until as "readyUntil",
    r.valid_until as "validUntil", r.evaluated_at as "evaluatedAt", r.due_on as "dueOn", r.updated_at as "updatedAt",
    r.cancelled_at as "cancelledAt",
    r.shipped_at is null and r.cancelled_at is null and r.deleted_at is null as active,
    pull.number as "evidencePrNumber", pull.url as "evidencePrUrl",
    (select jsonb_build_object('open', count(*) filter (where issue ->> 'state' = 'open'),
        'closed', count(*) filter (where issue ->> 'state' = 'closed'))
      from observation seen left join lateral jsonb_array_elements(seen.value) issue on true
      where seen.repository_id = r.repository_id and seen.kind = 'issues' and seen.key = r.milestone_number::text
      group by seen.key) as issues,
    case when r.shipped_at is not null then coalesce(
      (select min(h.deployed_at) from deployment_record h where h.release_id = r.id and h.kind in ('release', 'hotfix')),
      r.shipped_at) end as "deployedAt"
  from unnest(${ids}) with ordinality as wanted (id, at)
  join release r on r.id = wanted.id
  join repository repo on repo.id = r.repository_id
  join organization o on o.org_id = r.org_id
  left join lateral (
    select p.number, p.url from evidence_pull_request p where p.release_id = r.id
    order by p.abandoned_at is not null, p.opened_at desc, p.number desc limit 1) pull on true`;

/** Reads the summaries of releases that the transaction can see. */
@Injectable()
export class ReleaseSummariesQueries {
  constructor(@Inject(ENVIRONMENT) private readonly server: GitHubServer) {}

  /** Lists the summaries of the existing releases, in the order of the ids. */
  async list(tx: TenantTransaction, ids: readonly string[], now: Date): Promise<readonly ReleaseSummaryDto[]> {
    const freezes = await this.listActiveFreezes(tx, now);
    return (await this.listDated(tx, ids, freezes, now)).map(({ summary }) => summary);
  }

  /** Lists the summaries with their ages. The caller provides the active freezes. */
  async listDated(
    tx: TenantTransaction,
    ids: readonly string[],
    freezes: ActiveFreezes,
    now: Date,
  ): Promise<readonly DatedReleaseSummary[]> {
    if (ids.length === 0) return [];
    const rows = await tx.queryPrepared<StoredSummary>(
      'list_summaries',
      `${storedSummariesSql('$1::uuid[]')} order by at`,
      [ids],
    );
    return rows.map((row) => this.toDated(row, freezes, now));
  }

  /** Converts a stored summary, with the freezes that are in effect. */
  toDated(row: StoredSummary, freezes: ActiveFreezes, now: Date): DatedReleaseSummary {
    return {
      summary: toSummary(row, freezes, now, this.server),
      stale: Number(row.validUntil) <= now.getTime(),
      evaluatedAt: row.evaluatedAt,
    };
  }

  async listActiveFreezes(tx: TenantTransaction, now: Date): Promise<ActiveFreezes> {
    const [row] = await tx.queryPrepared<{ readonly freezes: FoundFreezes }>(
      'list_active_freezes',
      `select ${activeFreezesSql('$1::timestamptz')} as freezes`,
      [now],
    );
    if (!row) throw new TypeError('A select of a value has a row.');
    return toActiveFreezes(row.freezes);
  }
}

function toSummary(
  row: StoredSummary,
  { ofWorkspace, byRepository, planned }: ActiveFreezes,
  now: Date,
  server: GitHubServer,
): ReleaseSummaryDto {
  const repository = { org: row.org, name: row.repo };
  const freezes = [...(byRepository.get(row.repoId) ?? []), ...ofWorkspace];
  const { blocked, unread, readyUntil, validUntil, evaluatedAt } = row;
  const frozen = freezes.length > 0;
  const outcome = row.active ? releaseOutcome({ stage: row.stage, blocked, frozen, readyUntil, now }) : null;
  const temporary = [
    ...(outcome === 'blocked' ? freezeConditions(freezes, now).map(withoutSubjects) : []),
    // No other condition blocks the release, so without this one the list would show no reason.
    ...(outcome === 'in_progress' && row.blockerCount === 0 ? [stale] : []),
  ];
  const blockers = [...temporary, ...row.blockers]
    .slice(0, MAX_LISTED_BLOCKERS)
    .map((condition: StoredBlocker) => ({ ...condition, users: condition.users ?? [] }));
  const overdue = row.active && isOverdue(row.dueOn, now);
  const [dueFreeze] = row.active && row.dueOn !== null && !overdue ? activeFreezes(planned, row.dueOn) : [];
  return {
    milestoneId: row.milestoneId,
    org: row.org,
    repoId: row.repoId,
    repo: row.repo,
    repoUrl: repositoryUrl(server, repository),
    version: row.version,
    title: row.title,
    stage: row.stage,
    outcome,
    blockers,
    moreBlockers: temporary.length + row.blockerCount - blockers.length,
    candidateSha: row.candidateSha,
    candidateUrl: row.candidateSha === null ? null : commitUrl(server, repository, row.candidateSha),
    evidencePrNumber: row.evidencePrNumber,
    evidencePrUrl: row.evidencePrUrl,
    milestoneUrl: row.milestoneUrl,
    milestoneNumber: row.milestoneNumber,
    issues: row.issues,
    readiness: {
      status: releaseReadiness({ evaluatedAt, unread, validUntil, readyUntil, now }),
      observedAt: evaluatedAt,
      validUntil: readinessValidUntil({ validUntil, readyUntil }),
    },
    dueOn: row.dueOn,
    isOverdue: overdue,
    dueFreeze: dueFreeze ? { from: dueFreeze.from, to: dueFreeze.to, reason: dueFreeze.reason } : null,
    updatedAt: row.updatedAt,
    deployedAt: row.deployedAt,
    cancelledAt: row.cancelledAt,
  };
}

const stale: Condition = {
  code: 'facts_stale',
  detail: 'The facts from GitHub are stale. They are being refreshed.',
  actor: 'service',
};
