import { describe, expect, it } from '@jest/globals';
import { evidenceItem } from '../../../test/support/given-facts.js';
import { type EffectiveEvidenceSet, MAX_OTHER_ITEMS, selectVisibleItems } from './effective-evidence-set.js';
import type { EvidenceItem } from './evidence.js';

const upload = (id: string, changes: Partial<EvidenceItem> = {}): EvidenceItem =>
  evidenceItem({ id: `${id}/unit_tests`, ...changes });
const setOf = (...items: readonly EvidenceItem[]): EffectiveEvidenceSet => [
  { pipeline: 'build', kind: 'unit_tests', environment: 'ci', items, flaky: false, provenRun: null },
];

describe('selectVisibleItems', () => {
  it('returns the newest items first, with whether they decide', () => {
    const [older, newer] = [upload('a'), upload('b')];
    expect(selectVisibleItems([older, newer], setOf(older))).toEqual([
      { item: newer, evidenceId: 'b', status: 'passed', decides: false },
      { item: older, evidenceId: 'a', status: 'passed', decides: true },
    ]);
  });

  it('returns all deciding items and 200 of the others', () => {
    const deciding = ['first', 'second'].map((id) => upload(id));
    const others = Array.from({ length: MAX_OTHER_ITEMS + 5 }, (_, at) => upload(`other ${at}`));
    const visible = selectVisibleItems([...deciding, ...others], setOf(...deciding)).map(
      ({ evidenceId }) => evidenceId,
    );
    expect(visible).toHaveLength(MAX_OTHER_ITEMS + 2);
    expect([visible[0], visible[MAX_OTHER_ITEMS - 1]]).toEqual(['other 204', 'other 5']);
    expect(visible.slice(MAX_OTHER_ITEMS)).toEqual(['second', 'first']);
  });

  it('derives the status of each item from the item itself', () => {
    const failed = upload('a', { failures: ['it ended too early'] });
    expect(selectVisibleItems([failed], [])).toMatchObject([{ status: 'failed', decides: false }]);
  });
});
