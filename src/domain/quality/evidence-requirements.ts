import { hasFailedSibling } from './completeness.js';
import {
  type EffectiveEvidenceSet,
  selectEffectiveEvidence,
  type EvidenceGroup,
  groupLabel,
  affectsVerdict,
} from '../evidence/effective-evidence-set.js';
import { type EvidenceItem, isMeasured } from '../evidence/evidence.js';
import { evidenceFailures, isTestKind, getTestMetrics } from '../evidence/evidence-status.js';
import type { CheckFact } from '../facts/facts.js';
import type { TrackedFacts } from '../facts/tracked-facts.js';
import type { Policy, QualityGates, RequiredCheck, RequiredEvidence } from '../policy/policy.js';
import type { Condition } from '../facts/condition.js';
import { hasSeverityCounts, failingQualityGates, effectiveLinePercent } from './quality-gates.js';

/**
 * Returns a condition for each required check that has not succeeded. Every report with the name counts: one failed
 * report is enough, and so is one skipped report unless the policy allows it.
 */
export function unmetChecks(required: readonly RequiredCheck[], checks: readonly CheckFact[]): readonly Condition[] {
  return required.flatMap(({ name, app, allowSkipped = false }) => {
    const reports = checks.filter((check) => check.name === name && (app === null || check.app === app));
    const label = app === null ? `"${name}"` : `"${name}" of ${app}`;
    if (reports.length === 0) {
      return [{ code: 'check_missing', detail: `The required check ${label} has not reported.`, actor: 'ci' } as const];
    }
    return reports
      .filter(({ state }) => state !== 'success' && !(allowSkipped && state === 'skipped'))
      .map((report) => notSucceeded(label, report));
  });
}

function notSucceeded(label: string, { state, conclusion, url }: CheckFact): Condition {
  const at = { actor: 'ci', ...(url === null ? {} : { url }) } as const;
  const subject = `The required check ${label}`;
  if (state === 'failure') return { code: 'check_failing', detail: `${subject} failed.`, ...at };
  if (state !== 'skipped') return { code: 'check_pending', detail: `${subject} is still running.`, ...at };
  const how = conclusion === 'neutral' ? 'ended neutral' : 'was skipped';
  const remedy = 'Run it at this commit, or set allow_skipped for it in sdlc.yaml.';
  return { code: 'check_skipped', detail: `${subject} ${how}, so it shows no result. ${remedy}`, ...at };
}

/** Returns why the evidence does not pass. Empty only if at least one test ran and nothing failed. */
export function unmetEvidence(
  set: EffectiveEvidenceSet,
  required: readonly RequiredEvidence[],
  gates: QualityGates,
  predecessorLinePercent: number | null,
): readonly Condition[] {
  const tests = set.filter(({ kind }) => isTestKind(kind));
  return [
    ...(tests.length === 0 ? [noTests] : []),
    ...set.flatMap(failingItems),
    ...required.flatMap((requirement) => unmetRequirement(requirement, set)),
    ...failingQualityGates(gates, set, predecessorLinePercent),
  ];
}

const noTests: Condition = {
  code: 'evidence_missing',
  detail: 'No test evidence was uploaded for the candidate.',
  actor: 'ci',
};

const failingItems = (group: EvidenceGroup): readonly Condition[] =>
  group.pieces.flatMap((item) => {
    const failures = evidenceFailures(item);
    if (failures.length === 0) return [];
    const detail = `${groupLabel(group)} fails: ${failures.join('; ')}. ${howToClear(item)}`;
    return [{ code: 'evidence_failing', detail, actor: 'team' } as const];
  });

/** Returns how to replace a failed item, depending on what is known about its origin. */
function howToClear({ run, job, attempt, checkRunId }: EvidenceItem): string {
  if (run?.proven === true) {
    if (job !== null) return `Run the job "${job}" of run ${run.id} again, or start a new run.`;
    return checkRunId === null
      ? `Start a new run; with the field job, a job that runs again replaces what it uploaded.`
      : `Start a new run: the name of its job is not known, or other jobs of run ${run.id} have the same name.`;
  }
  const retry = `upload all of its evidence again with job "${job}" and run_attempt ${attempt + 1}`;
  if (run !== null) {
    return job === null
      ? 'Upload from a new run (another run_url); with job and run_attempt, a job that runs again replaces what it uploaded.'
      : `Run the job again and ${retry}, or upload from a new run (another run_url).`;
  }
  return job === null
    ? 'Upload from a run, by an identity token or with run_url: uploads that name no run do not replace each other.'
    : `Run the job again and ${retry}, or upload from a run, by an identity token or with run_url.`;
}

/** Returns why required evidence is missing or insufficient. Empty if it is sufficient. */
export function unmetRequirement(requirement: RequiredEvidence, set: EffectiveEvidenceSet): readonly Condition[] {
  const { kind, environment, minTests } = requirement;
  const groups = set.filter(
    (group) => group.kind === kind && (environment === null || group.environment === environment),
  );
  if (groups.length === 0) {
    const where = environment === null ? '' : ` for "${environment}"`;
    return [{ code: 'evidence_missing', detail: `Required evidence "${kind}"${where} was not uploaded.`, actor: 'ci' }];
  }
  return groups.flatMap((group) => {
    if (isTestKind(kind)) return tooFewTests(group, minTests);
    if (isMeasured(kind)) return statesItsMeasure(group) ? [] : [unmeasured(group)];
    return group.pieces.every(({ content }) => content >= 1) ? [] : [empty(group)];
  });
}

function tooFewTests(group: EvidenceGroup, minTests: number): readonly Condition[] {
  const passed = group.pieces.reduce((sum, item) => sum + (getTestMetrics(item)?.passed ?? 0), 0);
  if (passed >= Math.max(1, minTests)) return [];
  return [
    {
      code: 'too_few_tests',
      detail: `${groupLabel(group)} passed ${passed} tests; ${minTests} are required.`,
      actor: 'team',
    },
  ];
}

/** Whether the group has the measurement of its kind. Measured evidence counts only with it. */
function statesItsMeasure(group: EvidenceGroup): boolean {
  const { kind, pieces: items } = group;
  if (kind === 'coverage') return effectiveLinePercent([group]) !== null;
  return (
    (kind === 'sast_scan' || kind === 'security') && items.every(({ metrics }) => hasSeverityCounts(metrics[kind]))
  );
}

/** Counts like missing evidence, so it cannot be waived either. */
const empty = (group: EvidenceGroup): Condition => ({
  code: 'evidence_missing',
  detail:
    group.kind === 'sbom'
      ? `${groupLabel(group)} lists no component. Upload a CycloneDX or SPDX document that lists at least one.`
      : `${groupLabel(group)} is empty. Upload a file, a report or a metric that is not empty.`,
  actor: 'ci',
});

const unmeasured = (group: EvidenceGroup): Condition => ({
  code: 'evidence_failing',
  detail: `${groupLabel(group)} states no result.`,
  actor: 'ci',
});

/**
 * Selects the effective evidence set of a candidate under a policy, without groups that cannot affect the verdict.
 * Without `facts` nothing is known about the other jobs of a run.
 */
export function selectGatingEvidence(
  evidence: readonly EvidenceItem[],
  candidate: { readonly sha: string; readonly shas: readonly string[] },
  { evidencing: { requiredEvidence }, qualityGates }: Pick<Policy, 'evidencing' | 'qualityGates'>,
  predecessorLinePercent: number | null,
  known: { readonly facts: TrackedFacts; readonly now: Date } | null = null,
): EffectiveEvidenceSet {
  const passes = (picked: EffectiveEvidenceSet): boolean =>
    unmetEvidence(picked, requiredEvidence, qualityGates, predecessorLinePercent).length === 0 &&
    !(known && hasFailedSibling(picked, known.facts, known.now));
  return selectEffectiveEvidence(evidence, candidate, passes).filter((group) =>
    affectsVerdict(group, requiredEvidence),
  );
}
