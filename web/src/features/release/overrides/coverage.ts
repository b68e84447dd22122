import type { Schema } from '../../../api/client.js';

type Condition = Pick<Schema<'ReleaseCondition'>, 'code' | 'detail' | 'override'> & {
  readonly subjects: readonly Schema<'Subject'>[];
};

/** The part of a release that determines which conditions an override covers. */
export interface CoverageInput {
  readonly reasons: readonly Condition[];
  readonly stages: readonly { readonly unmet: readonly Condition[]; readonly unknown: readonly Condition[] }[];
}

export interface WaivableGroup {
  readonly code: Condition['code'];
  /** The sentences of the conditions with this code. */
  readonly details: readonly string[];
  /** What a waiver of this code covers. */
  readonly subjects: readonly Schema<'Subject'>[];
}

const listUnmet = ({ reasons, stages }: CoverageInput): readonly Condition[] => [
  ...reasons,
  ...stages.flatMap(({ unmet }) => unmet),
];

const listDetails = (conditions: readonly Condition[]): readonly string[] => [
  ...new Set(conditions.map(({ detail }) => detail)),
];

/** Lists each subject of the conditions once, with the greatest number of equal ones. */
function mergeSubjects(
  conditions: readonly { readonly subjects: readonly Schema<'Subject'>[] }[],
): readonly Schema<'Subject'>[] {
  const merged = new Map<string, Schema<'Subject'>>();
  for (const subject of conditions.flatMap(({ subjects }) => subjects)) {
    if ((merged.get(subject.id)?.count ?? 0) < subject.count) merged.set(subject.id, subject);
  }
  return [...merged.values()];
}

/** Groups the unmet conditions that can be waived by their code, because a waiver covers all conditions of one code. */
export function groupWaivable(release: CoverageInput): readonly WaivableGroup[] {
  const waivable = listUnmet(release).filter(({ override }) => override === 'waiver');
  return [...new Set(waivable.map(({ code }) => code))].map((code) => {
    const conditions = waivable.filter((condition) => condition.code === code);
    return { code, details: listDetails(conditions), subjects: mergeSubjects(conditions) };
  });
}

/** Lists the unmet conditions of all stages that break-glass sets aside, and those that keep the gate closed nevertheless. */
export function divideForBreakGlass(release: CoverageInput): {
  readonly covered: readonly string[];
  readonly notCovered: readonly string[];
} {
  const unknown = release.stages.flatMap((stage) => stage.unknown);
  return {
    covered: listDetails(listUnmet(release).filter(({ override }) => override !== 'none')),
    notCovered: listDetails([...release.reasons.filter(({ override }) => override === 'none'), ...unknown]),
  };
}
