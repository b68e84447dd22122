import type { Artifact } from '../artifact/artifact.js';
import { evaluateArtifacts, type NamedDigest } from '../artifact/required-artifacts.js';
import { type EffectiveEvidenceSet, evidenceSetKey } from '../evidence/effective-evidence-set.js';
import type { EvidenceItem } from '../evidence/evidence.js';
import { type RunCoverage, RunCoverages } from '../evidence/run-coverage.js';
import { differsOnlyInEvidence } from '../facts/commit-ancestry.js';
import { missingFactCondition, type Condition, type Stage } from '../facts/condition.js';
import type { FactKey, Observation, Sha } from '../facts/facts.js';
import { TrackedFacts } from '../facts/tracked-facts.js';
import { AppliedOverrides } from '../override/applied-overrides.js';
import { type ReleaseOverrides, NO_OVERRIDES, type AppliedOverride } from '../override/override.js';
import { DEFAULT_POLICY, type Policy, type PolicyState } from '../policy/policy.js';
import { requiredArtifacts } from '../policy/policy-fields.js';
import { selectGatingEvidence } from '../quality/evidence-requirements.js';
import { type Approval, type ApprovalInput, evaluateApproval } from '../review/approval.js';
import { releaseAuthors } from '../review/release-authors.js';
import { type Candidate, type CandidateSearch, findCandidate } from './candidate.js';
import { milestoneConditions, notDeployed } from './conditions.js';
import { type ChainState, evaluateChain, listNewSoaks, nextSoakEnd, NO_CHAIN } from './deployed-rules.js';
import type { CompletedSoak, ReportedChange } from './environment-soak.js';
import { evaluateGate, type GateState, commonConditions } from './gate.js';
import type { ReleaseRecord, ShippedFacts } from './release-record.js';
import {
  artifactRules,
  checkRules,
  developmentRules,
  evidencingRules,
  listConditions,
  planningRules,
  type RuleResult,
  soakRules,
  testingRules,
} from './stage-rules.js';

/** The inputs of a verdict. A verdict depends on nothing else. */
export interface VerdictInputs {
  readonly record: ReleaseRecord;
  readonly evidence: readonly EvidenceItem[];
  /**
   * The known coverage of runs with several coverage reports. For a run that it lacks, the least that its reports can cover
   * counts. Missing if no run has several.
   */
  readonly runCoverages?: readonly RunCoverage[];
  /** The artifacts of the release. Missing if the policy names none. */
  readonly artifacts?: readonly Artifact[];
  readonly observations: readonly Observation[];
  readonly overrides: ReleaseOverrides;
  /** The completed soaks of the release. Missing if there are none. */
  readonly soaks?: readonly CompletedSoak[];
  /**
   * The latest reported changes of the environments whose deployments the verdict reads, at most `MAX_REPORTED_CHANGES` of each. Missing
   * if there are none.
   */
  readonly reports?: readonly ReportedChange[];
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
  /** The gate reasons that follow from the milestone, in every stage. */
  readonly milestoneReasons: readonly Condition[];
  /** Conditions that the user should see although they block nothing. */
  readonly warnings: readonly Condition[];
  readonly candidateSha: Sha | null;
  readonly candidateShas: readonly Sha[];
  readonly developmentBranch: string;
  readonly developmentHead: Sha | null;
  readonly hotfix: boolean;
  readonly evidenceSet: EffectiveEvidenceSet;
  readonly setDigest: string | null;
  /** The artifacts that the policy accepts. Missing if it names none. */
  readonly artifacts?: readonly NamedDigest[];
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
  readonly usedFacts: readonly FactKey[];
  readonly missing: readonly FactKey[];
  /** The ids of the uploads of each run whose coverage the verdict lacks. */
  readonly missingCoverage: readonly (readonly string[])[];
  /** The soaks that this evaluation completed. Missing if there are none. */
  readonly completedSoaks?: readonly CompletedSoak[];
  /** The earliest end of a soak that is not completed, in milliseconds since the epoch. Missing if there is none. */
  readonly nextSoakEnd?: number;
}

/** Derives the stage and the gate of a release. Never throws. A missing fact closes the gate. */
export const evaluate = (inputs: VerdictInputs): Verdict => evaluateByStage(inputs).verdict;

/** The results of the rules of a stage. */
interface StageResults {
  readonly stage: Stage;
  readonly results: readonly RuleResult[];
  /** The conditions of the results that no waiver covers. */
  readonly unmet: readonly Condition[];
}

/** A verdict with the results that it rests on. `stages` is empty for a shipped release. */
export interface StagedVerdict {
  readonly verdict: Verdict;
  readonly stages: readonly StageResults[];
  /** The conditions that close the gate of every environment. */
  readonly common: readonly Condition[];
  readonly chain: ChainState;
}

/** Derives a verdict like `evaluate`, with the results of the rules of each stage. */
export function evaluateByStage(inputs: VerdictInputs): StagedVerdict {
  const facts = new TrackedFacts(inputs.observations);
  const policyState = facts.read('policy', '');
  const policy = policyState?.status === 'valid' ? policyState.policy : DEFAULT_POLICY;
  const { shipped } = inputs.record;
  return shipped
    ? shippedVerdict(shipped, inputs, policyState, facts)
    : derivedVerdict(inputs, policyState, policy, facts);
}

function derivedVerdict(
  { record, evidence, runCoverages, artifacts, overrides, soaks = [], reports = [], now, digest }: VerdictInputs,
  policyState: PolicyState | undefined,
  policy: Policy,
  facts: TrackedFacts,
): StagedVerdict {
  const search = policyState
    ? findCandidate(record.version, policy, policy.development.branch ?? policyState.defaultBranch, evidence, facts)
    : NO_CANDIDATE;
  const { candidate, developmentBranch, developmentHead } = search;
  const predecessorLinePercent = record.predecessor?.linePercent ?? null;
  const coverages = new RunCoverages(runCoverages ?? null);
  const set = candidate
    ? selectGatingEvidence(evidence, candidate, policy, predecessorLinePercent, { facts, now }, coverages)
    : [];
  const issues = facts.read('issues', String(record.milestoneNumber));

  const planning = planningRules({ record, policy: policyState ? policy : null, search, evidence, issues }, facts);
  const candidateShas = candidate ? [...candidate.shas, ...mergedEvidence(record, candidate, facts)] : [];
  const required = requiredArtifacts(policy);
  const ofArtifacts = evaluateArtifacts(
    artifacts ?? [],
    candidate && { sha: candidate.sha, shas: candidateShas },
    required,
  );
  const setDigest = candidate ? digest(evidenceSetKey(candidate.sha, set, ofArtifacts.counted)) : null;
  const candidateSha = candidate?.sha ?? null;
  const commits = { sha: candidateSha, shas: candidateShas };
  const chain = candidate
    ? evaluateChain(policy, { ...candidate, shas: candidateShas }, { completed: soaks, reports, now }, facts)
    : NO_CHAIN;
  const developmentChecks = checkRules(commits, policy.development.requiredChecks, facts);
  const applied = new AppliedOverrides(overrides, candidateShas, now);
  const toStage = (stage: Stage, results: readonly RuleResult[]): StageResults => ({
    stage,
    results,
    unmet: applied.waive(listConditions(results)),
  });
  const planningStage = toStage('PLANNING', planning);
  const developmentStage = toStage('DEVELOPMENT', [
    ...developmentRules({ policy, candidateSha, unfound: search.unmet, issues }),
    ...developmentChecks,
    ...soakRules('DEVELOPMENT', chain),
  ]);
  const testing = testingRules({ chain, policy, policyState, commits, set, predecessorLinePercent, now }, facts);
  // A waiver lets the release continue without the tests, but it does not make the tests pass. Without a candidate the
  // evidence set is empty, and without test evidence a condition holds.
  const testsPassing = listConditions([...developmentChecks, ...testing]).length === 0;
  const testingStage = toStage('TESTING', [
    ...testing,
    ...artifactRules(ofArtifacts.results),
    ...soakRules('TESTING', chain),
  ]);
  // The approval is also evaluated while an evidence pull request exists, so that a reopened issue does not hide an
  // approval.
  const reached = [planningStage, developmentStage, testingStage].every(({ unmet }) => unmet.length === 0);
  const approval =
    candidate && setDigest !== null && (reached || record.evidencePull !== null)
      ? evaluateApproval(
          toApprovalInput(
            { record, now },
            policy,
            { candidateSha: candidate.sha, setDigest, developmentBranch, developmentHead },
            facts,
          ),
          facts,
        )
      : null;
  const approvalRequired = policy.deployment.requiresEvidenceApproval;
  const evidencing = evidencingRules({ isRequired: approvalRequired, approval, isReached: reached });
  const exits: readonly StageResults[] = [
    planningStage,
    developmentStage,
    testingStage,
    { stage: 'EVIDENCING', results: evidencing, unmet: listConditions(evidencing) },
  ];
  const last: StageResults = { stage: 'DEPLOYMENT', results: [], unmet: [notDeployed(policy)] };
  const { stage, unmet } = exits.find((one) => one.unmet.length > 0) ?? last;
  // The stages before the current one have no unmet conditions.
  const unmetLater = exits.flatMap((one) => (one.stage === stage ? [] : one.unmet));
  const milestone = milestoneConditions(record, stage, facts.read('milestone', String(record.milestoneNumber)));
  const gateInput = {
    passed: stage === 'DEPLOYMENT',
    unmet,
    unmetLater,
    milestoneReasons: milestone.reasons,
    governance: record.repository,
    branch: search.branch,
    branchHead: search.branchHead,
    policyState,
    freezes: overrides.freezes,
    overrides: applied,
    nextSoakEnd: nextSoakEnd(chain),
    now,
  };
  const gate = evaluateGate(gateInput, facts);
  const newSoaks = listNewSoaks(chain);
  const verdict: Verdict = {
    stage,
    unmet,
    unmetLater,
    cancelled: milestone.cancelled,
    deleted: milestone.deleted,
    milestoneReasons: milestone.reasons,
    warnings: milestone.warnings,
    candidateSha,
    candidateShas,
    developmentBranch,
    developmentHead,
    hotfix: search.hotfix,
    evidenceSet: set,
    setDigest,
    ...(required.length > 0 && { artifacts: ofArtifacts.accepted }),
    testsPassing,
    evidenceApproved: approval?.approved === true,
    approvalRequired,
    approval,
    gate,
    policyDigest: policyState?.status === 'valid' ? policyState.digest : null,
    promotion: policy.deployment.promotion,
    overrides: applied.list(),
    usedFacts: facts.keys(),
    missing: facts.missing(),
    missingCoverage: coverages.missing(),
    ...(newSoaks.length > 0 && { completedSoaks: newSoaks }),
    ...(Number.isFinite(gateInput.nextSoakEnd) && { nextSoakEnd: gateInput.nextSoakEnd }),
  };
  const { governance, knowledge } = commonConditions(gateInput, facts);
  return { verdict, stages: [...exits, last], common: [...governance, ...knowledge], chain };
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
  { record, overrides, now }: VerdictInputs,
  policyState: PolicyState | undefined,
  facts: TrackedFacts,
): StagedVerdict {
  const { testsPassing, evidenceApproved, approvalRequired, candidateSha, candidateShas, passed } = shipped;
  const gateInput = {
    passed,
    unmet: [],
    unmetLater: [],
    milestoneReasons: [],
    governance: record.repository,
    branch: null,
    branchHead: null,
    policyState,
    freezes: overrides.freezes,
    // Overrides end when the release ships. Their effect is already in the frozen facts.
    overrides: new AppliedOverrides(NO_OVERRIDES, [], now),
    now,
  };
  const gate = evaluateGate(gateInput, facts);
  const verdict: Verdict = {
    stage: 'DEPLOYED',
    unmet: [],
    unmetLater: [],
    cancelled: false,
    deleted: false,
    milestoneReasons: [],
    warnings: [],
    candidateSha,
    candidateShas,
    developmentBranch: '',
    developmentHead: null,
    hotfix: false,
    evidenceSet: [],
    setDigest: null,
    ...(shipped.artifacts && { artifacts: shipped.artifacts }),
    testsPassing,
    evidenceApproved,
    approvalRequired,
    approval: null,
    gate,
    policyDigest: policyState?.status === 'valid' ? policyState.digest : null,
    promotion: 'manual',
    overrides: [],
    usedFacts: facts.keys(),
    missing: facts.missing(),
    missingCoverage: [],
  };
  const { governance, knowledge } = commonConditions(gateInput, facts);
  return { verdict, stages: [], common: [...governance, ...knowledge], chain: NO_CHAIN };
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
  const authors = policy.evidencing.requiredReviewers.some(({ excludeReleaseAuthors }) => excludeReleaseAuthors)
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
