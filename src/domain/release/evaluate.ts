import { unmetCompleteness } from '../quality/completeness.js';
import { type EffectiveEvidenceSet, evidenceSetKey } from '../evidence/effective-evidence-set.js';
import type { EvidenceItem } from '../evidence/evidence.js';
import { differsOnlyInEvidence } from '../facts/commit-ancestry.js';
import { missingFactCondition, type Condition, type Stage } from '../facts/condition.js';
import type { FactKey, Observation, Sha } from '../facts/facts.js';
import { TrackedFacts } from '../facts/tracked-facts.js';
import { AppliedOverrides } from '../override/applied-overrides.js';
import { type ReleaseOverrides, NO_OVERRIDES, type AppliedOverride } from '../override/override.js';
import { DEFAULT_POLICY, type Policy, type PolicyState } from '../policy/policy.js';
import { selectGatingEvidence, unmetEvidence } from '../quality/evidence-requirements.js';
import { type Approval, type ApprovalInput, evaluateApproval } from '../review/approval.js';
import { releaseAuthors } from '../review/release-authors.js';
import { type Candidate, type CandidateSearch, findCandidate } from './candidate.js';
import {
  checksAt,
  milestoneConditions,
  notDeployed,
  openIssues,
  planningConditions,
  policyConditions,
} from './conditions.js';
import { evaluateGate, type GateState } from './gate.js';
import type { ReleaseRecord, ShippedFacts } from './release-record.js';

/** The inputs of a verdict. A verdict depends on nothing else. */
export interface VerdictInputs {
  readonly record: ReleaseRecord;
  readonly evidence: readonly EvidenceItem[];
  readonly observations: readonly Observation[];
  readonly acts: ReleaseOverrides;
  readonly now: Date;
  /** Returns a collision-free digest of a text as hexadecimal digits. */
  readonly digest: (text: string) => string;
}

/** The stage of a release, its unmet conditions and its gate. The same inputs always give the same verdict. */
export interface Verdict {
  readonly stage: Stage;
  /** All conditions that hold the release in its current stage. */
  readonly unmet: readonly Condition[];
  /** The unmet conditions of later stages. */
  readonly unmetLater: readonly Condition[];
  readonly cancelled: boolean;
  readonly deleted: boolean;
  /** Conditions that close the gate in every stage. */
  readonly blocking: readonly Condition[];
  /** Conditions that the user should see although they block nothing. */
  readonly warnings: readonly Condition[];
  readonly candidateSha: Sha | null;
  readonly candidateShas: readonly Sha[];
  readonly developmentBranch: string;
  readonly developmentHead: Sha | null;
  readonly hotfix: boolean;
  readonly decidingSet: EffectiveEvidenceSet;
  readonly setDigest: string | null;
  readonly testsPassing: boolean;
  readonly evidenceApproved: boolean;
  readonly approvalRequired: boolean;
  readonly approval: Approval | null;
  readonly gate: GateState;
  readonly policyDigest: string | null;
  /** Whether the service starts the deployment itself when the gate opens. */
  readonly promotion: Policy['deployment']['promotion'];
  /** The waived conditions and the overrides that waive them. None of them is in `unmet`. */
  readonly overrides: readonly AppliedOverride[];
  /** The facts that the verdict used. Each fact in `missing` was never read and closes the gate. */
  readonly consulted: readonly FactKey[];
  readonly missing: readonly FactKey[];
}

/** Derives the stage and the gate of a release. Never throws. A missing fact closes the gate. */
export const evaluate = (inputs: VerdictInputs): Verdict => evaluateByStage(inputs).verdict;

/** A verdict with the unmet conditions of each stage. `exits` is empty for a shipped release. */
export interface StagedVerdict {
  readonly verdict: Verdict;
  readonly exits: readonly (readonly [Stage, readonly Condition[]])[];
}

/** Derives a verdict like `evaluate`, with the unmet conditions of each stage. */
export function evaluateByStage(inputs: VerdictInputs): StagedVerdict {
  const facts = new TrackedFacts(inputs.observations);
  const policyState = facts.read('policy', '');
  const policy = policyState?.status === 'valid' ? policyState.policy : DEFAULT_POLICY;
  const { shipped } = inputs.record;
  return shipped
    ? { verdict: shippedVerdict(shipped, inputs, policyState, facts), exits: [] }
    : derivedVerdict(inputs, policyState, policy, facts);
}

function derivedVerdict(
  { record, evidence, acts, now, digest }: VerdictInputs,
  policyState: PolicyState | undefined,
  policy: Policy,
  facts: TrackedFacts,
): StagedVerdict {
  const search = policyState
    ? findCandidate(record.version, policy, policy.development.branch ?? policyState.defaultBranch, evidence, facts)
    : NO_CANDIDATE;
  const { candidate } = search;
  const predecessorLinePercent = record.predecessor?.linePercent ?? null;
  const set = candidate
    ? selectGatingEvidence(evidence, candidate, policy, predecessorLinePercent, { facts, now })
    : [];
  const setDigest = candidate ? digest(evidenceSetKey(candidate.sha, set)) : null;
  const issues = facts.read('issues', String(record.milestoneNumber));

  const unplanned = policyState
    ? planningConditions({ record, policy, search, evidence, issues }, facts)
    : [missingFactCondition('sdlc.yaml')];
  const candidateShas = candidate ? [...candidate.shas, ...mergedEvidence(record, candidate, facts)] : [];
  const candidateSha = candidate?.sha ?? null;
  const developmentChecks = checksAt(candidateSha, candidateShas, policy.development.requiredChecks, facts);
  const overrides = new AppliedOverrides(acts, candidateShas, now);
  const planning = overrides.waive(unplanned);
  const development = overrides.waive([...search.unmet, ...openIssues(policy, issues), ...developmentChecks]);
  const untested = [
    ...policyConditions(policyState),
    ...checksAt(candidateSha, candidateShas, policy.testing.requiredChecks, facts),
    ...unmetEvidence(set, policy.evidencing.requiredEvidence, policy.qualityGates, predecessorLinePercent),
    ...unmetCompleteness(set, facts, now),
  ];
  // A waiver lets the release continue without the tests, but it does not make the tests pass. Without a candidate the
  // evidence set is empty, and without test evidence `untested` is never empty.
  const testsPassing = developmentChecks.length === 0 && untested.length === 0;
  const testing = overrides.waive(untested);
  // The approval is also evaluated while an evidence pull request exists, so that a reopened issue does not hide an
  // approval.
  const reached = planning.length === 0 && development.length === 0 && testing.length === 0;
  const approval =
    candidate && setDigest !== null && (reached || record.evidencePull !== null)
      ? evaluateApproval(
          toApprovalInput({ record, now }, policy, { ...search, candidateSha: candidate.sha, setDigest }, facts),
          facts,
        )
      : null;
  const approved = approval?.approved === true;
  const approvalRequired = policy.deployment.requiresEvidenceApproval;

  // A missing approval does not block a release that has not reached the approval stage.
  const unapproved = approval?.unmet ?? (reached ? [missingFactCondition('the approval')] : []);
  const exits: StagedVerdict['exits'] = [
    ['PLANNING', planning],
    ['DEVELOPMENT', development],
    ['TESTING', testing],
    ['EVIDENCING', approved || !approvalRequired ? [] : unapproved],
  ];
  const last = ['DEPLOYMENT', [notDeployed(policy)]] as const;
  const [stage, unmet] = exits.find(([, conditions]) => conditions.length > 0) ?? last;
  const unmetLater = exits.flatMap(([, conditions]) => (conditions === unmet ? [] : conditions));
  const milestone = milestoneConditions(record, stage, facts.read('milestone', String(record.milestoneNumber)));
  const gateInput = {
    passed: stage === 'DEPLOYMENT',
    unmet,
    unmetLater,
    blocking: milestone.blocking,
    governance: record.repository,
    branch: search.branch,
    branchHead: search.branchHead,
    policyState,
    freezes: acts.freezes,
    overrides,
    now,
  };
  const gate = evaluateGate(gateInput, facts);
  const verdict: Verdict = {
    stage,
    unmet,
    unmetLater,
    cancelled: milestone.cancelled,
    deleted: milestone.deleted,
    blocking: milestone.blocking,
    warnings: milestone.warnings,
    candidateSha,
    candidateShas,
    developmentBranch: search.developmentBranch,
    developmentHead: search.developmentHead,
    hotfix: search.hotfix,
    decidingSet: set,
    setDigest,
    testsPassing,
    evidenceApproved: approved,
    approvalRequired,
    approval,
    gate,
    policyDigest: policyState?.status === 'valid' ? policyState.digest : null,
    promotion: policy.deployment.promotion,
    overrides: overrides.list(),
    consulted: facts.keys(),
    missing: facts.missing(),
  };
  return { verdict, exits: [...exits, last] };
}

/**
 * Returns the merge commit of the evidence pull request if it is equivalent to the candidate, because a trunk deploys
 * that commit.
 */
function mergedEvidence(record: ReleaseRecord, candidate: Candidate, facts: TrackedFacts): readonly Sha[] {
  const pull = record.evidencePull && facts.read('pull', String(record.evidencePull.number));
  const merge = pull?.state === 'merged' ? pull.mergeCommitSha : null;
  if (!merge || candidate.shas.includes(merge)) return [];
  const comparison = facts.comparison(candidate.sha, merge);
  return comparison && differsOnlyInEvidence(comparison, candidate.sha) ? [merge] : [];
}

/**
 * Builds the verdict of a shipped release. Its facts are frozen. Only the current state of the repository can close its
 * gate.
 */
function shippedVerdict(
  shipped: ShippedFacts,
  { record, acts, now }: VerdictInputs,
  policyState: PolicyState | undefined,
  facts: TrackedFacts,
): Verdict {
  const { testsPassing, evidenceApproved, approvalRequired, candidateSha, candidateShas } = shipped;
  const passed = shipped.passed ?? (testsPassing && (evidenceApproved || !approvalRequired));
  return {
    stage: 'DEPLOYED',
    unmet: [],
    unmetLater: [],
    cancelled: false,
    deleted: false,
    blocking: [],
    warnings: [],
    candidateSha,
    candidateShas,
    developmentBranch: '',
    developmentHead: null,
    hotfix: false,
    decidingSet: [],
    setDigest: null,
    testsPassing,
    evidenceApproved,
    approvalRequired,
    approval: null,
    gate: evaluateGate(
      {
        passed,
        unmet: [],
        unmetLater: [],
        blocking: [],
        governance: record.repository,
        branch: null,
        branchHead: null,
        policyState,
        freezes: acts.freezes,
        // Overrides end when the release ships. Their effect is already in the frozen facts.
        overrides: new AppliedOverrides(NO_OVERRIDES, [], now),
        now,
      },
      facts,
    ),
    policyDigest: policyState?.status === 'valid' ? policyState.digest : null,
    promotion: 'manual',
    overrides: [],
    consulted: facts.keys(),
    missing: facts.missing(),
  };
}

const NO_CANDIDATE: CandidateSearch = {
  candidate: null,
  releaseBranch: null,
  hotfix: false,
  branch: '',
  branchHead: null,
  developmentBranch: '',
  developmentHead: null,
  unmet: [missingFactCondition('sdlc.yaml')],
};

/** The part of a verdict that the approval of its candidate depends on. */
interface ApprovableCandidate extends Pick<Verdict, 'developmentBranch' | 'developmentHead'> {
  readonly candidateSha: Sha;
  readonly setDigest: string;
}

/** Returns the inputs of the approval of a candidate. The authors are those that the policy excludes. */
export function toApprovalInput(
  { record, now }: Pick<VerdictInputs, 'record' | 'now'>,
  policy: Policy,
  { candidateSha, setDigest, developmentBranch, developmentHead }: ApprovableCandidate,
  facts: TrackedFacts,
): ApprovalInput {
  const predecessorSha = record.predecessor?.candidateSha ?? null;
  const authors = policy.evidencing.requiredReviewers.excludeReleaseAuthors
    ? releaseAuthors({ candidateSha, predecessorSha, developmentHead }, facts)
    : new Set<number>();
  return { pull: record.evidencePull, setDigest, policy, authors, developmentBranch, baseHead: developmentHead, now };
}

/**
 * Returns the GitHub user ids of the authors of the candidate, or null if the inputs of the verdict do not contain
 * them.
 */
export function candidateAuthors(
  { candidateSha, developmentHead }: Pick<Verdict, 'candidateSha' | 'developmentHead'>,
  { record, observations }: Pick<VerdictInputs, 'record' | 'observations'>,
): ReadonlySet<number> | null {
  if (candidateSha === null) return null;
  const predecessorSha = record.predecessor?.candidateSha ?? null;
  return releaseAuthors({ candidateSha, predecessorSha, developmentHead }, new TrackedFacts(observations));
}
