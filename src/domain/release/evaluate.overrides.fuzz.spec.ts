import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { ADA, BOB } from '../../../test/support/given-acts.js';
import {
  CANDIDATE,
  NOW,
  PULL_NUMBER,
  RELEASE_BRANCH,
  check,
  issue,
  milestone,
  redPiece,
  sha,
} from '../../../test/support/given-facts.js';
import { givenOpenRelease, type ReleaseBuilder } from '../../../test/support/given-release.js';
import { allowsBreakGlass, OVERRIDE_RULES, validateWaivable } from '../override/applied-overrides.js';
import type { ReleaseOverrides } from '../override/override.js';

const HOUR_MS = 3_600_000;
const at = (hours: number): Date => new Date(NOW.getTime() + hours * HOUR_MS);

/** What may be wrong with a release whose gate would be open. */
const faults: readonly ((world: ReleaseBuilder) => ReleaseBuilder)[] = [
  (world) =>
    world.know('checks', CANDIDATE, [check('build', { state: 'failure' }), check('e2e', { state: 'failure' })]),
  (world) => world.know('checks', CANDIDATE, [check('build'), check('e2e', { state: 'pending' })]),
  (world) => world.know('issues', '5', [issue({ state: 'open' }), issue({ number: 12, state: 'open', assignees: [] })]),
  (world) => world.know('issues', '5', []),
  (world) => world.uploaded(redPiece({ run: { id: '101', proven: true } })),
  (world) => world.know('reviews', String(PULL_NUMBER), []),
  (world) => world.know('milestone', '5', milestone({ title: 'v9.9.9' })),
  (world) => world.know('milestone', '5', null),
  (world) => world.know('policy', '', { status: 'missing', defaultBranch: 'main' }),
  (world) => world.forget('refs', 'main'),
  (world) => world.age('checks', CANDIDATE, 30),
  (world) => world.recorded({ repository: { ...world.record.repository, tamperedBranches: [RELEASE_BRANCH] } }),
  (world) => world.recorded({ repository: { ...world.record.repository, withinPlan: false } }),
  (world) => world.recorded({ repository: { ...world.record.repository, removed: true } }),
];

const user = fc.constantFrom(ADA, BOB, { ...ADA, login: 'somebody-else' });
const twoPeople = {
  id: fc.uuid(),
  reason: fc.string(),
  requestedBy: user,
  confirmedBy: fc.option(user),
  confirmedAt: fc.option(fc.integer({ min: -9, max: 2 }).map(at)),
  expiresAt: fc.integer({ min: -2, max: 9 }).map(at),
};
const commit = fc.constantFrom(CANDIDATE, CANDIDATE, sha('b'));
/** Acts of which waivers name what is unmet, so that they do not miss it by chance. */
const actsAgainst = (world: ReleaseBuilder): fc.Arbitrary<ReleaseOverrides> => {
  const { unmet, unmetLater, gate } = world.verdict();
  const details = [...unmet, ...unmetLater, ...gate.reasons].map(({ detail }) => detail);
  const waiver = {
    ...twoPeople,
    condition: fc.constantFrom(...OVERRIDE_RULES.keys()),
    details: fc.constantFrom(details, details.slice(1), []),
    candidateSha: commit,
  };
  return fc.record({
    freezes: fc.subarray([
      { from: '2026-05-01', to: '2026-05-04', reason: 'launch' },
      { from: '2026-05-05', to: '2026-05-06', reason: 'audit' },
    ]),
    waivers: fc.array(fc.record(waiver), { maxLength: 12 }),
    breakGlasses: fc.array(fc.record({ ...twoPeople, sha: commit }), { maxLength: 3 }),
  });
};
const spoilt = (which: readonly number[]): ReleaseBuilder =>
  which.reduce((world, fault) => faults[fault]?.(world) ?? world, givenOpenRelease());
const someFaults = fc.subarray([...faults.keys()], { maxLength: 4 });

describe('what admins decide', () => {
  it('opens nothing without two people, before or after its time, for another commit, or out of reach', () => {
    let opened = 0;
    const worlds = someFaults.chain((which) => actsAgainst(spoilt(which)).map((acts) => ({ which, acts })));
    fc.assert(
      fc.property(worlds, ({ which, acts }) => {
        const before = spoilt(which).verdict();
        const { gate, overrides } = spoilt(which).decided(acts).verdict();
        for (const { kind, requestedBy, confirmedBy, expiresAt, conditions } of overrides) {
          expect(requestedBy.id).not.toBe(confirmedBy.id);
          expect(expiresAt.getTime()).toBeGreaterThan(NOW.getTime());
          if (gate.openUntil !== null) expect(gate.openUntil).toBeLessThanOrEqual(expiresAt.getTime());
          for (const { code } of conditions) {
            expect([code, kind === 'waiver' ? validateWaivable(code) === null : allowsBreakGlass(code)]).toEqual([
              code,
              true,
            ]);
          }
        }
        if (gate.openUntil === null) return;
        expect(before.gate.reasons.filter(({ code }) => !allowsBreakGlass(code))).toEqual([]);
        if (before.gate.openUntil !== null) return;
        opened += 1;
        expect(overrides).not.toEqual([]);
      }),
      { numRuns: 3_000 },
    );
    // The property would hold of a gate that never opens, too.
    expect(opened).toBeGreaterThan(20);
  });

  it('closes only what a freeze closes', () => {
    const worlds = someFaults.chain((which) => actsAgainst(spoilt(which)).map((acts) => ({ which, acts })));
    fc.assert(
      fc.property(worlds, ({ which, acts }) => {
        const without = spoilt(which)
          .decided({ ...acts, freezes: [] })
          .isOpen();
        const { gate } = spoilt(which).decided(acts).verdict();
        if (without && gate.openUntil === null) expect(gate.reasons.map(({ code }) => code)).toContain('freeze');
      }),
      { numRuns: 1_000 },
    );
  });
});
