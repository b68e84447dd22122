import { describe, expect, it } from '@jest/globals';
import { type Outcome, OUTCOMES } from '../release/outcome.js';
import { countOutcomes, worstOutcome } from './project.js';

const WORST_FIRST: readonly Outcome[] = ['blocked', 'needs_approval', 'in_progress', 'ready_to_deploy'];

describe('the outcome of several releases', () => {
  it('is none where there is none', () => {
    expect(worstOutcome([])).toBeNull();
  });

  it.each(OUTCOMES)('of one release is its own: %s', (outcome) => {
    expect(worstOutcome([outcome])).toBe(outcome);
    expect(worstOutcome([outcome, outcome])).toBe(outcome);
  });

  it.each(WORST_FIRST.flatMap((worse, at) => WORST_FIRST.slice(at + 1).map((better) => [worse, better] as const)))(
    'is %s beside %s, in whichever order they come',
    (worse, better) => {
      expect(worstOutcome([worse, better])).toBe(worse);
      expect(worstOutcome([better, worse])).toBe(worse);
    },
  );

  it('is ready only where every one is', () => {
    for (const other of OUTCOMES.filter((outcome) => outcome !== 'ready_to_deploy')) {
      const outcomes = ['ready_to_deploy', other, 'ready_to_deploy'] as const;
      expect(worstOutcome(outcomes)).not.toBe('ready_to_deploy');
    }
  });
});

describe('the counts of several releases', () => {
  it('are nothing but zeros where there is none', () => {
    expect(countOutcomes([])).toEqual({ all: 0, blocked: 0, needs_approval: 0, ready_to_deploy: 0, in_progress: 0 });
  });

  it('add up', () => {
    const outcomes: readonly Outcome[] = ['blocked', 'in_progress', 'blocked', 'ready_to_deploy', 'needs_approval'];
    const counts = countOutcomes(outcomes);
    expect(counts).toEqual({ all: 5, blocked: 2, needs_approval: 1, ready_to_deploy: 1, in_progress: 1 });
    expect(OUTCOMES.reduce((sum, outcome) => sum + counts[outcome], 0)).toBe(counts.all);
  });
});
