import { describe, expect, it } from '@jest/globals';
import { piece } from '../../../test/support/given-facts.js';
import { type EvidenceGroup, affectsVerdict } from './effective-evidence-set.js';
import type { EvidenceItem } from './evidence.js';

const slotOf = (...all: readonly [Partial<EvidenceItem>, ...Partial<EvidenceItem>[]]): EvidenceGroup => {
  const items = all.map((changes) => piece({ metrics: {}, ...changes }));
  return {
    pipeline: 'ci',
    kind: all[0].kind ?? 'custom',
    environment: 'ci',
    flaky: false,
    provenRun: null,
    pieces: items,
  };
};
const failures = ['cut short'];

describe('weighs', () => {
  it.each<[string, EvidenceGroup, boolean]>([
    ['tests', slotOf({ kind: 'unit_tests' }), true],
    ['coverage', slotOf({ kind: 'coverage' }), true],
    ['a document for people', slotOf({ kind: 'custom' }), false],
    ['a document that says that it failed', slotOf({ kind: 'custom', failures }), true],
    ['documents of which one says so', slotOf({ kind: 'custom' }, { kind: 'custom', failures }), true],
    ['what the policy asks for', slotOf({ kind: 'manual' }), true],
    ['what it asks for besides', slotOf({ kind: 'sbom' }), true],
  ])('tells of %s', (_name, slot, expected) => {
    expect(affectsVerdict(slot, [{ kind: 'manual' }, { kind: 'sbom' }])).toBe(expected);
  });

  it('is no document that no policy asks for', () => {
    expect(affectsVerdict(slotOf({ kind: 'manual' }), [])).toBe(false);
  });
});
