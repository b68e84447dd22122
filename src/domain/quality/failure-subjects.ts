import { type Subject, toConditionKey, toSubjectId } from '../facts/condition.js';
import { type EffectiveEvidenceSet, type EvidenceGroup, groupLabel } from '../evidence/effective-evidence-set.js';
import { type EvidenceItem, type FailedTest, uploadIdFromItemId } from '../evidence/evidence.js';
import { evidenceFailures, getTestMetrics, isTestKind } from '../evidence/evidence-status.js';

/**
 * Identifies what fails in one item of a group: each failed test by its name, or the item itself if a failure has no name. A name
 * that occurs twice in the group identifies no test. The item has failures.
 */
export function failureSubjects(item: EvidenceItem, group: EvidenceGroup): readonly Subject[] {
  if (!isTestKind(item.kind)) return [itemSubject(item)];
  const repeated = repeatedTests(group);
  const named = failedTests(item).filter(({ id }) => !repeated.has(id));
  const tests = getTestMetrics(item);
  const hasUnnamed =
    item.failures.length > 0 ||
    !tests ||
    !(tests.failed === named.length) ||
    !(tests.passed >= 1) ||
    named.length === 0;
  return [
    ...named.map(({ id, name }) => ({
      id: toSubjectId('test', item.pipeline, item.kind, item.environment, id),
      label: `the test "${name}" in ${groupLabel(group)}`,
    })),
    ...(hasUnnamed ? [itemSubject(item)] : []),
  ];
}

/** Maps the key of the condition of each failing item of the set to the item. */
export const failingItemsByCondition = (set: EffectiveEvidenceSet): ReadonlyMap<string, EvidenceItem> =>
  new Map(
    set.flatMap((group) =>
      group.items
        .filter((item) => evidenceFailures(item).length > 0)
        .map((item) => [toConditionKey({ code: 'evidence_failing', subjects: failureSubjects(item, group) }), item]),
    ),
  );

/** Identifies the item itself: a later item is another subject. */
export const itemSubject = (item: EvidenceItem): Subject => ({
  id: toSubjectId('evidence', item.id),
  label: `everything that fails in "${item.kind}" of "${item.pipeline}" (${item.environment}), upload ${uploadIdFromItemId(item)}`,
});

export const failedTests = ({ identified }: EvidenceItem): readonly FailedTest[] => identified?.tests ?? [];

/** By group, because each item of a group needs them, and a group may have thousands of items. */
const repeatedTestsByGroup = new WeakMap<EvidenceGroup, ReadonlySet<string>>();

/**
 * Returns the ids of the failed tests whose name occurs in more than one item of the group. An item that is replaced does not
 * count.
 */
function repeatedTests(group: EvidenceGroup): ReadonlySet<string> {
  const repeated = repeatedTestsByGroup.get(group) ?? findRepeatedTests(group.items);
  repeatedTestsByGroup.set(group, repeated);
  return repeated;
}

function findRepeatedTests(items: readonly EvidenceItem[]): ReadonlySet<string> {
  const counted = new Set(items.map(uploadIdFromItemId));
  const failed = new Set<string>();
  const repeated = new Set<string>();
  for (const item of items) {
    for (const id of item.identified?.repeatedTests ?? []) repeated.add(id);
    for (const { id, alsoIn = [] } of failedTests(item)) {
      if (failed.has(id) || alsoIn.some((uploadId) => counted.has(uploadId))) repeated.add(id);
      failed.add(id);
    }
  }
  return repeated;
}
