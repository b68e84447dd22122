import { describe, expect, it } from '@jest/globals';
import {
  CANDIDATE,
  NOW,
  PLAIN_POLICY,
  RELEASE_BRANCH,
  STRICT_POLICY,
  policyWith,
  sha,
} from '../../../test/support/given-facts.js';
import { ReleaseBuilder, givenOpenRelease, givenTrunkRelease } from '../../../test/support/release-builder.js';
import type { RefFact } from '../facts/facts.js';

const trunkHead: RefFact = { branch: 'main', sha: CANDIDATE };

const tampered = (release: ReleaseBuilder, ...branches: readonly string[]): ReleaseBuilder =>
  release.recorded({ repository: { ...release.record.repository, tamperedBranches: branches } });

describe('the gate', () => {
  it.each<[string, ReleaseBuilder, readonly string[]]>([
    ["the release's own branch", tampered(givenOpenRelease(), RELEASE_BRANCH), ['tampered']],
    ['another branch', tampered(givenOpenRelease(), 'main', 'release/v9.0.0'), []],
    ['the trunk that it ships from', tampered(givenTrunkRelease(), 'main'), ['tampered']],
  ])('checks tampering on %s', (_name, release, reasons) => {
    expect(release.reasons()).toEqual(reasons);
  });

  it('names each branch with a changed workflow file', () => {
    const [reason] = tampered(givenTrunkRelease(), 'main').verdict().gate.reasons;
    expect(reason?.detail).toBe('A managed workflow file was changed on "main". Restore it.');
  });

  it.each<[string, ReleaseBuilder, readonly RefFact[] | null, readonly string[]]>([
    ['is open when no branch is watched', givenTrunkRelease(), null, []],
    ['is open when the head of its branch was checked', givenTrunkRelease(), [trunkHead], []],
    [
      'is closed when the branch has moved',
      givenTrunkRelease(),
      [{ ...trunkHead, sha: sha('9') }],
      ['workflows_unknown'],
    ],
    ['is closed when only another branch was checked', givenOpenRelease(), [trunkHead], ['workflows_unknown']],
    ['checks its own branch', givenOpenRelease(), [{ branch: RELEASE_BRANCH, sha: CANDIDATE }], []],
  ])('%s', (_name, release, watchedHeads, reasons) => {
    const repository = { ...release.record.repository, watchedHeads };
    expect(release.recorded({ repository }).reasons()).toEqual(reasons);
  });

  it('is closed during a freeze, and names it', () => {
    const freezes = [{ from: '2026-05-01', to: '2026-05-04', reason: 'launch' }];
    const { stage, gate } = givenTrunkRelease().ruledBy(policyWith({ freezes })).verdict();
    expect([stage, gate.openUntil]).toEqual(['DEPLOYMENT', null]);
    expect(gate.reasons.map(({ detail }) => detail)).toEqual([
      'Deployments are frozen from 2026-05-01 to 2026-05-04: launch.',
    ]);
  });

  it('is open until the next freeze at most', () => {
    const freezes = [{ from: '2026-05-05', to: '2026-05-06', reason: 'launch' }];
    const release = givenTrunkRelease().ruledBy(policyWith({ freezes }));
    release.now = new Date('2026-05-04T23:58:00Z');
    const { gate } = release.renew().verdict();
    expect(gate).toEqual({
      openUntil: Date.parse('2026-05-05T00:00:00Z'),
      reasons: [],
      validUntil: Date.parse('2026-05-05T00:00:00Z'),
    });
  });

  it('must be evaluated again at once while a fact is missing, otherwise when the first fact expires', () => {
    expect(givenOpenRelease().deleteFact('team', 'release-managers').verdict().gate.validUntil).toBe(
      Number.NEGATIVE_INFINITY,
    );
    const closed = givenOpenRelease().know('reviews', '7', []).verdict().gate;
    expect([closed.openUntil, closed.validUntil]).toEqual([null, NOW.getTime() + 5 * 60_000]);
  });

  it('names the facts that are missing or stale, each kind once', () => {
    const missing = givenOpenRelease().deleteFact('refs', 'main').verdict().gate.reasons;
    expect(missing.map(({ detail }) => detail)).toContain('Not known yet: the fact "refs" of "main".');
    const stale = givenOpenRelease()
      .age('permission', 'first-reviewer', 5)
      .age('permission', 'second-reviewer', 5)
      .age('policy', '', 20);
    expect(stale.verdict().gate.reasons).toEqual([
      {
        code: 'facts_stale',
        detail: 'These facts from GitHub are too old: policy, permission.',
        actor: 'service',
      },
    ]);
  });

  it('returns all reasons together', () => {
    const freezes = [{ from: '2026-05-04', to: '2026-05-04', reason: 'launch' }];
    const release = givenOpenRelease()
      .ruledBy({ ...STRICT_POLICY, freezes })
      .know('reviews', '7', [])
      .know('milestone', '5', null)
      .age('refs', 'main', 30)
      .recorded({
        repository: { removed: true, withinPlan: false, tamperedBranches: [RELEASE_BRANCH], watchedHeads: null },
      });
    expect(release.reasons()).toEqual([
      'approvals_missing',
      'cancelled',
      'repository_removed',
      'plan_limit',
      'tampered',
      'freeze',
      'facts_stale',
    ]);
  });

  it('opens for a release without extra rules in the policy', () => {
    expect(givenTrunkRelease().ruledBy(PLAIN_POLICY).verdict()).toMatchObject({
      testsPassing: true,
      evidenceApproved: true,
      approvalRequired: true,
      promotion: 'manual',
      missing: [],
    });
  });
});
