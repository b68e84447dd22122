import { Injectable } from '@nestjs/common';
import { Clock } from '../../../config/clock.js';
import type { TenantTransaction } from '../../../database/database.js';
import {
  type EffectiveEvidenceSet,
  type VisibleEvidenceItem,
  selectVisibleItems,
} from '../../../domain/evidence/effective-evidence-set.js';
import { evidenceFailures } from '../../../domain/evidence/evidence-status.js';
import type { EvidenceItem } from '../../../domain/evidence/evidence.js';
import type { Condition, Stage } from '../../../domain/facts/condition.js';
import {
  type CheckFact,
  type FactKey,
  type FactKind,
  type FactValues,
  type IssueFact,
  type Observation,
  factExpiresAt,
} from '../../../domain/facts/facts.js';
import { findAllowedOverride } from '../../../domain/override/applied-overrides.js';
import type { PolicyState } from '../../../domain/policy/policy.js';
import type { Verdict } from '../../../domain/release/evaluate.js';
import { buildStageReport } from '../../../domain/release/stage-report.js';
import type { Reviewer } from '../../../domain/review/eligibility.js';
import { ReleaseEvaluationService } from '../evaluation/release-evaluation.service.js';
import { VerdictInputsQueries } from '../evaluation/verdict-inputs.queries.js';
import { ObservationsRepository } from '../facts/observations.repository.js';
import type { ReleaseSummaryDto } from '../lists/release-list.dto.js';
import { ReleaseSummariesQueries } from '../lists/release-summaries.queries.js';
import type { ReleaseViewerDto } from './release-approvals.dto.js';
import { NEVER_READ, type ReleaseApprovals, ReleaseApprovalsQueries, TOO_OLD } from './release-approvals.queries.js';
import type { RefreshStatusDto, ReleaseConditionDto, StageDetailsDto } from './release-details.dto.js';

/** An observed part of a release, and whether the observation is fresh. */
export interface ObservedValue<T> {
  readonly status: 'current' | 'unknown';
  /** Why it is unknown, as a sentence; null if it is current. */
  readonly reason: string | null;
  /** Null if it was never read. */
  readonly observedAt: Date | null;
  /** The observed value, even if it is stale; null if it was never read. */
  readonly value: T | null;
}

/** Builds a part of a release from its observation. */
function toObservedValue<K extends FactKind>(
  observations: readonly Observation[],
  { kind, key }: FactKey<K>,
  now: Date,
): ObservedValue<FactValues[K]> {
  const found = observations.find((item) => item.kind === kind && item.key === key);
  if (!found) return { status: 'unknown', reason: NEVER_READ, observedAt: null, value: null };
  const { observedAt } = found;
  const value = found.value as FactValues[K];
  return factExpiresAt(found) > now.getTime()
    ? { status: 'current', reason: null, observedAt, value }
    : { status: 'unknown', reason: TOO_OLD, observedAt, value };
}

/** A change of stage. */
export interface StageTransition {
  /** Null for the first verdict of the release. */
  readonly from: Stage | null;
  readonly to: Stage;
  readonly cause: string;
  readonly actor: string;
  readonly at: Date;
}

/** An evidence item as the details page shows it. */
interface VisibleEvidence extends VisibleEvidenceItem {
  /** Why it failed; empty if it did not. */
  readonly failures: readonly string[];
  readonly runUrl: string | null;
}

/** The details of a release: its status in every stage and the facts behind it. */
export interface ReleaseDetails {
  readonly summary: ReleaseSummaryDto;
  readonly verification: RefreshStatusDto;
  readonly stages: readonly StageDetailsDto[];
  /** Everything that keeps the gate closed. */
  readonly reasons: readonly ReleaseConditionDto[];
  readonly warnings: readonly ReleaseConditionDto[];
  readonly overrides: Verdict['overrides'];
  readonly scope: ObservedValue<readonly IssueFact[]>;
  /** The items that the verdict uses, and the newest of the others. */
  readonly evidence: readonly VisibleEvidence[];
  /** The number of items that are not in `evidence`. */
  readonly moreEvidence: number;
  readonly checks: ObservedValue<readonly CheckFact[]>;
  readonly transitions: readonly StageTransition[];
  readonly policy: ObservedValue<PolicyState>;
  readonly approvals: ReleaseApprovals;
  readonly viewer: ReleaseViewerDto;
}

/** Selects the items that the verdict uses and the newest of the others, newest first, and counts the rest. */
function listVisibleEvidence(
  items: readonly EvidenceItem[],
  set: EffectiveEvidenceSet,
  runUrls: ReadonlyMap<string, string>,
): { readonly visible: readonly VisibleEvidence[]; readonly more: number } {
  const visible = selectVisibleItems(items, set).map((item) => ({
    ...item,
    failures: evidenceFailures(item.item),
    runUrl: runUrls.get(item.item.id) ?? null,
  }));
  return { visible, more: items.length - visible.length };
}

/** Reads the details of a release from stored facts, its scope at the time of shipping, and its changes of stage. */
@Injectable()
export class ReleaseDetailsQueries {
  constructor(
    private readonly summaries: ReleaseSummariesQueries,
    private readonly evaluations: ReleaseEvaluationService,
    private readonly inputs: VerdictInputsQueries,
    private readonly observations: ObservationsRepository,
    private readonly approvals: ReleaseApprovalsQueries,
    private readonly clock: Clock,
  ) {}

  /** Returns null if the transaction cannot see such a release. */
  async find(
    tx: TenantTransaction,
    releaseId: string,
    { verification, viewer }: { readonly verification: RefreshStatusDto; readonly viewer: Reviewer },
  ): Promise<ReleaseDetails | null> {
    const evaluation = await this.evaluations.evaluate(tx, releaseId);
    const [summary] = await this.summaries.list(tx, [releaseId], this.clock.now());
    if (!evaluation || !summary) return null;
    const { release, inputs } = evaluation;
    const { verdict, stages } = buildStageReport(inputs);
    const { gate, warnings, overrides, decidingSet, candidateSha } = verdict;
    const keys = {
      policy: { kind: 'policy', key: '' },
      issues: { kind: 'issues', key: String(release.record.milestoneNumber) },
      checks: { kind: 'checks', key: candidateSha ?? '' },
    } as const satisfies Readonly<Record<string, FactKey>>;
    const observed = await this.observations.list(tx, release.repositoryId, Object.values(keys));
    const shippedScope = release.record.shipped ? await this.findShippedScope(tx, releaseId) : null;
    const evidence = listVisibleEvidence(inputs.evidence, decidingSet, await this.inputs.runUrls(tx, releaseId));
    const overridable = { isShipped: release.record.shipped !== null, cancelled: verdict.cancelled, candidateSha };
    const withOverride = (conditions: readonly Condition[]): readonly ReleaseConditionDto[] =>
      conditions.map((condition) => ({ ...condition, override: findAllowedOverride(condition.code, overridable) }));
    return {
      summary,
      verification,
      stages: stages.map((stage) => ({
        ...stage,
        unmet: withOverride(stage.unmet),
        unknown: withOverride(stage.unknown),
      })),
      reasons: withOverride(gate.reasons),
      warnings: withOverride(warnings),
      overrides,
      scope: shippedScope ?? toObservedValue(observed, keys.issues, inputs.now),
      evidence: evidence.visible,
      moreEvidence: evidence.more,
      checks: toObservedValue(observed, keys.checks, inputs.now),
      transitions: await this.listTransitions(tx, releaseId),
      policy: toObservedValue(observed, keys.policy, inputs.now),
      ...(await this.approvals.read(tx, evaluation, viewer)),
    };
  }

  /**
   * Returns the scope of the history record, which later changes of the issues do not affect; null if there is no such record.
   */
  async findShippedScope(
    tx: TenantTransaction,
    releaseId: string,
  ): Promise<ObservedValue<readonly IssueFact[]> | null> {
    const [row] = await tx.query<{ readonly scope: readonly IssueFact[]; readonly recorded_at: Date }>(
      `select scope, recorded_at from deployment_record where release_id = $1 and scope is not null
       order by recorded_at limit 1`,
      [releaseId],
    );
    return row ? { status: 'current', reason: null, observedAt: row.recorded_at, value: row.scope } : null;
  }

  /** Lists all changes of stage, oldest first. */
  async listTransitions(tx: TenantTransaction, releaseId: string): Promise<readonly StageTransition[]> {
    return tx.query<StageTransition>(
      `select from_stage as "from", to_stage as "to", cause, actor, at from stage_transition
       where release_id = $1 order by id`,
      [releaseId],
    );
  }
}
