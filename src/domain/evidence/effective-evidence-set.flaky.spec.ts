import { describe, expect, it } from '@jest/globals';
import { CANDIDATE, evidenceItem, failingItem, sha } from '../../../test/support/given-facts.js';
import { selectEffectiveEvidence } from './effective-evidence-set.js';
import type { EvidenceItem } from './evidence.js';
import { evidenceFailures } from './evidence-status.js';

const MERGE = sha('a');
const candidate = { sha: CANDIDATE, shas: [CANDIDATE, MERGE] };
const flakyOf = (evidence: readonly EvidenceItem[]): readonly boolean[] =>
  selectEffectiveEvidence(evidence, candidate, (set) =>
    set.every(({ items }) => items.every((each) => evidenceFailures(each).length === 0)),
  ).map(({ flaky }) => flaky);

const passing = (id: string, attempt = 1, changes: Partial<EvidenceItem> = {}): EvidenceItem =>
  evidenceItem({ run: { id, proven: true }, attempt, ...changes });
const failing = (id: string, attempt = 1, changes: Partial<EvidenceItem> = {}): EvidenceItem =>
  failingItem({ run: { id, proven: true }, attempt, ...changes });

describe('an evidence group of the effective evidence set', () => {
  it.each<[string, readonly EvidenceItem[], boolean]>([
    ['one passing run', [passing('100')], false],
    ['one failing run', [failing('100')], false],
    ['an attempt that failed before one that passed', [failing('100', 1), passing('100', 2)], true],
    ['a run that failed before one that passed', [failing('99'), passing('100')], true],
    ['a run that failed at an equivalent commit', [failing('99'), passing('100', 1, { commitSha: MERGE })], true],
    ['a run that failed at another commit', [failing('99', 1, { commitSha: sha('b') }), passing('100')], false],
    ['two passing runs', [passing('99'), passing('100')], false],
    ['a passing run before a failing one', [passing('99'), failing('100')], false],
    ['two failing runs', [failing('99'), failing('100')], false],
    [
      'a failing run before one with a failing shard among passing ones',
      [failing('99'), passing('100'), failing('100')],
      false,
    ],
    ['one failing shard of an earlier run', [failing('99'), passing('99'), passing('100'), passing('100')], true],
  ])('reports a group as flaky or not after %s', (_name, evidence, flaky) => {
    expect(flakyOf(evidence)).toEqual([flaky]);
    expect(flakyOf(evidence.toReversed())).toEqual([flaky]);
  });

  it('reports a group as flaky only for its own repeated runs', () => {
    expect(flakyOf([failing('100', 1), passing('100', 2), passing('100', 1, { pipeline: 'web' })])).toEqual([
      true,
      false,
    ]);
  });
});
