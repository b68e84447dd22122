import {
  type EvidenceKind,
  type EvidenceItem,
  isCount,
  isMeasured,
  type EvidenceMetrics,
  TEST_KINDS,
  type TestKind,
  type TestMetrics,
} from './evidence.js';

export const isTestKind = (kind: EvidenceKind): kind is TestKind =>
  (TEST_KINDS as readonly EvidenceKind[]).includes(kind);

/** Returns the test counts of an item. Undefined for other kinds and for an item without counts. */
export const getTestMetrics = ({
  kind,
  metrics,
}: {
  kind: EvidenceKind;
  metrics: EvidenceMetrics;
}): TestMetrics | undefined => (isTestKind(kind) ? metrics[kind] : undefined);

/**
 * Returns why an evidence item fails by itself. Empty if it passes. Test evidence without counts, without a test, or
 * with skipped tests only never passes, and neither does a report that states a failure.
 */
export function evidenceFailures(item: EvidenceItem): readonly string[] {
  if (!isTestKind(item.kind)) return item.failures;
  const tests = getTestMetrics(item);
  if (!tests) return [...item.failures, 'it holds no test counts'];
  const { total, passed, failed, skipped } = tests;
  return [
    ...item.failures,
    ...([total, passed, failed, skipped].every(isCount) ? [] : ['its counts are no counts']),
    // Compares for equality with zero so that NaN fails.
    ...(failed === 0 ? [] : [`${failed} of ${total} tests failed`]),
    ...(passed >= 1 ? [] : ['no test passed']),
  ];
}

export const ITEM_STATUSES = ['passed', 'failed', 'unmeasured'] as const;
export type EvidenceItemStatus = (typeof ITEM_STATUSES)[number];

/** Returns the status of one item. A document without numbers is `unmeasured` unless it reports a failure. */
export function evidenceItemStatus(item: EvidenceItem): EvidenceItemStatus {
  if (evidenceFailures(item).length > 0) return 'failed';
  return isMeasured(item.kind) && item.metrics[item.kind] !== undefined ? 'passed' : 'unmeasured';
}
