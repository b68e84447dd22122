import { describe, expect, it } from '@jest/globals';
import { FAILURE_CASES } from '../../../test/support/gate-preconditions.js';
import { givenSoakedRelease } from '../../../test/support/release-builder.js';
import { FACT_LIFETIME_MS, type Observation } from '../facts/facts.js';
import { evaluate } from './evaluate.js';

describe('the preconditions of an open gate', () => {
  it('opens the gate when everything is known, fresh and passing', () => {
    const release = givenSoakedRelease();
    expect(release.reasons()).toEqual([]);
    expect(release.isOpen()).toBe(true);
  });

  it.each(FAILURE_CASES)('closes the gate for a single failure: $name', ({ spoil }) => {
    const release = givenSoakedRelease();
    spoil(release);
    expect(release.isOpen()).toBe(false);
  });

  it('closes the gate without any known fact or when it is stale', () => {
    for (const { kind, key } of givenSoakedRelease().observations()) {
      // The permission of the author is the one fact that the gate does not use.
      if (kind === 'permission' && key === 'author') continue;
      expect([kind, key, givenSoakedRelease().deleteFact(kind, key).isOpen()]).toEqual([kind, key, false]);
      const minutes = FACT_LIFETIME_MS[kind] / 60_000;
      if (!Number.isFinite(minutes)) continue;
      expect([kind, key, givenSoakedRelease().age(kind, key, minutes).isOpen()]).toEqual([kind, key, false]);
      expect([
        kind,
        key,
        givenSoakedRelease()
          .age(kind, key, minutes - 0.01)
          .isOpen(),
      ]).toEqual([kind, key, true]);
    }
  });

  it('opens the gate until the first expiry of a fact', () => {
    const release = givenSoakedRelease().age('team', 'release-managers', 2);
    const { gate } = release.verdict();
    expect(gate.openUntil).toBe(release.now.getTime() + 3 * 60_000);
    expect(gate.validUntil).toBe(gate.openUntil);
  });

  it('closes the gate for facts or a clock without a valid time', () => {
    const release = givenSoakedRelease();
    const broken = release.observations().map((known): Observation => ({ ...known, observedAt: new Date(Number.NaN) }));
    expect(evaluate({ ...release.inputs(), observations: broken }).gate.openUntil).toBeNull();
    expect(evaluate({ ...release.inputs(), now: new Date(Number.NaN) }).gate.openUntil).toBeNull();
  });
});
