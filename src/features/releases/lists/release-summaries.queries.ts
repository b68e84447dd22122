import { Injectable } from '@nestjs/common';
import type { TenantTransaction } from '../../../database/database.js';
import type { Condition, Stage } from '../../../domain/facts/condition.js';
import { activeFreezes } from '../../../domain/policy/freeze.js';
import type { Freeze } from '../../../domain/policy/policy.js';
import { freezeConditions } from '../../../domain/release/conditions.js';
import {
  MAX_LISTED_BLOCKERS,
  type Outcome,
  releaseOutcome,
  releaseReadiness,
  type ReadinessStatus,
} from '../../../domain/release/outcome.js';
import { activeFreezesSql } from '../evaluation/verdict-inputs.queries.js';

/** The freezes in effect at a time. */
export interface ActiveFreezes {
  /** Freezes of the whole workspace, set by its admins. */
  readonly ofWorkspace: readonly Freeze[];
  /** Freezes of single repositories, set by their policies. */
  readonly byRepository: ReadonlyMap<string, readonly Freeze[]>;
}

interface StoredFreezes {
  readonly of_workspace: readonly Freeze[];
  readonly by_repository: readonly { readonly id: string; readonly freezes: readonly Freeze[] }[];
}

/** A release in a list, by stored facts and the time. */
export interface ReleaseSummaryDto {
  readonly milestoneId: string;
  readonly org: string;
  /** The name without the owner. */
  readonly repo: string;
  readonly version: string;
  readonly title: string;
  readonly stage: Stage;
  /** Null if the release is shipped or cancelled. */
  readonly outcome: Outcome | null;
  /** The first conditions that keep its gate closed. */
  readonly blockers: readonly Condition[];
  /** The number of further conditions. */
  readonly moreBlockers: number;
  readonly candidateSha: string | null;
  readonly evidencePrNumber: number | null;
  readonly evidencePrUrl: string | null;
  readonly milestoneUrl: string;
  readonly milestoneNumber: number;
  /** Null until the issues were read. */
  readonly issues: { readonly open: number; readonly closed: number } | null;
  readonly readiness: { readonly status: ReadinessStatus; readonly observedAt: Date | null };
  readonly dueOn: Date | null;
  readonly updatedAt: Date;
  readonly deployedAt: Date | null;
  readonly cancelledAt: Date | null;
}

/** A summary, with its age for the refresh of lists. */
export interface DatedReleaseSummary {
  readonly summary: ReleaseSummaryDto;
  /** The facts are too old, or the release was never evaluated. */
  readonly stale: boolean;
  /** When its verdict was derived; null before the first verdict. */
  readonly evaluatedAt: Date | null;
}

interface SummaryRow {
  readonly id: string;
  readonly repository_id: string;
  readonly org: string;
  readonly repo: string;
  readonly version: string;
  readonly title: string;
  readonly stage: Stage;
  readonly blocked: boolean;
  readonly unread: boolean;
  readonly blockers: readonly Condition[];
  readonly blocker_count: number;
  readonly candidate_sha: string | null;
  readonly milestone_url: string;
  readonly milestone_number: number;
  readonly ready_until: Date | number | null;
  readonly valid_until: Date | number;
  readonly evaluated_at: Date | null;
  readonly due_on: Date | null;
  readonly updated_at: Date;
  readonly cancelled_at: Date | null;
  readonly active: boolean;
  readonly pull_number: number | null;
  readonly pull_url: string | null;
  readonly issues: { readonly open: number; readonly closed: number } | null;
  readonly deployed_at: Date | null;
}

/** Reads the summaries of releases that the transaction can see. */
@Injectable()
export class ReleaseSummariesQueries {
  /** Lists the summaries of the existing releases, in the order of the ids. */
  async list(tx: TenantTransaction, ids: readonly string[], now: Date): Promise<readonly ReleaseSummaryDto[]> {
    const freezes = await this.listInForce(tx, now);
    return (await this.listDated(tx, ids, freezes, now)).map(({ summary }) => summary);
  }

  /** Does the same with freezes that the caller has read. */
  async listDated(
    tx: TenantTransaction,
    ids: readonly string[],
    { ofWorkspace, byRepository }: ActiveFreezes,
    now: Date,
  ): Promise<readonly DatedReleaseSummary[]> {
    if (ids.length === 0) return [];
    const rows = await tx.queryPrepared<SummaryRow>(
      'list_release_summaries',
      `select r.id, r.repository_id, o.login as org, repo.name as repo, r.version, r.title, r.stage, r.blocked, r.unread,
         r.blockers, r.blocker_count, r.candidate_sha, r.milestone_url, r.milestone_number, r.ready_until, r.valid_until,
         r.evaluated_at, r.due_on, r.updated_at, r.cancelled_at,
         r.shipped_at is null and r.cancelled_at is null and r.deleted_at is null as active,
         pull.number as pull_number, pull.url as pull_url,
         (select jsonb_build_object('open', count(*) filter (where issue ->> 'state' = 'open'),
             'closed', count(*) filter (where issue ->> 'state' = 'closed'))
           from observation seen left join lateral jsonb_array_elements(seen.value) issue on true
           where seen.repository_id = r.repository_id and seen.kind = 'issues' and seen.key = r.milestone_number::text
           group by seen.key) as issues,
         case when r.shipped_at is not null then coalesce(
           (select min(h.deployed_at) from deployment_record h where h.release_id = r.id and h.kind in ('release', 'hotfix')),
           r.shipped_at) end as deployed_at
       from unnest($1::uuid[]) with ordinality as wanted (id, at)
       join release r on r.id = wanted.id
       join repository repo on repo.id = r.repository_id
       join organization o on o.org_id = r.org_id
       left join lateral (
         select p.number, p.url from evidence_pull_request p where p.release_id = r.id
         order by p.abandoned_at is not null, p.opened_at desc, p.number desc limit 1) pull on true
       order by wanted.at`,
      [ids],
    );
    return rows.map((row) => ({
      summary: toSummary(row, [...(byRepository.get(row.repository_id) ?? []), ...ofWorkspace], now),
      stale: Number(row.valid_until) <= now.getTime(),
      evaluatedAt: row.evaluated_at,
    }));
  }

  async listInForce(tx: TenantTransaction, now: Date): Promise<ActiveFreezes> {
    const [stored] = await tx.queryPrepared<StoredFreezes>(
      'list_freezes',
      `select ${activeFreezesSql('$1::timestamptz')} as of_workspace, (
         select coalesce(jsonb_agg(jsonb_build_object('id', repository_id, 'freezes', value #> '{policy,freezes}')), '[]')
         from observation where kind = 'policy' and key = '' and value #> '{policy,freezes}' <> '[]') as by_repository`,
      [now],
    );
    if (!stored) throw new TypeError('A select of two values has a row.');
    const byRepository = new Map<string, readonly Freeze[]>();
    for (const { id, freezes } of stored.by_repository) {
      const inForce = activeFreezes(freezes, now);
      if (inForce.length > 0) byRepository.set(id, inForce);
    }
    return { ofWorkspace: activeFreezes(stored.of_workspace, now), byRepository };
  }
}

function toSummary(row: SummaryRow, freezes: readonly Freeze[], now: Date): ReleaseSummaryDto {
  const { blocked, unread, ready_until: readyUntil, valid_until: validUntil, evaluated_at: evaluatedAt } = row;
  const frozen = freezes.length > 0;
  const outcome = row.active ? releaseOutcome({ stage: row.stage, blocked, frozen, readyUntil, now }) : null;
  const temporary = [
    ...(outcome === 'blocked' ? freezeConditions(freezes, now) : []),
    // No other condition blocks the release, so without this one the list would show no reason.
    ...(outcome === 'in_progress' && row.blocker_count === 0 ? [stale] : []),
  ];
  const blockers = [...temporary, ...row.blockers].slice(0, MAX_LISTED_BLOCKERS);
  return {
    milestoneId: row.id,
    org: row.org,
    repo: row.repo,
    version: row.version,
    title: row.title,
    stage: row.stage,
    outcome,
    blockers,
    moreBlockers: temporary.length + row.blocker_count - blockers.length,
    candidateSha: row.candidate_sha,
    evidencePrNumber: row.pull_number,
    evidencePrUrl: row.pull_url,
    milestoneUrl: row.milestone_url,
    milestoneNumber: row.milestone_number,
    issues: row.issues,
    readiness: {
      status: releaseReadiness({ evaluatedAt, unread, validUntil, readyUntil, now }),
      observedAt: evaluatedAt,
    },
    dueOn: row.due_on,
    updatedAt: row.updated_at,
    deployedAt: row.deployed_at,
    cancelledAt: row.cancelled_at,
  };
}

const stale: Condition = {
  code: 'facts_stale',
  detail: 'The facts from GitHub are stale. They are being refreshed.',
  actor: 'service',
};
