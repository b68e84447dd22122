import { unmetCompleteness } from '../quality/completeness.js';
import type { EffectiveEvidenceSet } from '../evidence/effective-evidence-set.js';
import { isTestKind, getTestMetrics } from '../evidence/evidence-status.js';
import type { FactKind, IssueFact } from '../facts/facts.js';
import { TrackedFacts } from '../facts/tracked-facts.js';
import {
  DEFAULT_POLICY,
  type Policy,
  type QualityGates,
  type RequiredCheck,
  type RequiredEvidence,
} from '../policy/policy.js';
import { unmetEvidence } from '../quality/evidence-requirements.js';
import { failingQualityGates } from '../quality/quality-gates.js';
import { checksAt, openIssues } from './conditions.js';
import type { Verdict, VerdictInputs } from './evaluate.js';
import type { Stage } from '../facts/condition.js';

/** The codes of met requirements. */
export const MET_CODES = [
  'started',
  'scope_filled',
  'issues_owned',
  'candidate_found',
  'issues_closed',
  'check_succeeded',
  'policy_valid',
  'tests_passed',
  'evidence_provided',
  'quality_gates_hold',
  'approval_not_required',
  'evidence_approved',
  'deployed',
] as const;
export type MetCode = (typeof MET_CODES)[number];

/** A requirement of a stage. */
export interface Requirement {
  readonly code: MetCode;
  /** A sentence that states that the requirement is met. */
  readonly detail: string;
  /** The requirement as a clause, for example "whether every open issue has an owner". */
  readonly what: string;
  readonly holds: boolean;
  /** The kinds of facts that the requirement needs. If one is missing or stale, the result is unknown. */
  readonly restsOn: readonly FactKind[];
}

interface RequirementsInput {
  readonly inputs: VerdictInputs;
  readonly verdict: Verdict;
  readonly policy: Policy;
}

/** Returns the requirements of each stage under the policy, met or not. Only for a release that is not shipped. */
export function stageRequirements(input: RequirementsInput): Readonly<Partial<Record<Stage, readonly Requirement[]>>> {
  const facts = new TrackedFacts(input.inputs.observations);
  return {
    PLANNING: planning(input, facts),
    DEVELOPMENT: development(input, facts),
    TESTING: testing(input, facts),
    EVIDENCING: [approval(input)],
  };
}

function planning({ inputs, verdict, policy }: RequirementsInput, facts: TrackedFacts): readonly Requirement[] {
  const { record, evidence } = inputs;
  const { requireIssues, requireIssuesAssigned } = policy.planning;
  const issues = getIssues(inputs, facts);
  const isUnowned = ({ state, assignees }: IssueFact): boolean => state === 'open' && assignees.length === 0;
  return [
    {
      code: 'started',
      detail: record.startedAt === null ? 'Work is linked to the release.' : 'The release was started.',
      what: 'whether work has begun',
      holds: !isUnmet(verdict, 'not_started'),
      restsOn: record.startedAt !== null || evidence.length > 0 ? [] : ['policy', 'issues', 'refs', 'pulls_of_issue'],
    },
    ...when(requireIssues && !verdict.hotfix, {
      code: 'scope_filled',
      detail: `The scope is not empty: it holds ${issues.length} issue${issues.length === 1 ? '' : 's'}.`,
      what: 'whether an issue belongs to the release',
      holds: issues.length > 0,
      restsOn: ['policy', 'issues', 'refs'],
    }),
    ...when(requireIssuesAssigned && !verdict.hotfix, {
      code: 'issues_owned',
      detail: 'Every open issue has an owner.',
      what: 'whether every open issue has an owner',
      holds: !issues.some(isUnowned),
      restsOn: ['policy', 'issues', 'refs'],
    }),
  ];
}

function development(input: RequirementsInput, facts: TrackedFacts): readonly Requirement[] {
  const { inputs, verdict, policy } = input;
  const { requireIssuesClosed, requiredChecks } = policy.development;
  return [
    {
      code: 'candidate_found',
      detail: `The candidate is ${verdict.candidateSha}.`,
      what: 'which commit is the candidate',
      holds: verdict.candidateSha !== null,
      restsOn: ['policy', 'refs'],
    },
    ...when(requireIssuesClosed, {
      code: 'issues_closed',
      detail: 'Every issue is closed, except those with an exempt label.',
      what: 'whether the issues are closed',
      holds: openIssues(policy, getIssues(inputs, facts)).length === 0,
      restsOn: ['policy', 'issues'],
    }),
    ...requiredChecks.map((check) => succeeded(check, input, facts)),
  ];
}

function testing(input: RequirementsInput, facts: TrackedFacts): readonly Requirement[] {
  const { inputs, verdict, policy } = input;
  const { decidingSet: set } = verdict;
  const predecessor = inputs.record.predecessor?.linePercent ?? null;
  return [
    {
      code: 'policy_valid',
      detail: 'sdlc.yaml is valid.',
      what: 'whether sdlc.yaml is valid',
      holds: verdict.policyDigest !== null,
      restsOn: ['policy'],
    },
    ...policy.testing.requiredChecks.map((check) => succeeded(check, input, facts)),
    {
      code: 'tests_passed',
      detail: `The tests passed: ${countPassed(set)} of them.`,
      what: 'whether the tests pass',
      holds:
        unmetEvidence(set, [], NO_GATES, null).length === 0 && unmetCompleteness(set, facts, inputs.now).length === 0,
      restsOn: ['policy', 'refs', 'run_jobs'],
    },
    ...policy.evidencing.requiredEvidence.map((required) => provided(required, set)),
    ...when(setsALimit(policy.qualityGates), {
      code: 'quality_gates_hold',
      detail: 'Every quality gate passes.',
      what: 'whether the quality gates pass',
      holds: failingQualityGates(policy.qualityGates, set, predecessor).length === 0,
      restsOn: ['policy', 'refs'],
    }),
  ];
}

function approval({ verdict }: RequirementsInput): Requirement {
  if (!verdict.approvalRequired) {
    return {
      code: 'approval_not_required',
      detail: 'The policy requires no approval of the evidence.',
      what: 'whether the evidence needs an approval',
      holds: true,
      restsOn: ['policy'],
    };
  }
  const approvers = verdict.approval?.approvers ?? [];
  return {
    code: 'evidence_approved',
    detail:
      approvers.length === 0 ? 'The evidence is approved.' : `The evidence is approved by ${approvers.join(', ')}.`,
    what: 'whether the evidence is approved',
    holds: verdict.evidenceApproved,
    restsOn: ['policy', 'refs', 'pull', 'reviews', 'permission', 'team'],
  };
}

/** Builds the requirement for one required check, at the candidate and at its equivalent commits. */
function succeeded(
  check: RequiredCheck,
  { verdict: { candidateSha, candidateShas } }: RequirementsInput,
  facts: TrackedFacts,
): Requirement {
  const label = check.app === null ? `"${check.name}"` : `"${check.name}" of ${check.app}`;
  return {
    code: 'check_succeeded',
    detail: `The required check ${label} succeeded${check.allowSkipped ? ', or was skipped' : ''}.`,
    what: `whether the required check ${label} succeeded`,
    holds: candidateSha !== null && checksAt(candidateSha, candidateShas, [check], facts).length === 0,
    restsOn: ['policy', 'refs', 'checks'],
  };
}

/** Builds the requirement for one required kind of evidence. A failing item is reported by a separate condition. */
function provided(required: RequiredEvidence, set: EffectiveEvidenceSet): Requirement {
  const { kind, environment } = required;
  const label = `"${kind}"${environment === null ? '' : ` for "${environment}"`}`;
  const general = new Set(unmetEvidence(set, [], NO_GATES, null).map(({ detail }) => detail));
  const own = unmetEvidence(set, [required], NO_GATES, null).filter(({ detail }) => !general.has(detail));
  return {
    code: 'evidence_provided',
    detail: `The required evidence ${label} was uploaded.`,
    what: `whether the required evidence ${label} was uploaded`,
    holds: own.length === 0,
    restsOn: ['policy', 'refs'],
  };
}

const NO_GATES = DEFAULT_POLICY.qualityGates;

const setsALimit = ({ coverage, sastScan, security }: QualityGates): boolean =>
  [coverage, sastScan, security].some((limits) => Object.values(limits).some((limit) => limit !== null));

const getIssues = ({ record }: VerdictInputs, facts: TrackedFacts): readonly IssueFact[] =>
  facts.read('issues', String(record.milestoneNumber)) ?? [];

/**
 * Returns whether the condition is unmet. Use it only for conditions that cannot be waived: a waived condition is
 * neither unmet nor met.
 */
const isUnmet = ({ unmet, unmetLater }: Verdict, conditionCode: string): boolean =>
  [...unmet, ...unmetLater].some(({ code }) => code === conditionCode);

const countPassed = (set: EffectiveEvidenceSet): number =>
  set
    .filter(({ kind }) => isTestKind(kind))
    .flatMap(({ pieces: items }) => items)
    .reduce((passed, item) => passed + (getTestMetrics(item)?.passed ?? 0), 0);

const when = (isRequired: boolean, requirement: Requirement): readonly Requirement[] =>
  isRequired ? [requirement] : [];
