import { Injectable } from '@nestjs/common';
import { Clock } from '../../../config/clock.js';
import type { TenantTransaction } from '../../../database/database.js';
import { type EffectiveEvidenceSet, selectVisibleItems } from '../../../domain/evidence/effective-evidence-set.js';
import { evidenceFailures } from '../../../domain/evidence/evidence-status.js';
import type { EvidenceItem } from '../../../domain/evidence/evidence.js';
import { type Condition, toConditionKey } from '../../../domain/facts/condition.js';
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
import { listEnvironments } from '../../../domain/policy/environments.js';
import type { Policy, PolicyState, RequiredCheck } from '../../../domain/policy/policy.js';
import { requiredArtifacts } from '../../../domain/policy/policy-fields.js';
import { selectCountedChecks } from '../../../domain/quality/counted-checks.js';
import type { ChainState } from '../../../domain/release/deployed-rules.js';
import { buildStageReport } from '../../../domain/release/stage-report.js';
import type { Reviewer } from '../../../domain/review/eligibility.js';
import {
  ReleaseEvaluationService,
  type ReleaseEvaluationWithInputs,
} from '../evaluation/release-evaluation.service.js';
import { VerdictInputsQueries } from '../evaluation/verdict-inputs.queries.js';
import { EnvironmentDeploymentsQueries } from '../environments/environment-deployments.queries.js';
import type { ReleaseEnvironmentDto } from '../environments/environments.dto.js';
import { toReleaseEnvironments } from '../environments/release-environments.js';
import { ObservationsRepository } from '../facts/observations.repository.js';
import { toOverrideDto, toSubjectDto } from '../gate/gate.dto.js';
import { ReleaseSummariesQueries } from '../lists/release-summaries.queries.js';
import { FailedTestsQueries } from './failed-tests.queries.js';
import type { ObservedPartDto } from './release-approvals.dto.js';
import { NEVER_READ, type ReleaseApprovals, ReleaseApprovalsQueries, TOO_OLD } from './release-approvals.queries.js';
import type {
  RefreshStatusDto,
  ReleaseConditionDto,
  ReleaseDetailsDto,
  StageTransitionDto,
} from './release-details.dto.js';
import type { PolicyRulesDto, RequiredCheckDto } from './release-policy.dto.js';

/** A part of a release, and its value, which may be stale; null if it was never read. */
type Observed<T> = readonly [Readonly<ObservedPartDto>, T | null];

function readPart<K extends FactKind>(
  observations: readonly Observation[],
  { kind, key }: FactKey<K>,
  now: Date,
): Observed<FactValues[K]> {
  const found = observations.find((item) => item.kind === kind && item.key === key);
  if (!found) return [{ status: 'unknown', reason: NEVER_READ, observedAt: null }, null];
  const { observedAt } = found;
  const isFresh = factExpiresAt(found) > now.getTime();
  const state = isFresh
    ? ({ status: 'current', reason: null } as const)
    : ({ status: 'unknown', reason: TOO_OLD } as const);
  return [{ ...state, observedAt }, found.value as FactValues[K]];
}

/** The details of a release, whose reviewers have no avatars yet. */
export type ReleaseDetails = Omit<ReleaseDetailsDto, 'approvals'> & { readonly approvals: ReleaseApprovals };

/** Selects the items that the verdict uses and the newest of the others, newest first, and counts the rest. */
function listVisibleEvidence(
  items: readonly EvidenceItem[],
  set: EffectiveEvidenceSet,
  runUrls: ReadonlyMap<string, string>,
): Pick<ReleaseDetailsDto, 'evidence' | 'moreEvidence'> {
  const evidence = selectVisibleItems(items, set).map(({ item, evidenceId, status, decides }) => ({
    evidenceId,
    type: item.kind,
    environment: item.environment,
    pipeline: item.pipeline,
    commitSha: item.commitSha,
    status,
    failures: evidenceFailures(item),
    decides,
    metrics: item.metrics,
    runUrl: runUrls.get(item.id) ?? null,
    createdAt: item.receivedAt,
  }));
  return { evidence, moreEvidence: items.length - evidence.length };
}

const toScope = ([part, issues]: Observed<readonly IssueFact[]>): ReleaseDetailsDto['scope'] => ({
  ...part,
  issues: (issues ?? []).map(({ number, title, state, assignees, labels, url }) => ({
    number,
    title,
    state,
    owners: assignees,
    labels,
    url,
  })),
});

const toChecks = (
  commitSha: string | null,
  [part, checks]: Observed<readonly CheckFact[]>,
): ReleaseDetailsDto['checks'] => ({
  ...part,
  commitSha,
  reported: selectCountedChecks(checks ?? []).map(({ name, app, state, url }) => ({ name, app, state, url })),
});

const toPolicy = ([part, state]: Observed<PolicyState>): ReleaseDetailsDto['policy'] => ({
  ...part,
  state: state?.status ?? null,
  ...(state?.status === 'valid'
    ? {
        digest: state.digest,
        rules: toRules(state.policy),
        organizationKeys: state.organization?.stated ?? null,
      }
    : { digest: null, rules: null, organizationKeys: null }),
});

const toRules = (policy: Policy): PolicyRulesDto => ({
  ...policy,
  development: { ...policy.development, requiredChecks: policy.development.requiredChecks.map(toRequiredCheck) },
  testing: {
    ...policy.testing,
    requiredChecks: policy.testing.requiredChecks.map(toRequiredCheck),
    requiredArtifacts: requiredArtifacts(policy),
  },
});

const toRequiredCheck = (check: RequiredCheck): RequiredCheckDto => ({
  ...check,
  allowSkipped: check.allowSkipped === true,
});

/** Reads the details of a release from stored facts, its scope at the time of shipping, and its changes of stage. */
@Injectable()
export class ReleaseDetailsQueries {
  constructor(
    private readonly summaries: ReleaseSummariesQueries,
    private readonly evaluations: ReleaseEvaluationService,
    private readonly inputs: VerdictInputsQueries,
    private readonly observations: ObservationsRepository,
    private readonly approvals: ReleaseApprovalsQueries,
    private readonly failedTests: FailedTestsQueries,
    private readonly deployments: EnvironmentDeploymentsQueries,
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
    const { verdict, stages, chain } = buildStageReport(inputs);
    const { gate, warnings, overrides, evidenceSet, candidateSha } = verdict;
    const keys = {
      policy: { kind: 'policy', key: '' },
      issues: { kind: 'issues', key: String(release.record.milestoneNumber) },
      checks: { kind: 'checks', key: candidateSha ?? '' },
    } as const satisfies Readonly<Record<string, FactKey>>;
    const observed = await this.observations.list(tx, release.repositoryId, Object.values(keys));
    const policy = readPart(observed, keys.policy, inputs.now);
    const shippedScope = release.record.shipped ? await this.findShippedScope(tx, releaseId) : null;
    const runUrls = await this.inputs.runUrls(tx, releaseId);
    const failedTests = await this.failedTests.list(tx, evidenceSet, { repoUrl: summary.repoUrl, runUrls });
    const closing = new Set(gate.reasons);
    const overridable = { isShipped: release.record.shipped !== null, cancelled: verdict.cancelled, candidateSha };
    const toDtos = (conditions: readonly Condition[]): readonly ReleaseConditionDto[] =>
      conditions.map((condition) => ({
        ...condition,
        closesGate: closing.has(condition),
        failedTests: failedTests.get(toConditionKey(condition)) ?? null,
        subjects: (condition.subjects ?? []).map(toSubjectDto),
        override: findAllowedOverride(condition.code, overridable),
      }));
    return {
      release: summary,
      verification,
      stages: stages.map(({ status, ...stage }) => ({
        ...stage,
        standing: status,
        unmet: toDtos(stage.unmet),
        unknown: toDtos(stage.unknown),
      })),
      reasons: toDtos(gate.reasons),
      warnings: toDtos(warnings),
      overrides: overrides.map(toOverrideDto),
      scope: toScope(shippedScope ?? readPart(observed, keys.issues, inputs.now)),
      ...listVisibleEvidence(inputs.evidence, evidenceSet, runUrls),
      checks: toChecks(summary.candidateSha, readPart(observed, keys.checks, inputs.now)),
      transitions: await this.listTransitions(tx, releaseId),
      policy: toPolicy(policy),
      environments: await this.listEnvironments(tx, evaluation, { state: policy[1], chain }),
      ...(await this.approvals.read(tx, evaluation, viewer)),
    };
  }

  /** Lists the environments that the policy names. Empty if no valid policy is known. */
  private async listEnvironments(
    tx: TenantTransaction,
    { release: { repositoryId }, inputs: { now }, verdict: { candidateShas } }: ReleaseEvaluationWithInputs,
    { state, chain }: { readonly state: PolicyState | null; readonly chain: ChainState },
  ): Promise<readonly ReleaseEnvironmentDto[]> {
    if (state?.status !== 'valid') return [];
    const { policy } = state;
    const names = listEnvironments(policy).map(({ name }) => name);
    const facts = await this.observations.list(
      tx,
      repositoryId,
      names.map((name) => ({ kind: 'deployments', key: name.toLowerCase() })),
    );
    const known = await this.deployments.find(tx, [repositoryId], names, now);
    return toReleaseEnvironments({ policy, repositoryId, candidateShas, chain, facts, now }, known);
  }

  /**
   * Returns the scope of the history record, which later changes of the issues do not affect; null if there is no such record.
   */
  private async findShippedScope(
    tx: TenantTransaction,
    releaseId: string,
  ): Promise<Observed<readonly IssueFact[]> | null> {
    const [row] = await tx.query<{ readonly scope: readonly IssueFact[]; readonly observedAt: Date }>(
      `select scope, recorded_at as "observedAt" from deployment_record where release_id = $1 and scope is not null
       order by recorded_at limit 1`,
      [releaseId],
    );
    return row ? [{ status: 'current', reason: null, observedAt: row.observedAt }, row.scope] : null;
  }

  /** Lists all changes of stage, oldest first. */
  private listTransitions(tx: TenantTransaction, releaseId: string): Promise<readonly StageTransitionDto[]> {
    return tx.query<StageTransitionDto>(
      `select from_stage as "from", to_stage as "to", cause, actor, at from stage_transition
       where release_id = $1 order by id`,
      [releaseId],
    );
  }
}
