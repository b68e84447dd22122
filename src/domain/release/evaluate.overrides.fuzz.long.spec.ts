import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { ADA, BOB } from '../../../test/support/given-overrides.js';
import {
  CANDIDATE,
  NOW,
  PULL_NUMBER,
  RELEASE_BRANCH,
  check,
  issue,
  milestone,
  failingItem,
  sha,
} from '../../../test/support/given-facts.js';
import { givenOpenRelease, type ReleaseBuilder } from '../../../test/support/release-builder.js';
import { CONDITION_CODES } from '../facts/condition-catalogue.js';
import { allowsBreakGlass, validateWaivable } from '../override/applied-overrides.js';
import type { ReleaseOverrides } from '../override/override.js';

const HOUR_MS = 3_600_000;
const at = (hours: number): Date => new Date(NOW.getTime() + hours * HOUR_MS);

/** Failures of a release whose gate would be open otherwise. */
const faults: readonly ((release: ReleaseBuilder) => ReleaseBuilder)[] = [
  (release) =>
    release.know('checks', CANDIDATE, [check('build', { state: 'failure' }), check('e2e', { state: 'failure' })]),
  (release) => release.know('checks', CANDIDATE, [check('build'), check('e2e', { state: 'pending' })]),
  (release) =>
    release.know('issues', '5', [issue({ state: 'open' }), issue({ number: 12, state: 'open', assignees: [] })]),
  (release) => release.know('issues', '5', []),
  (release) => release.uploaded(failingItem({ run: { id: '101', proven: true } })),
  (release) => release.know('reviews', String(PULL_NUMBER), []),
  (release) => release.know('milestone', '5', milestone({ title: 'v9.9.9' })),
  (release) => release.know('milestone', '5', null),
  (release) => release.know('policy', '', { status: 'missing', defaultBranch: 'main' }),
  (release) => release.deleteFact('refs', 'main'),
  (release) => release.age('checks', CANDIDATE, 30),
  (release) => release.recorded({ repository: { ...release.record.repository, tamperedBranches: [RELEASE_BRANCH] } }),
  (release) => release.recorded({ repository: { ...release.record.repository, withinPlan: false } }),
  (release) => release.recorded({ repository: { ...release.record.repository, removed: true } }),
];

const user = fc.constantFrom(ADA, BOB, { ...ADA, login: 'other-login' });
const twoUsers = {
  id: fc.uuid(),
  reason: fc.string(),
  requestedBy: user,
  confirmedBy: fc.option(user),
  confirmedAt: fc.option(fc.integer({ min: -9, max: 2 }).map(at)),
  expiresAt: fc.integer({ min: -2, max: 9 }).map(at),
};
const commit = fc.constantFrom(CANDIDATE, CANDIDATE, sha('b'));
/** Returns overrides whose waivers name unmet conditions, so that they do not miss these by chance. */
const overridesAgainst = (release: ReleaseBuilder): fc.Arbitrary<ReleaseOverrides> => {
  const { unmet, unmetLater, gate } = release.verdict();
  const subjects = [...unmet, ...unmetLater, ...gate.reasons].flatMap((condition) => condition.subjects ?? []);
  const waiver = {
    ...twoUsers,
    condition: fc.constantFrom(...CONDITION_CODES),
    subjects: fc.constantFrom(subjects, subjects.slice(1), []),
    candidateSha: commit,
  };
  return fc.record({
    freezes: fc.subarray([
      { from: '2026-05-01', to: '2026-05-04', reason: 'launch' },
      { from: '2026-05-05', to: '2026-05-06', reason: 'audit' },
    ]),
    waivers: fc.array(fc.record(waiver), { maxLength: 12 }),
    breakGlasses: fc.array(fc.record({ ...twoUsers, sha: commit }), { maxLength: 3 }),
  });
};
const withFaults = (which: readonly number[]): ReleaseBuilder =>
  which.reduce((release, fault) => faults[fault]?.(release) ?? release, givenOpenRelease());
const someFaults = fc.subarray([...faults.keys()], { maxLength: 4 });

describe('overrides and freezes', () => {
  it('opens the gate only with two users, within their time, for the candidate and for allowed conditions', () => {
    let opened = 0;
    const cases = someFaults.chain((which) => overridesAgainst(withFaults(which)).map((given) => ({ which, given })));
    fc.assert(
      fc.property(cases, ({ which, given }) => {
        const before = withFaults(which).verdict();
        const { gate, overrides } = withFaults(which).decided(given).verdict();
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
    // The property would also hold for a gate that never opens.
    expect(opened).toBeGreaterThan(20);
  });

  it('closes the gate only by a freeze', () => {
    const cases = someFaults.chain((which) => overridesAgainst(withFaults(which)).map((given) => ({ which, given })));
    fc.assert(
      fc.property(cases, ({ which, given }) => {
        const without = withFaults(which)
          .decided({ ...given, freezes: [] })
          .isOpen();
        const { gate } = withFaults(which).decided(given).verdict();
        if (without && gate.openUntil === null) expect(gate.reasons.map(({ code }) => code)).toContain('freeze');
      }),
      { numRuns: 1_000 },
    );
  });
});
