import { describe, expect, it } from '@jest/globals';
import { evidenceItem } from '../../../test/support/given-facts.js';
import { type EvidenceGroup, affectsVerdict } from './effective-evidence-set.js';
import type { EvidenceItem } from './evidence.js';

const groupOf = (...all: readonly [Partial<EvidenceItem>, ...Partial<EvidenceItem>[]]): EvidenceGroup => {
  const items = all.map((changes) => evidenceItem({ metrics: {}, ...changes }));
  return {
    pipeline: 'ci',
    kind: all[0].kind ?? 'custom',
    environment: 'ci',
    flaky: false,
    provenRun: null,
    items,
  };
};
const failures = ['cut short'];

describe('affectsVerdict', () => {
  it.each<[string, EvidenceGroup, boolean]>([
    ['tests', groupOf({ kind: 'unit_tests' }), true],
    ['coverage', groupOf({ kind: 'coverage' }), true],
    ['a document without checks', groupOf({ kind: 'custom' }), false],
    ['a document that reports a failure', groupOf({ kind: 'custom', failures }), true],
    ['documents of which one reports a failure', groupOf({ kind: 'custom' }, { kind: 'custom', failures }), true],
    ['a kind that the policy requires', groupOf({ kind: 'manual' }), true],
    ['another kind that the policy requires', groupOf({ kind: 'sbom' }), true],
  ])('decides whether an evidence group affects the verdict: %s', (_name, group, expected) => {
    expect(affectsVerdict(group, [{ kind: 'manual' }, { kind: 'sbom' }])).toBe(expected);
  });

  it('returns false for a document that no policy requires', () => {
    expect(affectsVerdict(groupOf({ kind: 'manual' }), [])).toBe(false);
  });
});
