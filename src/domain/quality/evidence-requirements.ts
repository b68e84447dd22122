import { hasFailedSibling } from './completeness.js';
import {
  divideByRun,
  type EffectiveEvidenceSet,
  selectEffectiveEvidence,
  type EvidenceGroup,
  groupLabel,
  affectsVerdict,
} from '../evidence/effective-evidence-set.js';
import { type EvidenceItem, type FailedTest, isMeasured, uploadIdFromItemId } from '../evidence/evidence.js';
import { RunCoverages } from '../evidence/run-coverage.js';
import { evidenceFailures, isTestKind, getTestMetrics } from '../evidence/evidence-status.js';
import type { TrackedFacts } from '../facts/tracked-facts.js';
import { type Policy, type QualityGates, type RequiredEvidence, toSourced } from '../policy/policy.js';
import { failedTests, failureSubjects, itemSubject } from './failure-subjects.js';
import { type Condition, toSubjectId } from '../facts/condition.js';
import { hasSeverityCounts, failingQualityGates, effectiveLinePercent } from './quality-gates.js';

/** Returns why the evidence does not pass. Empty only if at least one test ran and nothing failed. */
export function unmetEvidence(
  set: EffectiveEvidenceSet,
  required: readonly RequiredEvidence[],
  gates: QualityGates,
  predecessorLinePercent: number | null,
): readonly Condition[] {
  return [
    ...unmetTests(set),
    ...required.flatMap((requirement) => unmetRequirement(requirement, set)),
    ...failingQualityGates(gates, set, predecessorLinePercent),
  ];
}

/** Returns why the tests do not pass, and which other items fail. */
export const unmetTests = (set: EffectiveEvidenceSet): readonly Condition[] => [
  ...(set.some(({ kind }) => isTestKind(kind)) ? [] : [noTests]),
  ...set.flatMap(failingItems),
];

const noTests: Condition = {
  code: 'evidence_missing',
  detail: 'No test evidence was uploaded for the candidate.',
  actor: 'ci',
};

const failingItems = (group: EvidenceGroup): readonly Condition[] =>
  group.items.flatMap((item) => {
    const failures = evidenceFailures(item);
    if (failures.length === 0) return [];
    const detail = `${groupLabel(group)} fails: ${failures.join('; ')}. ${describeFailedTests(item)}${howToClear(item)}`;
    return [{ code: 'evidence_failing', detail, actor: 'team', subjects: failureSubjects(item, group) } as const];
  });

/** The maximum number of failed tests in the sentence of a condition. */
const MAX_NAMED_TESTS = 3;

/** Returns a sentence that names the first failed tests, with a space after it. Empty if no name is known. */
function describeFailedTests(item: EvidenceItem): string {
  const named = failedTests(item).slice(0, MAX_NAMED_TESTS);
  if (named.length === 0) return '';
  const more = (getTestMetrics(item)?.failed ?? named.length) - named.length;
  return `Failed: ${named.map(describeFailedTest).join('; ')}${more > 0 ? `; and ${more} more` : ''}. `;
}

function describeFailedTest({ name, history }: FailedTest): string {
  if (!history) return `"${name}"`;
  const { failingSince, lastPassedIn } = history;
  const since =
    failingSince === null
      ? 'fails since this run'
      : `fails since ${failingSince.run === null ? 'the upload' : `the run ${failingSince.run}`} of ${failingSince.at}`;
  return `"${name}" (${since}, ${lastPassedIn === null ? 'no earlier pass is known' : `last passed in ${lastPassedIn}`})`;
}

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
export const unmetRequirement = (requirement: RequiredEvidence, set: EffectiveEvidenceSet): readonly Condition[] =>
  findUnmet(requirement, set).map((condition) => ({ ...condition, ...toSourced(requirement) }));

function findUnmet(requirement: RequiredEvidence, set: EffectiveEvidenceSet): readonly Condition[] {
  const { kind, environment, minTests } = requirement;
  const groups = set.filter(
    (group) => group.kind === kind && (environment === null || group.environment === environment),
  );
  if (groups.length === 0) {
    const where = environment === null ? '' : ` for "${environment}"`;
    const label = `"${kind}"${where}`;
    return [
      {
        code: 'evidence_missing',
        detail: `Required evidence ${label} was not uploaded.`,
        actor: 'ci',
        subjects: [{ id: toSubjectId('evidence', kind, environment), label }],
      },
    ];
  }
  return groups.flatMap((group) => {
    if (isTestKind(kind)) return divideByRun(group).flatMap((items) => tooFewTests(group, items, minTests));
    if (isMeasured(kind)) return statesItsMeasure(group) ? [] : [unmeasured(group)];
    return group.items.every(({ content }) => content >= 1) ? [] : [empty(group)];
  });
}

function tooFewTests(
  group: EvidenceGroup,
  itemsOfRun: readonly EvidenceItem[],
  minTests: number,
): readonly Condition[] {
  const passed = itemsOfRun.reduce((sum, item) => sum + (getTestMetrics(item)?.passed ?? 0), 0);
  if (passed >= Math.max(1, minTests)) return [];
  return [
    {
      code: 'too_few_tests',
      detail: `${groupLabel(group)} passed ${passed} tests; ${minTests} are required.`,
      actor: 'team',
      subjects: itemsOfRun.map((item) => ({
        id: toSubjectId('minimum', item.id, minTests),
        label: `${getTestMetrics(item)?.passed ?? 0} passed tests where ${minTests} are required, in "${item.pipeline}" (${item.environment}), upload ${uploadIdFromItemId(item)}`,
      })),
    },
  ];
}

/** Whether the group has the measurement of its kind. Measured evidence counts only with it. */
function statesItsMeasure(group: EvidenceGroup): boolean {
  const { kind, items } = group;
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
  subjects: group.items.map(itemSubject),
});

const unmeasured = (group: EvidenceGroup): Condition => ({
  code: 'evidence_failing',
  detail: `${groupLabel(group)} states no result.`,
  actor: 'ci',
  subjects: group.items.map(itemSubject),
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
  coverages = new RunCoverages(),
): EffectiveEvidenceSet {
  const passes = (picked: EffectiveEvidenceSet): boolean =>
    unmetEvidence(picked, requiredEvidence, qualityGates, predecessorLinePercent).length === 0 &&
    !(known && hasFailedSibling(picked, known.facts, known.now));
  return selectEffectiveEvidence(evidence, candidate, passes, coverages).filter((group) =>
    affectsVerdict(group, requiredEvidence),
  );
}
