import type { ArtifactResult } from '../artifact/required-artifacts.js';
import type { EffectiveEvidenceSet } from '../evidence/effective-evidence-set.js';
import { getTestMetrics, isTestKind } from '../evidence/evidence-status.js';
import { type Condition, missingFactCondition } from '../facts/condition.js';
import type { FactKind, IssueFact, Sha } from '../facts/facts.js';
import type { TrackedFacts } from '../facts/tracked-facts.js';
import type { ChainEnvironment } from '../policy/environments.js';
import type { Policy, PolicyState, RequiredCheck, RequiredEvidence } from '../policy/policy.js';
import { unmetCompleteness } from '../quality/completeness.js';
import { unmetTests } from '../quality/evidence-requirements.js';
import { failingQualityGates, setsLimit } from '../quality/quality-gates.js';
import { unmetChecks } from '../quality/required-checks.js';
import type { Approval } from '../review/approval.js';
import {
  isUnowned,
  openIssues,
  policyConditions,
  scopeEmpty,
  unowned,
  type WorkInput,
  workBegun,
} from './conditions.js';
import { type ChainState, soakConditions, unmetEvidenceEntry } from './deployed-rules.js';

/** The codes of met requirements. */
export const MET_CODES = [
  'started',
  'scope_filled',
  'issues_owned',
  'candidate_found',
  'issues_closed',
  'soak_completed',
  'check_succeeded',
  'policy_valid',
  'tests_passed',
  'evidence_provided',
  'quality_gates_hold',
  'artifact_accepted',
  'approval_not_required',
  'evidence_approved',
  'deployed',
] as const;
export type MetCode = (typeof MET_CODES)[number];

/** A requirement of a stage, in the words of the report. */
interface Requirement {
  readonly code: MetCode;
  /** A sentence that states that the requirement is met. */
  readonly detail: string;
  /** The requirement as a clause, for example "whether every open issue has an owner". */
  readonly what: string;
  /** The kinds of facts that the requirement needs. If one is missing or stale, the result is unknown. */
  readonly restsOn: readonly FactKind[];
}

/**
 * The result of one rule. The requirement is unmet while the result has conditions. Several results may have the same requirement,
 * which is met if none of them has conditions.
 */
export interface RuleResult {
  /** Null if the stage requires only that the facts are known. Such a result is never reported as met. */
  readonly requirement: Requirement | null;
  readonly conditions: readonly Condition[];
}

/** Returns the conditions of all results, in their order. */
export const listConditions = (results: readonly RuleResult[]): readonly Condition[] =>
  results.flatMap(({ conditions }) => conditions);

/** Returns the requirements that are met, in the order of their first results. */
export function listMet(results: readonly RuleResult[]): readonly Requirement[] {
  const unmet = new Set(
    results.filter(({ conditions }) => conditions.length > 0).map(({ requirement }) => requirement),
  );
  const all = new Set(results.map(({ requirement }) => requirement));
  return [...all].filter((one): one is Requirement => one !== null && !unmet.has(one));
}

const onlyKnown = (condition: Condition): RuleResult => ({ requirement: null, conditions: [condition] });

export interface PlanningInput extends Omit<WorkInput, 'issues'> {
  /** Null if the policy was never read. */
  readonly policy: Policy | null;
  readonly issues: readonly IssueFact[] | undefined;
}

/** The rules of PLANNING. A hotfix skips the policy flags, because it is more urgent than its issues. */
export function planningRules(input: PlanningInput, facts: TrackedFacts): readonly RuleResult[] {
  const { record, policy, search, evidence, issues } = input;
  const isKnown = record.startedAt !== null || evidence.length > 0;
  const started: Requirement = {
    code: 'started',
    detail: record.startedAt === null ? 'Work is linked to the release.' : 'The release was started.',
    what: 'whether work has begun',
    restsOn: isKnown ? [] : ['policy', 'issues', 'refs', 'pulls_of_issue'],
  };
  if (!policy || !issues) {
    const missing = missingFactCondition(policy ? 'the issues of the milestone' : 'sdlc.yaml');
    return [onlyKnown(missing), ...when(isKnown, { requirement: started, conditions: [] })];
  }
  const { requireIssues, requireIssuesAssigned, sources } = policy.planning;
  return [
    { requirement: started, conditions: workBegun({ record, search, evidence, issues }, facts) },
    ...when(requireIssues && !search.hotfix, {
      requirement: {
        code: 'scope_filled',
        detail: `The scope is not empty: it holds ${issues.length} issue${issues.length === 1 ? '' : 's'}.`,
        what: 'whether an issue belongs to the release',
        restsOn: ['policy', 'issues', 'refs'],
      },
      conditions: issues.length === 0 ? [scopeEmpty(sources?.requireIssues)] : [],
    }),
    ...when(requireIssuesAssigned && !search.hotfix, {
      requirement: {
        code: 'issues_owned',
        detail: 'Every open issue has an owner.',
        what: 'whether every open issue has an owner',
        restsOn: ['policy', 'issues', 'refs'],
      },
      conditions: issues.filter(isUnowned).map((issue) => unowned(issue, sources?.requireIssuesAssigned)),
    }),
  ];
}

/** The candidate of a release, and all commits that count as it. The sha is null if there is no candidate. */
interface CandidateCommits {
  readonly sha: Sha | null;
  readonly shas: readonly Sha[];
}

interface DevelopmentInput {
  readonly policy: Policy;
  readonly candidateSha: Sha | null;
  /** The conditions of the search for the candidate. */
  readonly unfound: readonly Condition[];
  readonly issues: readonly IssueFact[] | undefined;
}

/** The rules of DEVELOPMENT before the required checks. */
export const developmentRules = ({
  policy,
  candidateSha,
  unfound,
  issues,
}: DevelopmentInput): readonly RuleResult[] => [
  {
    requirement:
      candidateSha === null
        ? null
        : {
            code: 'candidate_found',
            detail: `The candidate is ${candidateSha}.`,
            what: 'which commit is the candidate',
            restsOn: ['policy', 'refs'],
          },
    conditions: unfound,
  },
  {
    requirement:
      policy.development.closedIssues.length === 0
        ? null
        : {
            code: 'issues_closed',
            detail: 'Every issue is closed, except those with an exempt label.',
            what: 'whether the issues are closed',
            restsOn: ['policy', 'issues'],
          },
    conditions: openIssues(policy, issues),
  },
];

/**
 * The rules of the required checks. All results count at the candidate. At equivalent commits only failed checks count. Without a
 * candidate there is nothing to check.
 */
export function checkRules(
  { sha, shas }: CandidateCommits,
  required: readonly RequiredCheck[],
  facts: TrackedFacts,
): readonly RuleResult[] {
  if (required.length === 0) return [];
  const requirements = required.map(checkSucceeded);
  return shas.flatMap((commit) => {
    const checks = facts.read('checks', commit);
    if (!checks) {
      const missing = missingFactCondition('the checks of the candidate');
      return requirements.map((requirement, at) => ({ requirement, conditions: at === 0 ? [missing] : [] }));
    }
    return unmetChecks(required, checks).map((unmet, at) => ({
      requirement: requirements[at] ?? null,
      conditions: commit === sha ? unmet : unmet.filter(({ code }) => code === 'check_failing'),
    }));
  });
}

function checkSucceeded({ name, app, allowSkipped }: RequiredCheck): Requirement {
  const label = app === null ? `"${name}"` : `"${name}" of ${app}`;
  return {
    code: 'check_succeeded',
    detail: `The required check ${label} succeeded${allowSkipped ? ', or was skipped' : ''}.`,
    what: `whether the required check ${label} succeeded`,
    restsOn: ['policy', 'refs', 'checks'],
  };
}

interface TestingInput {
  readonly chain: ChainState;
  readonly policy: Policy;
  readonly policyState: PolicyState | undefined;
  readonly commits: CandidateCommits;
  readonly set: EffectiveEvidenceSet;
  readonly predecessorLinePercent: number | null;
  readonly now: Date;
}

/** The rules of TESTING. */
export function testingRules(input: TestingInput, facts: TrackedFacts): readonly RuleResult[] {
  const { chain, policy, policyState, commits, set, predecessorLinePercent, now } = input;
  const { coverage, sastScan, security } = policy.qualityGates;
  const testsPassed: Requirement = {
    code: 'tests_passed',
    detail: `The tests passed: ${countPassed(set)} of them.`,
    what: 'whether the tests pass',
    restsOn: ['policy', 'refs', 'run_jobs'],
  };
  return [
    {
      requirement: {
        code: 'policy_valid',
        detail: 'sdlc.yaml is valid.',
        what: 'whether sdlc.yaml is valid',
        restsOn: ['policy'],
      },
      conditions: policyConditions(policyState),
    },
    ...checkRules(commits, policy.testing.requiredChecks, facts),
    { requirement: testsPassed, conditions: unmetTests(set) },
    ...policy.evidencing.requiredEvidence.map((required) => ({
      requirement: evidenceProvided(required),
      conditions: unmetEvidenceEntry(required, set, chain, facts),
    })),
    {
      requirement: [coverage, sastScan, security].some(setsLimit)
        ? {
            code: 'quality_gates_hold',
            detail: 'Every quality gate passes.',
            what: 'whether the quality gates pass',
            restsOn: ['policy', 'refs'],
          }
        : null,
      conditions: failingQualityGates(policy.qualityGates, set, predecessorLinePercent),
    },
    // A job that is missing may have failed tests.
    { requirement: testsPassed, conditions: unmetCompleteness(set, facts, now) },
  ];
}

/** The rules of the soaks of a stage. Without a candidate there is nothing to deploy. */
export const soakRules = (stage: ChainEnvironment['stage'], { soaks }: ChainState): readonly RuleResult[] =>
  soaks
    .filter(({ environment }) => environment.stage === stage)
    .map(({ environment, state }) => ({
      requirement: {
        code: 'soak_completed',
        detail: `The candidate was deployed to "${environment.name}" for long enough.`,
        what: `whether the candidate was deployed to "${environment.name}" for long enough`,
        restsOn: state.kind === 'completed' && !state.isNew ? ['policy', 'refs'] : ['policy', 'refs', 'deployments'],
      },
      conditions: soakConditions(environment, state),
    }));

/** Builds the requirement for one required kind of evidence. An item that fails is reported by the rule of the tests. */
function evidenceProvided({ kind, environment, afterDeployment }: RequiredEvidence): Requirement {
  const label = `"${kind}"${environment === null ? '' : ` for "${environment}"`}`;
  return {
    code: 'evidence_provided',
    detail: `The required evidence ${label} was uploaded.`,
    what: `whether the required evidence ${label} was uploaded`,
    restsOn: afterDeployment ? ['policy', 'refs', 'deployments', 'run_jobs'] : ['policy', 'refs'],
  };
}

const countPassed = (set: EffectiveEvidenceSet): number =>
  set
    .filter(({ kind }) => isTestKind(kind))
    .flatMap(({ items }) => items)
    .reduce((passed, item) => passed + (getTestMetrics(item)?.passed ?? 0), 0);

/** The rules of the artifacts that the policy names. They belong to TESTING, but not to the tests. */
export const artifactRules = (results: readonly ArtifactResult[]): readonly RuleResult[] =>
  results.map(({ required: { name, provenance }, accepted, conditions }) => ({
    requirement: {
      code: 'artifact_accepted',
      detail: `The required artifact "${name}" is ${accepted ?? 'unknown'}${provenance ? ', with provenance' : ''}.`,
      what: `whether the required artifact "${name}" was built for the candidate`,
      restsOn: ['policy', 'refs'],
    },
    conditions,
  }));

interface EvidencingInput {
  readonly isRequired: boolean;
  /** Null if it was not evaluated. */
  readonly approval: Approval | null;
  /** Whether the earlier stages are passed. */
  readonly isReached: boolean;
}

/** The rule of EVIDENCING. A missing approval does not hold a release that has not reached the stage. */
export function evidencingRules({ isRequired, approval, isReached }: EvidencingInput): readonly RuleResult[] {
  if (!isRequired) {
    return [
      {
        requirement: {
          code: 'approval_not_required',
          detail: 'The policy requires no approval of the evidence.',
          what: 'whether the evidence needs an approval',
          restsOn: ['policy'],
        },
        conditions: [],
      },
    ];
  }
  const approved = approval?.approved === true;
  const unapproved = approval?.unmet ?? (isReached ? [missingFactCondition('the approval')] : []);
  const approvers = approval?.approvers ?? [];
  return when(approved || unapproved.length > 0, {
    requirement: {
      code: 'evidence_approved',
      detail:
        approvers.length === 0 ? 'The evidence is approved.' : `The evidence is approved by ${approvers.join(', ')}.`,
      what: 'whether the evidence is approved',
      restsOn: ['policy', 'refs', 'pull', 'reviews', 'permission', 'team'],
    },
    conditions: approved ? [] : unapproved,
  });
}

const when = (isRequired: boolean, result: RuleResult): readonly RuleResult[] => (isRequired ? [result] : []);
