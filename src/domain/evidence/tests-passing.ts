import type { QualityGates, RequiredCheck, RequiredEvidence } from '../policy/policy.js';
import { areCounted, failingQualityGates, linePercentOf } from '../quality/quality-gates.js';
import type { CheckFact } from '../release/facts.js';
import type { Condition } from '../release/stage.js';
import type { DecidingSet, DecidingSlot } from './deciding-set.js';
import { failuresOf, isTestKind, testMetricsOf } from './piece-failures.js';

/** Which required checks have not succeeded. Every report of a name counts: one red one is enough. */
export function unmetChecks(required: readonly RequiredCheck[], checks: readonly CheckFact[]): readonly Condition[] {
  return required.flatMap(({ name, app }) => {
    const reports = checks.filter((check) => check.name === name && (app === null || check.app === app));
    const label = app === null ? `"${name}"` : `"${name}" of ${app}`;
    if (reports.length === 0) {
      return [{ code: 'check_missing', detail: `The required check ${label} has not reported.`, actor: 'ci' } as const];
    }
    return reports.filter(({ state }) => state !== 'success').map((report) => notSucceeded(label, report));
  });
}

function notSucceeded(label: string, { state, url }: CheckFact): Condition {
  const failed = state === 'failure';
  const code = failed ? 'check_failing' : 'check_pending';
  const detail = `The required check ${label} ${failed ? 'failed' : 'is still running'}.`;
  return { code, detail, actor: 'ci', ...(url === null ? {} : { url }) };
}

/** Why the evidence does not pass; empty only where something was tested and nothing speaks against it. */
export function unmetEvidence(
  set: DecidingSet,
  required: readonly RequiredEvidence[],
  gates: QualityGates,
  predecessorLinePercent: number | null,
): readonly Condition[] {
  const tests = set.filter(({ kind }) => isTestKind(kind));
  return [
    ...(tests.length === 0 ? [noTests] : []),
    ...set.flatMap(failingSlot),
    ...required.flatMap((requirement) => unmetRequirement(requirement, set)),
    ...failingQualityGates(gates, set, predecessorLinePercent),
  ];
}

const noTests: Condition = {
  code: 'evidence_missing',
  detail: 'No test evidence was uploaded for the candidate.',
  actor: 'ci',
};

const named = ({ kind, pipeline, environment }: DecidingSlot): string => `"${kind}" of "${pipeline}" (${environment})`;

const failingSlot = (slot: DecidingSlot): readonly Condition[] =>
  slot.pieces.flatMap((piece) => {
    const failures = failuresOf(piece);
    if (failures.length === 0) return [];
    return [
      { code: 'evidence_failing', detail: `${named(slot)} fails: ${failures.join('; ')}.`, actor: 'team' } as const,
    ];
  });

/** Why a piece of required evidence is not there, or not what is asked for; empty where it is. */
export function unmetRequirement(requirement: RequiredEvidence, set: DecidingSet): readonly Condition[] {
  const { kind, environment, minTests } = requirement;
  const slots = set.filter((slot) => slot.kind === kind && (environment === null || slot.environment === environment));
  if (slots.length === 0) {
    const where = environment === null ? '' : ` for "${environment}"`;
    return [{ code: 'evidence_missing', detail: `Required evidence "${kind}"${where} was not uploaded.`, actor: 'ci' }];
  }
  return slots.flatMap((slot) => {
    if (isTestKind(kind)) return tooFewTests(slot, minTests);
    return statesItsMeasure(slot) ? [] : [unmeasured(slot)];
  });
}

function tooFewTests(slot: DecidingSlot, minTests: number): readonly Condition[] {
  const passed = slot.pieces.reduce((sum, piece) => sum + (testMetricsOf(piece)?.passed ?? 0), 0);
  if (passed >= Math.max(1, minTests)) return [];
  return [
    {
      code: 'too_few_tests',
      detail: `${named(slot)} passed ${passed} tests; ${minTests} are required.`,
      actor: 'team',
    },
  ];
}

/** Evidence of a measured kind is worth something only with the measure. */
function statesItsMeasure(slot: DecidingSlot): boolean {
  const { kind, pieces } = slot;
  if (kind === 'coverage') return linePercentOf([slot]) !== null;
  if (kind !== 'sast_scan' && kind !== 'security') return true;
  return pieces.every(({ metrics }) => areCounted(metrics[kind]));
}

const unmeasured = (slot: DecidingSlot): Condition => ({
  code: 'evidence_failing',
  detail: `${named(slot)} states no result.`,
  actor: 'ci',
});
