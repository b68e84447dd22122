import { withoutSubjects } from '../facts/condition.js';
import type { EvidenceItem } from '../evidence/evidence.js';
import type { Observation } from '../facts/facts.js';
import type { OverrideRequest } from '../override/override.js';
import { type ApprovalReport, buildApprovalReport } from './approval-report.js';
import { answerEnvironment, type EnvironmentAnswer } from './environment-gate.js';
import { evaluate, type Verdict, type VerdictInputs } from './evaluate.js';
import { buildStageReport, type StagedReport } from './stage-report.js';

/** The type of a value after it was stored as JSON. */
export type Stored<T> = T extends Date
  ? string
  : T extends readonly (infer Item)[]
    ? readonly Stored<Item>[]
    : T extends object
      ? { readonly [K in keyof T]: Stored<T[K]> }
      : T;

/**
 * The version of the rules: the first version of Shipgate that has them. A change by which stored inputs would give another verdict,
 * also another sentence, needs the version that it will be released in. `replay.rules-version.spec.ts` detects such a change.
 */
export const RULES_VERSION = '0.1.0';

/** Returns whether the rules have changed since this version of them. */
export const haveRulesChanged = (rules: string): boolean => rules !== RULES_VERSION;

/** The stored inputs of a decision. */
export type StoredInputs = Stored<Omit<VerdictInputs, 'digest'>> & {
  /** The version of the rules that made the decision. */
  readonly rules: string;
};

/** Returns the inputs in the form in which a decision stores them. */
export const toStoredInputs = ({ digest: _digest, ...inputs }: VerdictInputs): object => ({
  rules: RULES_VERSION,
  ...inputs,
});

/**
 * Returns the verdict in the form in which a decision stores it. Only the conditions that an override covers keep their subjects.
 * The subjects of the others follow from the inputs and can be many.
 */
export const toStoredVerdict = (verdict: Verdict): Verdict => ({
  ...verdict,
  unmet: verdict.unmet.map(withoutSubjects),
  unmetLater: verdict.unmetLater.map(withoutSubjects),
  milestoneReasons: verdict.milestoneReasons.map(withoutSubjects),
  warnings: verdict.warnings.map(withoutSubjects),
  approval: verdict.approval && { ...verdict.approval, unmet: verdict.approval.unmet.map(withoutSubjects) },
  gate: { ...verdict.gate, reasons: verdict.gate.reasons.map(withoutSubjects) },
});

export interface Replay {
  /** The version of the rules that made the decision. */
  readonly rules: string;
  /** Whether the present rules give the same verdict for the inputs. Null if other rules made the decision. */
  readonly agrees: boolean | null;
  /** The names of the verdict properties that differ. */
  readonly differences: readonly string[];
  /** The verdict by the present rules. Null if other rules made the decision, or if the rules cannot read its inputs. */
  readonly verdict: Verdict | null;
}

/** Evaluates the stored inputs of a decision again and compares the verdicts. A decision of other rules is not derived again. */
export function replay(inputs: StoredInputs, decided: object, digest: VerdictInputs['digest']): Replay {
  const { rules } = inputs;
  if (haveRulesChanged(rules)) return { rules, agrees: null, differences: [], verdict: null };
  let verdict: Verdict;
  try {
    verdict = evaluate(reviveInputs(inputs, digest));
  } catch {
    return { rules, agrees: false, differences: ['inputs'], verdict: null };
  }
  const differences = listDifferences(decided, verdict);
  return { rules, agrees: differences.length === 0, differences, verdict };
}

/** Answers for an environment from the stored inputs of a decision. Null unless the present rules made it. */
export function answerStoredEnvironment(
  inputs: StoredInputs,
  environment: string,
  digest: VerdictInputs['digest'],
): EnvironmentAnswer | null {
  return haveRulesChanged(inputs.rules) ? null : answerEnvironment(reviveInputs(inputs, digest), environment);
}

/** Lists the names of the properties in which the stored verdict and the derived one differ. */
function listDifferences(decided: object, verdict: Verdict): readonly string[] {
  const before = decided as Readonly<Record<string, unknown>>;
  const after = JSON.parse(JSON.stringify(toStoredVerdict(verdict))) as Readonly<Record<string, unknown>>;
  const parts = [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted();
  return parts.filter((part) => !isSame(before[part], after[part]));
}

/** What was met, and who had approved, at the time of a decision. */
export interface DecisionReport extends Pick<StagedReport, 'stages'> {
  readonly approvals: ApprovalReport;
}

/** Reports a decision from its stored inputs. Null unless the present rules made it and give the same verdict for the inputs. */
export function reportDecision(
  inputs: StoredInputs,
  decided: object,
  digest: VerdictInputs['digest'],
): DecisionReport | null {
  if (haveRulesChanged(inputs.rules)) return null;
  try {
    const revived = reviveInputs(inputs, digest);
    const { verdict, stages } = buildStageReport(revived);
    if (listDifferences(decided, verdict).length > 0) return null;
    return { stages, approvals: buildApprovalReport(revived, verdict, null) };
  } catch {
    return null;
  }
}

/** Converts the texts of times back to dates. */
function reviveInputs(stored: StoredInputs, digest: VerdictInputs['digest']): VerdictInputs {
  const { rules: _rules, ...inputs } = stored;
  const { record, evidence, artifacts, observations, overrides, now, ...rest } = inputs as unknown as Omit<
    VerdictInputs,
    'digest'
  >;
  const { freezes, waivers, breakGlasses } = overrides;
  return {
    ...rest,
    record: {
      ...record,
      startedAt: toDate(record.startedAt),
      cancelledAt: toDate(record.cancelledAt),
      deletedAt: toDate(record.deletedAt),
    },
    evidence: evidence.map((item): EvidenceItem => ({ ...item, receivedAt: new Date(item.receivedAt) })),
    ...(artifacts && {
      artifacts: artifacts.map((artifact) => ({ ...artifact, receivedAt: new Date(artifact.receivedAt) })),
    }),
    observations: observations.map((observation): Observation => ({
      ...observation,
      observedAt: new Date(observation.observedAt),
    })),
    overrides: { freezes, waivers: waivers.map(withDates), breakGlasses: breakGlasses.map(withDates) },
    now: new Date(now),
    digest,
  };
}

const toDate = (at: Date | null): Date | null => at && new Date(at);

const withDates = <A extends OverrideRequest>(override: A): A => ({
  ...override,
  confirmedAt: toDate(override.confirmedAt),
  expiresAt: new Date(override.expiresAt),
});

/** Returns whether two JSON values are equal. The order of members does not count. */
function isSame(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return one === other;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const [a, b] = [one as Readonly<Record<string, unknown>>, other as Readonly<Record<string, unknown>>];
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => name in b && isSame(a[name], b[name]));
}
