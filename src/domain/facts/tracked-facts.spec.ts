import { describe, expect, it } from '@jest/globals';
import { NOW, comparison, sha } from '../../../test/support/given-facts.js';
import type { Observation } from './facts.js';
import { TrackedFacts } from './tracked-facts.js';

const MINUTE = 60_000;
const [A, B] = [sha('a'), sha('b')];
const minutesAgo = (minutes: number): Date => new Date(NOW.getTime() - minutes * MINUTE);
const team = (observedAt: Date): Observation => ({
  kind: 'team',
  key: 'leads',
  value: { exists: true, userIds: [1] },
  observedAt,
});
const history = (observedAt: Date): Observation => ({ kind: 'history', key: A, value: [], observedAt });
const compared = (observedAt: Date): Observation => ({
  kind: 'comparison',
  key: `${A}...${B}`,
  value: comparison(A),
  observedAt,
});

describe('TrackedFacts', () => {
  it('lists the facts that were read, known or not, each once and in that order', () => {
    const facts = new TrackedFacts([team(NOW), history(NOW)]);
    facts.read('reviews', '7');
    facts.read('team', 'leads');
    facts.read('reviews', '7');
    expect(facts.keys()).toEqual([
      { kind: 'reviews', key: '7' },
      { kind: 'team', key: 'leads' },
    ]);
    expect(facts.missing()).toEqual([{ kind: 'reviews', key: '7' }]);
    expect(facts.earliestExpiry()).toBe(Number.NEGATIVE_INFINITY);
  });

  it('expires with the first fact that was read, and never without one that can expire', () => {
    const facts = new TrackedFacts([team(minutesAgo(1)), history(minutesAgo(900))]);
    expect(facts.earliestExpiry()).toBe(Number.POSITIVE_INFINITY);
    facts.read('history', A);
    expect(facts.earliestExpiry()).toBe(Number.POSITIVE_INFINITY);
    facts.read('team', 'leads');
    expect(facts.earliestExpiry()).toBe(NOW.getTime() + 4 * MINUTE);
    expect([facts.validUntil('team', 'leads'), facts.validUntil('team', 'others')]).toEqual([
      NOW.getTime() + 4 * MINUTE,
      undefined,
    ]);
  });
});

describe('withMinimumAge', () => {
  const moment = minutesAgo(3).getTime();

  it.each<[string, Observation, boolean, boolean]>([
    ['observed after the given time', team(minutesAgo(2)), true, false],
    ['observed at the given time', team(minutesAgo(3)), true, false],
    ['observed before the given time and not expired yet', team(minutesAgo(4)), false, true],
    ['observed before the given time and expiring now', team(minutesAgo(5)), false, false],
    ['observed before the given time and already expired', team(minutesAgo(6)), false, false],
  ])('returns a fact %s: %s, and requests it again: %s', (_name, observation, known, outdated) => {
    const facts = new TrackedFacts([observation]);
    expect(facts.withMinimumAge(moment, NOW).read('team', 'leads') !== undefined).toBe(known);
    expect(facts.missing()).toEqual(outdated ? [{ kind: 'team', key: 'leads' }] : []);
    const expiry = observation.observedAt.getTime() + 5 * MINUTE;
    expect(facts.earliestExpiry()).toBe(outdated ? Number.NEGATIVE_INFINITY : expiry);
  });

  it('returns facts that never change at any age', () => {
    const facts = new TrackedFacts([history(minutesAgo(900)), compared(minutesAgo(900))]);
    const since = facts.withMinimumAge(moment, NOW);
    expect(since.read('history', A)).toEqual([]);
    expect(since.read('comparison', `${A}...${B}`)).toEqual(comparison(A));
    expect(since.comparison(A, B)).toEqual(comparison(A));
    expect([facts.missing(), facts.earliestExpiry()]).toEqual([[], Number.POSITIVE_INFINITY]);
  });

  it('misses facts that were never observed', () => {
    const facts = new TrackedFacts([]);
    const since = facts.withMinimumAge(moment, NOW);
    expect([since.read('reviews', '7'), since.comparison(A, B)]).toEqual([undefined, undefined]);
    expect(facts.missing()).toEqual([
      { kind: 'reviews', key: '7' },
      { kind: 'comparison', key: `${A}...${B}` },
    ]);
  });
});
