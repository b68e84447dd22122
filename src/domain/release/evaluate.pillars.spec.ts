import { describe, expect, it } from '@jest/globals';
import { FAILURE_CASES } from '../../../test/support/gate-pillars.js';
import { givenOpenRelease } from '../../../test/support/given-release.js';
import { FACT_LIFETIME_MS, type Observation } from '../facts/facts.js';
import { evaluate } from './evaluate.js';

describe('what an open gate rests on', () => {
  it('stands open in the world where everything is known, fresh and green', () => {
    const world = givenOpenRelease();
    expect(world.reasons()).toEqual([]);
    expect(world.isOpen()).toBe(true);
  });

  it.each(FAILURE_CASES)('closes for one thing alone: $name', ({ spoil }) => {
    const world = givenOpenRelease();
    spoil(world);
    expect(world.isOpen()).toBe(false);
  });

  it('rests on every fact that it was given, and closes without any one of them or when it is old', () => {
    for (const { kind, key } of givenOpenRelease().observations()) {
      // The author's own permission is the one fact that nobody needs.
      if (kind === 'permission' && key === 'author') continue;
      expect([kind, key, givenOpenRelease().forget(kind, key).isOpen()]).toEqual([kind, key, false]);
      const minutes = FACT_LIFETIME_MS[kind] / 60_000;
      if (!Number.isFinite(minutes)) continue;
      expect([kind, key, givenOpenRelease().age(kind, key, minutes).isOpen()]).toEqual([kind, key, false]);
      expect([
        kind,
        key,
        givenOpenRelease()
          .age(kind, key, minutes - 0.01)
          .isOpen(),
      ]).toEqual([kind, key, true]);
    }
  });

  it('says until when it stands open: the expiry of the first fact to expire', () => {
    const world = givenOpenRelease().age('team', 'release-managers', 2);
    const { gate } = world.verdict();
    expect(gate.openUntil).toBe(world.now.getTime() + 3 * 60_000);
    expect(gate.validUntil).toBe(gate.openUntil);
  });

  it('closes for facts or a clock that have no time', () => {
    const world = givenOpenRelease();
    const broken = world.observations().map((known): Observation => ({ ...known, observedAt: new Date(Number.NaN) }));
    expect(evaluate({ ...world.inputs(), observations: broken }).gate.openUntil).toBeNull();
    expect(evaluate({ ...world.inputs(), now: new Date(Number.NaN) }).gate.openUntil).toBeNull();
  });
});
