import { describe, expect, it } from '@jest/globals';
import { type Outcome, OUTCOMES, countOutcomes, worstOutcome } from './outcome.js';

const WORST_FIRST: readonly Outcome[] = ['blocked', 'needs_approval', 'in_progress', 'ready_to_deploy'];

describe('worstOutcome', () => {
  it('returns null without releases', () => {
    expect(worstOutcome([])).toBeNull();
  });

  it.each(OUTCOMES)('returns the outcome of one release: %s', (outcome) => {
    expect(worstOutcome([outcome])).toBe(outcome);
    expect(worstOutcome([outcome, outcome])).toBe(outcome);
  });

  it.each(WORST_FIRST.flatMap((worse, at) => WORST_FIRST.slice(at + 1).map((better) => [worse, better] as const)))(
    'returns %s before %s, in any order',
    (worse, better) => {
      expect(worstOutcome([worse, better])).toBe(worse);
      expect(worstOutcome([better, worse])).toBe(worse);
    },
  );

  it('returns ready_to_deploy only if every release is ready', () => {
    for (const other of OUTCOMES.filter((outcome) => outcome !== 'ready_to_deploy')) {
      const outcomes = ['ready_to_deploy', other, 'ready_to_deploy'] as const;
      expect(worstOutcome(outcomes)).not.toBe('ready_to_deploy');
    }
  });
});

describe('countOutcomes', () => {
  it('returns zeros without releases', () => {
    expect(countOutcomes([])).toEqual({ all: 0, blocked: 0, needs_approval: 0, ready_to_deploy: 0, in_progress: 0 });
  });

  it('returns counts that add up', () => {
    const outcomes: readonly Outcome[] = ['blocked', 'in_progress', 'blocked', 'ready_to_deploy', 'needs_approval'];
    const counts = countOutcomes(outcomes);
    expect(counts).toEqual({ all: 5, blocked: 2, needs_approval: 1, ready_to_deploy: 1, in_progress: 1 });
    expect(OUTCOMES.reduce((sum, outcome) => sum + counts[outcome], 0)).toBe(counts.all);
  });
});
