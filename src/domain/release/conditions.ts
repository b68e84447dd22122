import type { EvidenceItem } from '../evidence/evidence.js';
import { missingFactCondition, type Condition, type Stage } from '../facts/condition.js';
import type { IssueFact, MilestoneFact, Sha } from '../facts/facts.js';
import type { TrackedFacts } from '../facts/tracked-facts.js';
import { activeFreezes } from '../policy/freeze.js';
import type { Freeze, Policy, PolicyState } from '../policy/policy.js';
import { unmetChecks } from '../quality/evidence-requirements.js';
import type { CandidateSearch } from './candidate.js';
import type { ReleaseRecord } from './release-record.js';

/** Returns one condition per active freeze. Freezes with the same text count once. */
export const freezeConditions = (freezes: readonly Freeze[], now: Date): readonly Condition[] =>
  [...new Set(activeFreezes(freezes, now).map(freezeSentence))].map((detail) => ({
    code: 'freeze',
    detail,
    actor: 'admin',
  }));

/** Adds a full stop after the reason unless the reason already ends with a punctuation mark. */
const freezeSentence = ({ from, to, reason }: Freeze): string =>
  `Deployments are frozen from ${from} to ${to}: ${reason}${/[.!?…]$/u.test(reason) ? '' : '.'}`;

export interface MilestoneEffect {
  readonly cancelled: boolean;
  /** The milestone was deleted. A new milestone with the same name is another release. */
  readonly deleted: boolean;
  /** Conditions that close the gate in every stage. */
  readonly blocking: readonly Condition[];
  /** Conditions that the user should see although they block nothing. */
  readonly warnings: readonly Condition[];
}

/**
 * Derives the effect of the milestone on its release. A closed milestone cancels a release that is not ready to be
 * deployed. Teams also close the milestone when they tag a deployment, so in the deployment stage it is only a warning.
 */
export function milestoneConditions(
  record: ReleaseRecord,
  stage: Stage,
  milestone: MilestoneFact | null | undefined,
): MilestoneEffect {
  if (record.deletedAt !== null) return gone;
  if (milestone === undefined) {
    const cancelled = record.cancelledAt !== null;
    return { cancelled, deleted: false, blocking: [missingFactCondition('the milestone')], warnings: [] };
  }
  if (milestone === null || milestone.githubId !== record.milestoneGithubId) return gone;
  const renamed = milestone.title === record.version ? [] : [restoreName(record.version, milestone)];
  if (milestone.state === 'open') return { cancelled: false, deleted: false, blocking: renamed, warnings: [] };
  const closedInDeployment = record.cancelledAt === null && record.stage === 'DEPLOYMENT' && stage === 'DEPLOYMENT';
  return closedInDeployment
    ? { cancelled: false, deleted: false, blocking: renamed, warnings: [closedEarly(milestone)] }
    : { cancelled: true, deleted: false, blocking: [reopen(milestone), ...renamed], warnings: [] };
}

const gone: MilestoneEffect = {
  cancelled: true,
  deleted: true,
  blocking: [{ code: 'cancelled', detail: 'The milestone was deleted.', actor: 'team' }],
  warnings: [],
};

const reopen = ({ url }: MilestoneFact): Condition => ({
  code: 'cancelled',
  detail: 'The milestone was closed before the release could be deployed. Reopen it to continue.',
  actor: 'team',
  url,
});

const closedEarly = ({ url }: MilestoneFact): Condition => ({
  code: 'milestone_closed',
  detail: 'The milestone was closed before the deployment was observed.',
  actor: 'team',
  url,
});

const restoreName = (version: string, { title, url }: MilestoneFact): Condition => ({
  code: 'milestone_renamed',
  detail: `The milestone was renamed to "${title}". Rename it to "${version}", or delete it and create another one.`,
  actor: 'team',
  url,
});

/**
 * The maximum number of issues whose linked pull requests are read. One linked pull request is enough to start a
 * release.
 */
const MAX_ISSUES_CHECKED = 20;

export interface PlanningInput {
  readonly record: ReleaseRecord;
  readonly policy: Policy;
  readonly search: CandidateSearch;
  readonly evidence: readonly EvidenceItem[];
  readonly issues: readonly IssueFact[] | undefined;
}

/**
 * Returns the conditions that hold a release in planning. A hotfix skips the policy flags, because it is more urgent
 * than its issues.
 */
export function planningConditions(input: PlanningInput, facts: TrackedFacts): readonly Condition[] {
  const { policy, search, issues } = input;
  if (!issues) return [missingFactCondition('the issues of the milestone')];
  const { requireIssues, requireIssuesAssigned } = policy.planning;
  return [
    ...workBegun(input, issues, facts),
    ...(requireIssues && !search.hotfix && issues.length === 0 ? [scopeEmpty] : []),
    ...(requireIssuesAssigned && !search.hotfix ? issues.filter(isUnowned).map(unowned) : []),
  ];
}

function workBegun(
  { record, search, evidence }: PlanningInput,
  issues: readonly IssueFact[],
  facts: TrackedFacts,
): readonly Condition[] {
  if (record.startedAt !== null || search.releaseBranch !== null || evidence.length > 0) return [];
  const linkedPulls = issues
    .slice(0, MAX_ISSUES_CHECKED)
    .map(({ number }) => facts.read('pulls_of_issue', String(number)));
  if (linkedPulls.some((pulls) => pulls?.linked === true)) return [];
  return [
    linkedPulls.includes(undefined) ? missingFactCondition('whether a pull request is linked to an issue') : notBegun,
  ];
}

const isUnowned = ({ state, assignees }: IssueFact): boolean => state === 'open' && assignees.length === 0;

const unowned = ({ number, title, url }: IssueFact): Condition => ({
  code: 'issue_unowned',
  detail: `Issue #${number} "${title}" has no owner.`,
  actor: 'team',
  url,
});

const notBegun: Condition = { code: 'not_started', detail: 'No work is linked to this release yet.', actor: 'team' };

const scopeEmpty: Condition = { code: 'scope_empty', detail: 'No issue belongs to this release yet.', actor: 'team' };

/** Returns a condition for each open issue that holds the release in development. */
export function openIssues(policy: Policy, issues: readonly IssueFact[] | undefined): readonly Condition[] {
  if (!issues) return [missingFactCondition('the issues of the milestone')];
  if (!policy.development.requireIssuesClosed) return [];
  return issues
    .filter(
      ({ state, labels }) =>
        state === 'open' && !labels.some((label) => policy.development.exemptLabels.includes(label)),
    )
    .map(({ number, title, url }) => ({
      code: 'issue_open',
      detail: `Issue #${number} "${title}" is still open.`,
      actor: 'team',
      url,
    }));
}

/**
 * Returns the unmet required checks. All results count at the candidate. At equivalent commits only failed checks
 * count.
 */
export function checksAt(
  candidateSha: Sha | null,
  candidateShas: readonly Sha[],
  required: Policy['testing']['requiredChecks'],
  facts: TrackedFacts,
): readonly Condition[] {
  if (required.length === 0) return [];
  return candidateShas.flatMap((sha) => {
    const checks = facts.read('checks', sha);
    if (!checks) return [missingFactCondition('the checks of the candidate')];
    const unmet = unmetChecks(required, checks);
    return sha === candidateSha ? unmet : unmet.filter(({ code }) => code === 'check_failing');
  });
}

/** Returns why there is no valid policy. Empty if the policy is valid. */
export function policyConditions(state: PolicyState | undefined): readonly Condition[] {
  if (state?.status === 'valid') return [];
  if (!state) return [missingFactCondition('sdlc.yaml')];
  if (state.status === 'missing') {
    return [{ code: 'policy_missing', detail: `There is no sdlc.yaml on ${state.defaultBranch}.`, actor: 'team' }];
  }
  if (state.problems.length === 0)
    return [{ code: 'policy_invalid', detail: 'sdlc.yaml is not valid.', actor: 'team' }];
  return state.problems.map(({ line, key, message }) => ({
    code: 'policy_invalid',
    detail: `sdlc.yaml${line === null ? '' : `, line ${line}`}${key === '' ? '' : `, ${key}`}: ${message}`,
    actor: 'team',
  }));
}

/** Returns the condition that holds a release in the deployment stage. */
export const notDeployed = ({ deployment }: Policy): Condition => ({
  code: 'not_deployed',
  detail: `The candidate was not deployed to ${deployment.target} yet.`,
  actor: 'deployer',
});
