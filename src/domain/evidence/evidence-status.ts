import {
  type EvidenceKind,
  type EvidenceItem,
  isCount,
  isMeasured,
  type Metrics,
  TEST_KINDS,
  type TestKind,
  type TestMetrics,
} from './evidence.js';

export const isTestKind = (kind: EvidenceKind): kind is TestKind =>
  (TEST_KINDS as readonly EvidenceKind[]).includes(kind);

/** The test counts of a piece of test evidence; undefined where it carries none. */
export const getTestMetrics = ({ kind, metrics }: { kind: EvidenceKind; metrics: Metrics }): TestMetrics | undefined =>
  isTestKind(kind) ? metrics[kind] : undefined;

/**
 * Why a piece of evidence does not pass by itself; empty where it does. Empty, all skipped and without numbers never
 * passes, and neither does a report that says of itself that it failed.
 */
export function evidenceFailures(piece: EvidenceItem): readonly string[] {
  if (!isTestKind(piece.kind)) return piece.failures;
  const tests = getTestMetrics(piece);
  if (!tests) return [...piece.failures, 'it holds no test counts'];
  const { total, passed, failed, skipped } = tests;
  return [
    ...piece.failures,
    ...([total, passed, failed, skipped].every(isCount) ? [] : ['its counts are no counts']),
    // Asked the way round in which a number that is none does not pass.
    ...(failed === 0 ? [] : [`${failed} of ${total} tests failed`]),
    ...(passed >= 1 ? [] : ['no test passed']),
  ];
}

export const PIECE_STATUSES = ['passed', 'failed', 'unmeasured'] as const;
export type EvidenceItemStatus = (typeof PIECE_STATUSES)[number];

/** What a piece says by itself: a document without numbers is no verdict, unless it says that it failed. */
export function evidenceItemStatus(piece: EvidenceItem): EvidenceItemStatus {
  if (evidenceFailures(piece).length > 0) return 'failed';
  return isMeasured(piece.kind) && piece.metrics[piece.kind] !== undefined ? 'passed' : 'unmeasured';
}
