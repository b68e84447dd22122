import { describe, expect, it } from '@jest/globals';
import { type ModelStep, playHistories } from '../../../test/support/soak-model.js';
import { TrackedFacts } from '../facts/tracked-facts.js';
import { type CompletedSoak, evaluateSoak } from './environment-soak.js';

const MARGIN_MS = 2 * 60_000;

describe('a soak, for any history of its environment', () => {
  it('is completed only by what the text counts, and by nothing that time alone changes', () => {
    const counts = { completed: 0, running: 0, absent: 0, unproven: 0, unknown: 0, demanded: 0 };
    let completed: CompletedSoak[] = [];
    const evaluate = ({ model, candidate, soakMs }: ModelStep): void => {
      const observation = model.observation();
      const facts = new TrackedFacts(observation ? [observation] : []);
      const input = { candidate, completed, reports: model.reports(), now: new Date(model.now) };
      const state = evaluateSoak({ environment: 'Staging', soakMs }, input, facts);
      counts[state.kind] += 1;
      const longest = model.longestKnownStay(candidate.sha);
      if (state.kind === 'completed') {
        if (longest === null || longest < soakMs) throw new Error(`Completed after ${longest} of ${soakMs}.`);
        if (state.isNew) completed.push(state.soak);
      }
      const isFresh = observation?.observedAt.getTime() === model.now;
      // The candidate without its equivalent commits does not know that they are equivalent.
      const present = isFresh && candidate.shas.length > 1 ? model.presentKnownStay(candidate.sha) : null;
      if (present === null || present < soakMs + MARGIN_MS) return;
      counts.demanded += 1;
      if (state.kind !== 'completed') throw new Error(`Not completed after ${present} of ${soakMs}: ${state.kind}.`);
    };
    playHistories(20_000, 20_261_201, {
      begin: () => {
        completed = [];
      },
      evaluate,
    });
    for (const count of Object.values(counts)) expect(count).toBeGreaterThan(1000);
  });
});
