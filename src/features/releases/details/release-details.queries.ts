import { Injectable } from '@nestjs/common';
import { Clock } from '../../../config/clock.js';
import type { TenantTransaction } from '../../../database/database.js';
import {
  type EffectiveEvidenceSet,
  type VisibleEvidenceItem,
  selectVisibleItems,
} from '../../../domain/evidence/effective-evidence-set.js';
import type { EvidenceItem } from '../../../domain/evidence/evidence.js';
import { evidenceFailures } from '../../../domain/evidence/evidence-status.js';
import {
  type CheckFact,
  type FactKey,
  type FactKind,
  type FactValues,
  type IssueFact,
  type Observation,
  factExpiresAt,
} from '../../../domain/facts/facts.js';
import type { PolicyState } from '../../../domain/policy/policy.js';
import type { Verdict } from '../../../domain/release/evaluate.js';
import type { Condition, Stage } from '../../../domain/release/stage.js';
import { buildStageReport, type StageReport } from '../../../domain/release/stage-report.js';
import { ReleaseEvaluationService } from '../evaluation/release-evaluation.service.js';
import { VerdictInputsQueries } from '../evaluation/verdict-inputs.queries.js';
import { ObservationsRepository } from '../facts/observations.repository.js';
import { type ReleaseSummaryDto, ReleaseSummariesQueries } from '../lists/release-summaries.queries.js';
import type { RefreshStatus } from './live-refresh.service.js';

/** What was observed of a part of a release, and whether it can still be taken for what is. */
export interface ObservedValue<T> {
  readonly status: 'current' | 'unknown';
  /** Why it is unknown: a sentence; null where it is not. */
  readonly reason: string | null;
  /** Null where it was never read. */
  readonly observedAt: Date | null;
  /** As it was observed, also where that is too old; null where it was never read. */
  readonly value: T | null;
}

/** A part of a release as one of the observations tells it. */
function toObservedValue<K extends FactKind>(
  observations: readonly Observation[],
  { kind, key }: FactKey<K>,
  now: Date,
): ObservedValue<FactValues[K]> {
  const found = observations.find((one) => one.kind === kind && one.key === key);
  if (!found) return { status: 'unknown', reason: 'It was not read yet.', observedAt: null, value: null };
  const { observedAt } = found;
  const value = found.value as FactValues[K];
  return factExpiresAt(found) > now.getTime()
    ? { status: 'current', reason: null, observedAt, value }
    : { status: 'unknown', reason: 'What GitHub said of it is too old to rest on.', observedAt, value };
}

/** A change of stage. */
export interface StageTransition {
  /** Null where it was the first verdict of the release. */
  readonly from: Stage | null;
  readonly to: Stage;
  readonly cause: string;
  readonly actor: string;
  readonly at: Date;
}

/** A piece of evidence as people are shown it beside its release. */
interface ShownEvidence extends VisibleEvidenceItem {
  /** Why it failed; empty unless it did. */
  readonly failures: readonly string[];
  readonly runUrl: string | null;
}

/** Where a release stands in every stage, and all that this is told from. */
export interface ReleaseDetails {
  readonly card: ReleaseSummaryDto;
  readonly verification: RefreshStatus;
  readonly stages: readonly StageReport[];
  /** Everything that keeps the gate closed. */
  readonly reasons: readonly Condition[];
  readonly warnings: readonly Condition[];
  readonly overrides: Verdict['overrides'];
  readonly scope: ObservedValue<readonly IssueFact[]>;
  /** What decides, and the newest of the rest. */
  readonly evidence: readonly ShownEvidence[];
  /** How many pieces are not among them. */
  readonly moreEvidence: number;
  readonly checks: ObservedValue<readonly CheckFact[]>;
  readonly transitions: readonly StageTransition[];
  readonly policy: ObservedValue<PolicyState>;
}

/** The pieces that decide and the newest of the others, the newest first, and how many are left out. */
function listVisibleEvidence(
  pieces: readonly EvidenceItem[],
  set: EffectiveEvidenceSet,
  runUrls: ReadonlyMap<string, string>,
): { readonly shown: readonly ShownEvidence[]; readonly more: number } {
  const shown = selectVisibleItems(pieces, set).map((one) => ({
    ...one,
    failures: evidenceFailures(one.piece),
    runUrl: runUrls.get(one.piece.id) ?? null,
  }));
  return { shown, more: pieces.length - shown.length };
}

/** Where a release stands in every stage, by what is stored. What was in a release when it was shipped. Which stages a release has gone through. */
@Injectable()
export class ReleaseDetailsQueries {
  constructor(
    private readonly cards: ReleaseSummariesQueries,
    private readonly evaluations: ReleaseEvaluationService,
    private readonly evidence: VerdictInputsQueries,
    private readonly observations: ObservationsRepository,
    private readonly clock: Clock,
  ) {}

  /** Null where there is no such release for whoever opened the transaction. */
  async find(tx: TenantTransaction, releaseId: string, verification: RefreshStatus): Promise<ReleaseDetails | null> {
    const shown = await this.evaluations.evaluate(tx, releaseId);
    const [card] = await this.cards.list(tx, [releaseId], this.clock.now());
    if (!shown || !card) return null;
    const { release, inputs } = shown;
    const { verdict, stages } = buildStageReport(inputs);
    const { gate, warnings, overrides, decidingSet, candidateSha } = verdict;
    const keys = {
      policy: { kind: 'policy', key: '' },
      issues: { kind: 'issues', key: String(release.record.milestoneNumber) },
      checks: { kind: 'checks', key: candidateSha ?? '' },
    } as const satisfies Readonly<Record<string, FactKey>>;
    const observed = await this.observations.list(tx, release.repositoryId, Object.values(keys));
    const shippedScope = release.record.shipped ? await this.findShippedScope(tx, releaseId) : null;
    const evidence = listVisibleEvidence(inputs.evidence, decidingSet, await this.evidence.runUrls(tx, releaseId));
    return {
      card,
      verification,
      stages,
      reasons: gate.reasons,
      warnings,
      overrides,
      scope: shippedScope ?? toObservedValue(observed, keys.issues, inputs.now),
      evidence: evidence.shown,
      moreEvidence: evidence.more,
      checks: toObservedValue(observed, keys.checks, inputs.now),
      transitions: await this.listTransitions(tx, releaseId),
      policy: toObservedValue(observed, keys.policy, inputs.now),
    };
  }

  /** As the history keeps it, whatever became of its issues since; null where the history has no scope of it. */
  async findShippedScope(
    tx: TenantTransaction,
    releaseId: string,
  ): Promise<ObservedValue<readonly IssueFact[]> | null> {
    const [row] = await tx.query<{ readonly scope: readonly IssueFact[]; readonly recorded_at: Date }>(
      `select scope, recorded_at from history_record where release_id = $1 and scope is not null
       order by recorded_at limit 1`,
      [releaseId],
    );
    return row ? { status: 'current', reason: null, observedAt: row.recorded_at, value: row.scope } : null;
  }

  /** Whole, the oldest first. */
  async listTransitions(tx: TenantTransaction, releaseId: string): Promise<readonly StageTransition[]> {
    return tx.query<StageTransition>(
      `select from_stage as "from", to_stage as "to", cause, actor, at from stage_transition
       where release_id = $1 order by id`,
      [releaseId],
    );
  }
}
