import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { CANDIDATE, evidenceItem, failingItem, sha } from '../../../test/support/given-facts.js';
import { selectEffectiveEvidence, type EffectiveEvidenceSet, evidenceSetKey } from './effective-evidence-set.js';
import type { EvidenceItem } from './evidence.js';
import { evidenceFailures } from './evidence-status.js';

const MERGE = sha('a');
const at = (minute: number): Date => new Date(Date.UTC(2026, 4, 4, 9, minute));
const holds = (set: EffectiveEvidenceSet): boolean =>
  set.every(({ items }) => items.every((each) => evidenceFailures(each).length === 0));
const decide = (evidence: readonly EvidenceItem[]): EffectiveEvidenceSet =>
  selectEffectiveEvidence(evidence, { sha: CANDIDATE, shas: [CANDIDATE, MERGE] }, holds);

describe('the effective evidence set of any uploads', () => {
  it('returns the same set for any order of the uploads', () => {
    const runs = fc.option(
      fc.record({
        id: fc.constantFrom('7', '8', '10'),
        proven: fc.boolean(),
      }),
    );
    const upload = fc.record({
      red: fc.boolean(),
      job: fc.constantFrom(null, 'a', 'b'),
      run: runs,
      attempt: fc.integer({ min: 1, max: 3 }),
      checkRunId: fc.constantFrom(null, 1, 2),
      commitSha: fc.constantFrom(CANDIDATE, MERGE, sha('b')),
      minute: fc.integer({ min: 0, max: 3 }),
    });
    const uploads = fc.array(upload, { maxLength: 7 }).chain((list) => {
      const items = list.map(({ red, minute, ...rest }, index) =>
        (red ? failingItem : evidenceItem)({
          ...rest,
          id: `upload ${index}`,
          sha256: `sha ${index}`,
          receivedAt: at(minute),
        }),
      );
      return fc.tuple(fc.constant(items), fc.shuffledSubarray(items, { minLength: items.length }));
    });
    const described = (items: readonly EvidenceItem[]): string => evidenceSetKey(CANDIDATE, decide(items));
    fc.assert(
      fc.property(uploads, ([items, shuffled]) => {
        expect(described(shuffled)).toBe(described(items));
      }),
      { numRuns: 3_000 },
    );
  });

  it('accepts more uploads than a function accepts arguments', () => {
    const [one] = [evidenceItem({ run: null, job: null })];
    const many = Array.from({ length: 200_000 }, () => one).filter((upload) => upload !== undefined);
    expect(decide(many)[0]?.items).toHaveLength(200_000);
  });
});
