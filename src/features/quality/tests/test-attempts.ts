import { sha256 } from '../../../crypto/digests.js';
import { type EvidenceItem, type TestKind, uploadIdFromItemId } from '../../../domain/evidence/evidence.js';
import { isTestKind } from '../../../domain/evidence/evidence-status.js';
import { groupBy } from '../../../domain/group-by.js';
import type { ReleaseQuality } from '../release-quality.js';

/** An evidence item with tests. */
export interface TestEvidenceItem extends EvidenceItem {
  readonly kind: TestKind;
  readonly evidenceId: string;
}

/** Selects the test evidence in the effective evidence set of the candidate. */
export const effectiveTests = ({ set }: ReleaseQuality): readonly TestEvidenceItem[] =>
  set.flatMap(({ items }) => items.flatMap(toTestItems));

/** Selects all test evidence of the candidate, in the order of receipt. */
export const candidateTests = ({ release: { candidate, evidence } }: ReleaseQuality): readonly TestEvidenceItem[] =>
  evidence.filter(({ commitSha }) => candidate?.shas.includes(commitSha) === true).flatMap(toTestItems);

/**
 * Groups the uploads from which flaky tests are derived: per job of a pipeline and environment, the uploads of each attempt. Jobs
 * are separate, because one may fail where another never does.
 */
export const groupAttempts = (
  items: readonly TestEvidenceItem[],
): readonly (readonly (readonly TestEvidenceItem[])[])[] =>
  [
    ...groupBy(items, ({ pipeline, kind, environment, job }) =>
      JSON.stringify([pipeline, kind, environment, job]),
    ).values(),
  ].map((ofJob) => [
    // Each upload without a run counts as its own attempt.
    ...groupBy(ofJob, ({ run, attempt, id }) => JSON.stringify(run ? [run.id, attempt] : id)).values(),
  ]);

/** The members of a result. A result that is stored with others is compared again. */
const RESULT_FORM = 'with fixed tests';

/** Builds a key of the inputs of the comparison; null if the release has no tests to compare. */
export function comparisonKey({ release: { candidate, evidence, predecessor }, set }: ReleaseQuality): string | null {
  const all = idsOfTests(evidence.filter(({ commitSha }) => candidate?.shas.includes(commitSha) === true));
  if (all.length === 0) return null;
  const deciding = idsOfTests(set.flatMap(({ items }) => items));
  return sha256(JSON.stringify([RESULT_FORM, deciding, all, predecessor?.id ?? null]));
}

const idsOfTests = (items: readonly EvidenceItem[]): readonly string[] =>
  items
    .filter(({ kind }) => isTestKind(kind))
    .map(({ id }) => id)
    .toSorted();

function toTestItems(item: EvidenceItem): readonly TestEvidenceItem[] {
  const { kind } = item;
  return isTestKind(kind) ? [{ ...item, kind, evidenceId: uploadIdFromItemId(item) }] : [];
}
