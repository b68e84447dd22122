import { Injectable } from '@nestjs/common';
import type { TenantTransaction } from '../../../database/database.js';
import { FACT_LIFETIME_MS, type Observation, type PermissionFact } from '../../../domain/facts/facts.js';
import { TrackedFacts } from '../../../domain/facts/tracked-facts.js';
import { type Policy, reviewerTeams } from '../../../domain/policy/policy.js';
import { type ApprovalReport, buildApprovalReport } from '../../../domain/release/approval-report.js';
import { candidateAuthors } from '../../../domain/release/evaluate.js';
import { scopeRight } from '../../../domain/release/scope-change.js';
import {
  endedEligibility,
  listReviewFacts,
  type Reviewer,
  reviewerEligibility,
  selectEligible,
} from '../../../domain/review/eligibility.js';
import { FreshFacts } from '../../../domain/review/fresh-facts.js';
import type { ReleaseEvaluationWithInputs } from '../evaluation/release-evaluation.service.js';
import { ObservationsRepository } from '../facts/observations.repository.js';
import type { ObservedPartDto, ReleaseViewerDto } from './release-approvals.dto.js';

/** The approvals of a release, with the ids of the reviewers. */
export interface ReleaseApprovals extends ObservedPartDto, Pick<ApprovalReport, 'required' | 'given' | 'reviews'> {
  readonly eligible: { readonly teams: readonly string[]; readonly users: readonly Reviewer[] | null };
}

/** Why an observed part is unknown. */
export const NEVER_READ = 'It was not read yet.';
export const TOO_OLD = 'The last read from GitHub is too old to use.';

const REASONS = { none: 'There is no evidence pull request yet.', unread: NEVER_READ, stale: TOO_OLD, fresh: null };

/** The stored data about the reviews of a release, besides the inputs of its verdict. */
interface StoredReviews {
  readonly observations: readonly Observation[];
  readonly members: readonly Observation<'permission'>[];
  /** Null for an active release. */
  readonly shippedWith: readonly string[] | null;
}

/** Reads by stored facts who approved a release, who can still approve it, and what the viewer may do with it. */
@Injectable()
export class ReleaseApprovalsQueries {
  constructor(private readonly observations: ObservationsRepository) {}

  async read(
    tx: TenantTransaction,
    evaluation: ReleaseEvaluationWithInputs,
    viewer: Reviewer,
  ): Promise<{ readonly approvals: ReleaseApprovals; readonly viewer: ReleaseViewerDto }> {
    const { release, inputs } = evaluation;
    const number = release.record.evidencePull?.number ?? null;
    const policy = findPolicy(inputs.observations);
    const keys = [
      ...listReviewFacts(viewer, number, policy),
      ...(number === null ? [] : [{ kind: 'reviews', key: String(number) } as const]),
    ];
    const stored = {
      observations: await this.observations.list(tx, release.repositoryId, keys),
      members: await this.listMemberPermissions(tx, release.repositoryId, inputs.now),
      shippedWith: release.record.shipped ? await this.listShippedApprovers(tx, release.id) : null,
    };
    return describe(evaluation, stored, viewer);
  }

  /** Lists the fresh permissions of the members of the workspace. */
  private async listMemberPermissions(
    tx: TenantTransaction,
    repositoryId: string,
    now: Date,
  ): Promise<readonly Observation<'permission'>[]> {
    return tx.queryPrepared<Observation<'permission'>>(
      'list_member_permissions',
      `select o.kind, o.key, o.value, o.observed_at as "observedAt" from observation o
       join member m on m.person = (o.value ->> 'userId')::bigint
       where o.repository_id = $1 and o.kind = 'permission' and o.observed_at > $2
       order by o.key`,
      [repositoryId, new Date(now.getTime() - FACT_LIFETIME_MS.permission)],
    );
  }

  /** Lists the logins that approved the release when it shipped. */
  private async listShippedApprovers(tx: TenantTransaction, releaseId: string): Promise<readonly string[]> {
    const [row] = await tx.query<{ readonly approvers: readonly string[] }>(
      `select approvers from deployment_record where release_id = $1 and kind in ('release', 'hotfix')
       order by recorded_at limit 1`,
      [releaseId],
    );
    return row?.approvers ?? [];
  }
}

function describe(
  { release, verdict, inputs }: ReleaseEvaluationWithInputs,
  { observations, members, shippedWith }: StoredReviews,
  viewer: Reviewer,
): { readonly approvals: ReleaseApprovals; readonly viewer: ReleaseViewerDto } {
  const { record } = release;
  const { now } = inputs;
  const known = { ...inputs, observations: [...inputs.observations, ...observations] };
  const { status, required, given, reviews } = buildApprovalReport(known, verdict, shippedWith);
  const facts = new FreshFacts([...observations, ...members], now);
  // The authors are valid as long as the verdict.
  const authors = verdict.gate.validUntil > now.getTime() ? candidateAuthors(verdict, inputs) : null;
  const ending = record.shipped ? 'shipped' : record.cancelledAt ? 'cancelled' : null;
  const counted = new Set(
    reviews.filter(({ state, counts }) => state === 'approved' && counts).map(({ userId }) => userId),
  );
  const permission = facts.read('permission', viewer.login);
  const ownPermission = permission?.userId === viewer.userId ? permission : null;
  const reviewed = { pullNumber: record.evidencePull?.number ?? null, authors };
  const eligible = selectEligible(members.flatMap(toReviewer), reviewed, facts);
  return {
    approvals: {
      status: status === 'fresh' ? 'current' : 'unknown',
      reason: REASONS[status],
      observedAt: observations.find(({ kind }) => kind === 'reviews')?.observedAt ?? null,
      required,
      given,
      reviews,
      eligible: {
        teams: reviewerTeams(findPolicy(known.observations)?.evidencing.requiredReviewers ?? []),
        users: ending ? [] : (eligible?.filter(({ userId }) => !counted.has(userId)) ?? null),
      },
    },
    viewer: {
      permission: toViewerPermission(ownPermission),
      canChangeScope: scopeRight(ownPermission, record.shipped !== null),
      eligibility: ending
        ? endedEligibility(record.version, ending, viewer)
        : reviewerEligibility({ ...reviewed, reviewer: viewer }, facts),
    },
  };
}

/** Returns the valid policy among the observations. */
function findPolicy(observations: readonly Observation[]): Policy | null {
  const state = new TrackedFacts(observations).read('policy', '');
  return state?.status === 'valid' ? state.policy : null;
}

const toReviewer = ({ key, value: { userId } }: Observation<'permission'>): readonly Reviewer[] =>
  userId === null ? [] : [{ userId, login: key }];

/** A viewer without a permission of their own sees the release, so they can read the repository. */
function toViewerPermission(permission: PermissionFact | null): ReleaseViewerDto['permission'] {
  if (permission === null) return 'unknown';
  return permission.level === 'none' ? 'read' : permission.level;
}
