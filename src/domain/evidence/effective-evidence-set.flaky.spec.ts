import { describe, expect, it } from '@jest/globals';
import { CANDIDATE, piece, redPiece, sha } from '../../../test/support/given-facts.js';
import { selectEffectiveEvidence } from './effective-evidence-set.js';
import type { EvidenceItem } from './evidence.js';
import { evidenceFailures } from './evidence-status.js';

const MERGE = sha('a');
const candidate = { sha: CANDIDATE, shas: [CANDIDATE, MERGE] };
const flakyOf = (evidence: readonly EvidenceItem[]): readonly boolean[] =>
  selectEffectiveEvidence(evidence, candidate, (set) =>
    set.every(({ pieces: items }) => items.every((each) => evidenceFailures(each).length === 0)),
  ).map(({ flaky }) => flaky);

const green = (id: string, attempt = 1, changes: Partial<EvidenceItem> = {}): EvidenceItem =>
  piece({ run: { id, proven: true }, attempt, ...changes });
const red = (id: string, attempt = 1, changes: Partial<EvidenceItem> = {}): EvidenceItem =>
  redPiece({ run: { id, proven: true }, attempt, ...changes });

describe('a slot of the deciding set', () => {
  it.each<[string, readonly EvidenceItem[], boolean]>([
    ['one green run', [green('100')], false],
    ['one red run', [red('100')], false],
    ['an attempt that failed before one that passed', [red('100', 1), green('100', 2)], true],
    ['a run that failed before one that passed', [red('99'), green('100')], true],
    [
      'a run that failed at a commit that is the same candidate',
      [red('99'), green('100', 1, { commitSha: MERGE })],
      true,
    ],
    ['a run that failed at another commit', [red('99', 1, { commitSha: sha('b') }), green('100')], false],
    ['two green runs', [green('99'), green('100')], false],
    ['a green run before a red one', [green('99'), red('100')], false],
    ['two red runs', [red('99'), red('100')], false],
    ['a red run before one with a red shard among green ones', [red('99'), green('100'), red('100')], false],
    ['one red shard of an earlier run', [red('99'), green('99'), green('100'), green('100')], true],
  ])('is judged after %s', (_name, evidence, flaky) => {
    expect(flakyOf(evidence)).toEqual([flaky]);
    expect(flakyOf(evidence.toReversed())).toEqual([flaky]);
  });

  it('is flaky by itself, not for what another slot had to repeat', () => {
    expect(flakyOf([red('100', 1), green('100', 2), green('100', 1, { pipeline: 'web' })])).toEqual([true, false]);
  });
});
