import { missingFactCondition } from '../facts/condition.js';
import type { Sha } from '../facts/facts.js';
import type { TrackedFacts } from '../facts/tracked-facts.js';
import type { AppliedOverrides } from '../override/applied-overrides.js';
import { nextFreezeBoundary } from '../policy/freeze.js';
import type { Freeze, PolicyState } from '../policy/policy.js';
import { freezeConditions } from './conditions.js';
import type { GovernanceState } from './release-record.js';
import type { Condition } from './stage.js';

export interface GateState {
  /** Until when the gate stands open, in milliseconds since the epoch; null is closed. Time alone can only close it. */
  readonly openUntil: number | null;
  /** Why it is closed; empty where it is open. */
  readonly reasons: readonly Condition[];
  /** When this answer has to be thought over again, in milliseconds since the epoch. */
  readonly validUntil: number;
}

export interface GateInput {
  /** The release has left every stage before its deployment: it is tested, and approved where that is asked for. */
  readonly passed: boolean;
  /** What keeps it in its stage. */
  readonly unmet: readonly Condition[];
  /** What would keep it in a later one. */
  readonly unmetLater: readonly Condition[];
  readonly blocking: readonly Condition[];
  readonly standing: GovernanceState;
  /** The branch that the release ships from; null stands for any. */
  readonly branch: string | null;
  /** The commit at its head; null where it is not known. */
  readonly branchHead: Sha | null;
  readonly policyState: PolicyState | undefined;
  /** The freezes of the whole workspace, besides those of the policy. */
  readonly freezes: readonly Freeze[];
  readonly overrides: AppliedOverrides;
  readonly now: Date;
}

/** Whether the release may be deployed at this moment: only if nothing speaks against it, and all of it is fresh. */
export function evaluateGate(question: GateInput, facts: TrackedFacts): GateState {
  const { passed, unmet, unmetLater, policyState, overrides, now } = question;
  const ofPolicy = policyState?.status === 'valid' ? policyState.policy.freezes : [];
  const freezes = [...ofPolicy, ...question.freezes];
  const expiry = facts.earliestExpiry();
  const validUntil = Math.min(expiry, nextFreezeBoundary(freezes, now), overrides.nextEdge());
  const besides = [
    ...question.blocking,
    ...standingConditions(question),
    ...overrides.waive(freezeConditions(freezes, now)),
    ...(policyState?.status === 'valid' ? [] : [noPolicy]),
    ...(expiry > now.getTime() ? [] : stale(facts, now)),
  ];
  const notPassed = passed ? [] : unmet.length === 0 ? [notReady] : unmet;
  const reasons = [...notPassed, ...besides];
  if (reasons.length === 0) return { openUntil: validUntil, reasons, validUntil };
  // Whoever breaks the glass answers for all that is unmet, also for what nobody has come to yet.
  const everything = [...notPassed, ...unmetLater, ...besides];
  return overrides.breakGlass(everything)
    ? { openUntil: validUntil, reasons: [], validUntil }
    : { openUntil: null, reasons, validUntil };
}

function standingConditions({ standing, branch, branchHead }: GateInput): readonly Condition[] {
  const tampered = standing.tamperedBranches.filter((name) => branch === null || name === branch);
  return [
    ...(standing.removed ? [removed] : []),
    ...(standing.withinPlan ? [] : [planLimit]),
    ...tampered.map((name) => ({
      code: 'tampered',
      detail: `A managed workflow file was changed on "${name}". Restore it.`,
      actor: 'admin' as const,
    })),
    ...(isLookedAt(standing, branch, branchHead) ? [] : [notLookedAt]),
  ];
}

/** What was found on a branch is of the commit that it was at: of a later one nobody knows yet. */
const isLookedAt = ({ watchedHeads }: GovernanceState, branch: string | null, head: Sha | null): boolean =>
  watchedHeads === null ||
  branch === null ||
  head === null ||
  watchedHeads.some((watched) => watched.branch === branch && watched.sha === head);

/** The code of the condition that holds until what is too old was read again. */
export const STALE_CODE = 'facts_stale';

function stale(facts: TrackedFacts, now: Date): readonly Condition[] {
  const [missing] = facts.missing();
  if (missing) return [missingFactCondition(`the fact "${missing.kind}" of "${missing.key}"`)];
  const kinds = facts.keys().filter(({ kind, key }) => (facts.validUntil(kind, key) ?? 0) <= now.getTime());
  return [
    {
      code: STALE_CODE,
      detail: `What the code host said is too old to rest on: ${[...new Set(kinds.map(({ kind }) => kind))].join(', ')}.`,
      actor: 'service',
    },
  ];
}

const notReady: Condition = { code: 'not_ready', detail: 'The release has not passed every stage.', actor: 'team' };

/** The code of the condition that holds until a branch which moved was looked at. */
export const WORKFLOWS_UNKNOWN = 'workflows_unknown';

const notLookedAt: Condition = {
  code: WORKFLOWS_UNKNOWN,
  detail: "The release's branch has moved, and its managed workflow files were not looked at since.",
  actor: 'service',
};

const noPolicy: Condition = {
  code: 'policy_unknown',
  detail: 'No valid sdlc.yaml is known on the default branch.',
  actor: 'team',
};

const removed: Condition = {
  code: 'repository_removed',
  detail: 'The repository is gone, or the app may no longer see it.',
  actor: 'admin',
};

const planLimit: Condition = {
  code: 'plan_limit',
  detail: "The workspace's plan has no room for this repository. Ask for the pro plan, or make room.",
  actor: 'admin',
};
