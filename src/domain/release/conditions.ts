import type { EvidenceItem } from '../evidence/evidence.js';
import { groupBy } from '../group-by.js';
import { missingFactCondition, type Condition, type Stage, type Subject, toSubjectId } from '../facts/condition.js';
import type { IssueFact, MilestoneFact } from '../facts/facts.js';
import type { TrackedFacts } from '../facts/tracked-facts.js';
import { activeFreezes } from '../policy/freeze.js';
import { type Freeze, type Policy, type PolicySource, type PolicyState, toSourced } from '../policy/policy.js';
import type { CandidateSearch } from './candidate.js';
import type { ReleaseRecord } from './release-record.js';

/** Returns one condition per active freeze. Freezes with equal days and reasons are one condition with a subject for each. */
export const freezeConditions = (freezes: readonly Freeze[], now: Date): readonly Condition[] =>
  [...groupBy(activeFreezes(freezes, now), freezeContent).values()].map((equal) => ({
    code: 'freeze',
    detail: freezeSentence(equal[0]),
    actor: 'admin',
    subjects: [...new Map(equal.map((freeze) => [freezeId(freeze), freeze])).entries()].map(([id, freeze]) => ({
      id,
      label: freezeSentence(freeze),
    })),
    ...toSourced(equal[0]),
  }));

const freezeContent = ({ from, to, reason }: Freeze): string => JSON.stringify([from, to, reason]);

const freezeId = ({ id, from, to, reason }: Freeze): string =>
  id === undefined ? toSubjectId('freeze', from, to, reason) : toSubjectId('freeze', id);

/** Adds a full stop after the reason unless the reason already ends with a punctuation mark. */
const freezeSentence = ({ from, to, reason }: Freeze): string =>
  `Deployments are frozen from ${from} to ${to}: ${reason}${/[.!?…]$/u.test(reason) ? '' : '.'}`;

export interface MilestoneEffect {
  readonly cancelled: boolean;
  /** The milestone was deleted. A new milestone with the same name is another release. */
  readonly deleted: boolean;
  /** The gate reasons that follow from the milestone, in every stage. */
  readonly reasons: readonly Condition[];
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
    return { cancelled, deleted: false, reasons: [missingFactCondition('the milestone')], warnings: [] };
  }
  if (milestone === null || milestone.githubId !== record.milestoneGithubId) return gone;
  const renamed = milestone.title === record.version ? [] : [restoreName(record.version, milestone)];
  if (milestone.state === 'open') return { cancelled: false, deleted: false, reasons: renamed, warnings: [] };
  const closedInDeployment = record.cancelledAt === null && record.stage === 'DEPLOYMENT' && stage === 'DEPLOYMENT';
  return closedInDeployment
    ? { cancelled: false, deleted: false, reasons: renamed, warnings: [closedEarly(milestone)] }
    : { cancelled: true, deleted: false, reasons: [reopen(milestone), ...renamed], warnings: [] };
}

const gone: MilestoneEffect = {
  cancelled: true,
  deleted: true,
  reasons: [{ code: 'cancelled', detail: 'The milestone was deleted.', actor: 'team' }],
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

/** The facts that show whether work on a release has begun. */
export interface WorkInput {
  readonly record: ReleaseRecord;
  readonly search: CandidateSearch;
  readonly evidence: readonly EvidenceItem[];
  readonly issues: readonly IssueFact[];
}

/** Returns why no work has begun. Empty if the release was started, or has a branch, evidence or a linked pull request. */
export function workBegun({ record, search, evidence, issues }: WorkInput, facts: TrackedFacts): readonly Condition[] {
  if (record.startedAt !== null || search.releaseBranch !== null || evidence.length > 0) return [];
  const linkedPulls = issues
    .slice(0, MAX_ISSUES_CHECKED)
    .map(({ number }) => facts.read('pulls_of_issue', String(number)));
  if (linkedPulls.some((pulls) => pulls?.linked === true)) return [];
  return [
    linkedPulls.includes(undefined) ? missingFactCondition('whether a pull request is linked to an issue') : notBegun,
  ];
}

export const isUnowned = ({ state, assignees }: IssueFact): boolean => state === 'open' && assignees.length === 0;

export const unowned = ({ number, title, url }: IssueFact, source: PolicySource | undefined): Condition => ({
  code: 'issue_unowned',
  detail: `Issue #${number} "${title}" has no owner.`,
  actor: 'team',
  url,
  subjects: [issueSubject(number, title)],
  ...toSourced({ source }),
});

const issueSubject = (number: number, title: string): Subject => ({
  id: toSubjectId('issue', number),
  label: `issue #${number} "${title}"`,
});

const notBegun: Condition = { code: 'not_started', detail: 'No work is linked to this release yet.', actor: 'team' };

export const scopeEmpty = (source: PolicySource | undefined): Condition => ({
  code: 'scope_empty',
  detail: 'No issue belongs to this release yet.',
  actor: 'team',
  subjects: [{ id: toSubjectId('scope', 'empty'), label: 'the empty scope' }],
  ...toSourced({ source }),
});

/** Returns a condition for each open issue that holds the release in development. */
export function openIssues(policy: Policy, issues: readonly IssueFact[] | undefined): readonly Condition[] {
  if (!issues) return [missingFactCondition('the issues of the milestone')];
  const { closedIssues } = policy.development;
  return issues.flatMap(({ state, labels, number, title, url }): readonly Condition[] => {
    const violated = closedIssues.find(({ exemptLabels }) => !labels.some((label) => exemptLabels.includes(label)));
    if (state !== 'open' || violated === undefined) return [];
    return [
      {
        code: 'issue_open',
        detail: `Issue #${number} "${title}" is still open.`,
        actor: 'team',
        url,
        subjects: [issueSubject(number, title)],
        ...toSourced(violated),
      },
    ];
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
