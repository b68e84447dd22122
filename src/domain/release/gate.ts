import { missingFactCondition, type Condition } from '../facts/condition.js';
import type { Sha } from '../facts/facts.js';
import type { TrackedFacts } from '../facts/tracked-facts.js';
import type { AppliedOverrides } from '../override/applied-overrides.js';
import { nextFreezeBoundary } from '../policy/freeze.js';
import type { Freeze, PolicyState } from '../policy/policy.js';
import { freezeConditions } from './conditions.js';
import type { GovernanceState } from './release-record.js';

export interface GateState {
  /**
   * The time until which the gate is open, in milliseconds since the epoch. Null if it is closed. Time alone can close
   * a gate but never opens one.
   */
  readonly openUntil: number | null;
  /** The gate reasons. Empty if the gate is open. */
  readonly reasons: readonly Condition[];
  /** The time of the next evaluation, in milliseconds since the epoch. */
  readonly validUntil: number;
}

export interface GateInput {
  /**
   * The release has passed every stage before the deployment: it is tested, and approved if the policy requires an
   * approval.
   */
  readonly passed: boolean;
  /** The unmet conditions of the current stage. */
  readonly unmet: readonly Condition[];
  /** The unmet conditions of later stages. */
  readonly unmetLater: readonly Condition[];
  readonly milestoneReasons: readonly Condition[];
  readonly governance: GovernanceState;
  /** The branch that the release ships from. Null means any branch. */
  readonly branch: string | null;
  /** The head commit of the branch. Null if it is not known. */
  readonly branchHead: Sha | null;
  readonly policyState: PolicyState | undefined;
  /** The freezes of the workspace, in addition to the freezes of the policy. */
  readonly freezes: readonly Freeze[];
  readonly overrides: AppliedOverrides;
  /** The earliest end of a soak that is not completed, in milliseconds since the epoch. Missing if there is none. */
  readonly nextSoakEnd?: number;
  readonly now: Date;
}

/**
 * Evaluates whether the release may be deployed now. The gate is open only if no condition blocks it and all facts are
 * fresh.
 */
export function evaluateGate(input: GateInput, facts: TrackedFacts): GateState {
  const { passed, unmet, unmetLater, policyState, overrides, nextSoakEnd, now } = input;
  const policyFreezes = policyState?.status === 'valid' ? policyState.policy.freezes : [];
  const freezes = [...policyFreezes, ...input.freezes];
  const expiry = facts.earliestExpiry();
  const boundaries = [nextFreezeBoundary(freezes, now), overrides.nextBoundaryTime()];
  // A soak that has ended waits for a fact that is being read, so that its end bounds nothing any more.
  if (nextSoakEnd !== undefined && nextSoakEnd > now.getTime()) boundaries.push(nextSoakEnd);
  const validUntil = Math.min(expiry, ...boundaries);
  const common = commonConditions(input, facts);
  const otherReasons = [...common.governance, ...overrides.waive(freezeConditions(freezes, now)), ...common.knowledge];
  const notPassed = passed ? [] : unmet.length === 0 ? [notReady] : unmet;
  const reasons = [...notPassed, ...otherReasons];
  if (reasons.length === 0) return { openUntil: validUntil, reasons, validUntil };
  // A break-glass request must cover every unmet condition, also those of later stages.
  const allReasons = [...notPassed, ...unmetLater, ...otherReasons];
  return overrides.breakGlass(allReasons)
    ? { openUntil: validUntil, reasons: [], validUntil }
    : { openUntil: null, reasons, validUntil };
}

/** The conditions that close the gate of every environment, whatever the stage. `knowledge` is about missing and stale facts. */
export const commonConditions = (
  input: Pick<GateInput, 'milestoneReasons' | 'governance' | 'branch' | 'branchHead' | 'policyState' | 'now'>,
  facts: TrackedFacts,
): { readonly governance: readonly Condition[]; readonly knowledge: readonly Condition[] } => ({
  governance: [...input.milestoneReasons, ...governanceConditions(input)],
  knowledge: [
    ...(input.policyState?.status === 'valid' ? [] : [noPolicy]),
    ...(facts.earliestExpiry() > input.now.getTime() ? [] : staleConditions(facts, input.now)),
  ],
});

function governanceConditions({
  governance,
  branch,
  branchHead,
}: Pick<GateInput, 'governance' | 'branch' | 'branchHead'>): readonly Condition[] {
  const tampered = governance.tamperedBranches.filter((name) => branch === null || name === branch);
  return [
    ...(governance.removed ? [removed] : []),
    ...(governance.withinPlan ? [] : [planLimit]),
    ...tampered.map((name): Condition => ({
      code: 'tampered',
      detail: `A managed workflow file was changed on "${name}". Restore it.`,
      actor: 'admin',
    })),
    ...(isHeadChecked(governance, branch, branchHead) ? [] : [headNotChecked]),
  ];
}

/**
 * Whether the managed workflow files were checked at the current head. A check of an earlier commit says nothing about
 * later commits.
 */
const isHeadChecked = ({ watchedHeads }: GovernanceState, branch: string | null, head: Sha | null): boolean =>
  watchedHeads === null ||
  branch === null ||
  head === null ||
  watchedHeads.some((watched) => watched.branch === branch && watched.sha === head);

function staleConditions(facts: TrackedFacts, now: Date): readonly Condition[] {
  const [missing] = facts.missing();
  if (missing) return [missingFactCondition(`the fact "${missing.kind}" of "${missing.key}"`)];
  const kinds = facts.keys().filter(({ kind, key }) => (facts.validUntil(kind, key) ?? 0) <= now.getTime());
  return [
    {
      code: 'facts_stale',
      detail: `These facts from GitHub are too old: ${[...new Set(kinds.map(({ kind }) => kind))].join(', ')}.`,
      actor: 'service',
    },
  ];
}

const notReady: Condition = { code: 'not_ready', detail: 'The release has not passed every stage.', actor: 'team' };

const headNotChecked: Condition = {
  code: 'workflows_unknown',
  detail: 'The release branch has moved since its managed workflow files were checked.',
  actor: 'service',
};

const noPolicy: Condition = {
  code: 'policy_unknown',
  detail: 'No valid sdlc.yaml is known on the default branch.',
  actor: 'team',
};

const removed: Condition = {
  code: 'repository_removed',
  detail: 'The repository no longer exists, or the app has no access to it.',
  actor: 'admin',
};

const planLimit: Condition = {
  code: 'plan_limit',
  detail: "The plan's limit of managed repositories is reached. Request the pro plan, or remove another repository.",
  actor: 'admin',
};
