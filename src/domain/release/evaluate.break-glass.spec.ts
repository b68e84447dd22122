import { describe, expect, it } from '@jest/globals';
import { ADA, BOB, brokenGlass, waiver } from '../../../test/support/given-overrides.js';
import { CANDIDATE, NOW, PULL_NUMBER, issue, sha } from '../../../test/support/given-facts.js';
import { givenOpenRelease } from '../../../test/support/release-builder.js';
import { FREEZE, FROZEN_SUBJECT, releaseWithProblem } from '../../../test/support/release-with-problem.js';
import type { Condition } from '../facts/condition.js';

const number = String(PULL_NUMBER);
const HOUR_MS = 3_600_000;

describe('break-glass', () => {
  it.each(['evidence_missing', 'approvals_missing', 'check_failing', 'freeze'])(
    'opens the gate for %s and does not change the stage',
    (code) => {
      const stage = releaseWithProblem(code).verdict().stage;
      const release = releaseWithProblem(code).decided({ breakGlasses: [brokenGlass()] });
      const { gate, overrides, testsPassing } = release.verdict();
      expect([release.verdict().stage, release.isOpen(), gate.reasons]).toEqual([stage, true, []]);
      expect(testsPassing).toBe(releaseWithProblem(code).verdict().testsPassing);
      expect(overrides).toMatchObject([{ kind: 'break_glass', id: 'glass-1', requestedBy: ADA, confirmedBy: BOB }]);
      expect(overrides[0]?.conditions.map((condition: Condition) => condition.code)).toContain(code);
    },
  );

  it.each([
    'tampered',
    'unknown',
    'facts_stale',
    'policy_unknown',
    'policy_invalid',
    'plan_limit',
    'cancelled',
    'milestone_renamed',
    'repository_removed',
    'workflows_unknown',
  ])('does not open the gate for %s', (code) => {
    const before = releaseWithProblem(code).verdict().gate;
    const release = releaseWithProblem(code).decided({ breakGlasses: [brokenGlass()] });
    expect([before.openUntil, release.verdict().gate.openUntil, release.verdict().overrides]).toEqual([null, null, []]);
    expect(release.verdict().gate.reasons).toEqual(before.reasons);
  });

  it('does not open the gate when two branches leave no candidate', () => {
    const release = releaseWithProblem('two_release_branches').decided({ breakGlasses: [brokenGlass()] });
    expect([release.isOpen(), release.verdict().overrides]).toEqual([false, []]);
  });

  it('covers the conditions of later stages, too', () => {
    const release = givenOpenRelease()
      .know('issues', '5', [issue({ state: 'open' })])
      .know('reviews', number, [])
      .decided({ breakGlasses: [brokenGlass()] });
    expect(release.verdict().overrides[0]?.conditions.map(({ code }) => code)).toEqual([
      'issue_open',
      'approvals_missing',
    ]);
    release.deleteFact('checks', CANDIDATE);
    expect([release.verdict().stage, release.isOpen()]).toEqual(['DEVELOPMENT', false]);
  });

  it('needs no approval if none was requested', () => {
    const release = releaseWithProblem('evidence_missing')
      .recorded({ evidencePull: null })
      .decided({ breakGlasses: [brokenGlass()] });
    expect([release.isOpen(), release.verdict().approval]).toEqual([true, null]);
  });

  it.each<[string, Parameters<typeof brokenGlass>[0]]>([
    ['is not confirmed', { confirmedBy: null, confirmedAt: null }],
    ['is confirmed by its requester', { confirmedBy: ADA }],
    ['is expired', { expiresAt: NOW }],
    ['is confirmed in the future', { confirmedAt: new Date(NOW.getTime() + HOUR_MS) }],
    ['is for a commit that is not the candidate', { sha: sha('b') }],
  ])('does not open the gate with a break-glass that %s', (_name, changes) => {
    const release = releaseWithProblem('approvals_missing').decided({ breakGlasses: [brokenGlass(changes)] });
    expect([release.isOpen(), release.reasons(), release.verdict().overrides]).toEqual([
      false,
      ['approvals_missing'],
      [],
    ]);
  });

  it('is found if there is also one of an earlier candidate', () => {
    const release = releaseWithProblem('approvals_missing').decided({
      breakGlasses: [brokenGlass({ id: 'glass-0', sha: sha('b') }), brokenGlass()],
    });
    expect(release.isOpen()).toBe(true);
  });

  it('is not used when the gate is open without it', () => {
    const { gate, overrides } = givenOpenRelease()
      .decided({ breakGlasses: [brokenGlass()] })
      .verdict();
    expect([gate.reasons, overrides]).toEqual([[], []]);
  });

  it('opens the gate until its end', () => {
    const release = releaseWithProblem('approvals_missing').decided({
      breakGlasses: [brokenGlass({ expiresAt: new Date(NOW.getTime() + 60_000) })],
    });
    expect(release.verdict().gate).toEqual({
      openUntil: NOW.getTime() + 60_000,
      reasons: [],
      validUntil: NOW.getTime() + 60_000,
    });
    expect(release.later(1).isOpen()).toBe(false);
  });

  it('does not change a shipped release, and neither does a waiver', () => {
    const shipped = {
      candidateSha: CANDIDATE,
      candidateShas: [CANDIDATE],
      testsPassing: false,
      evidenceApproved: true,
      approvalRequired: true,
      passed: false,
    };
    const overrides = {
      breakGlasses: [brokenGlass()],
      waivers: [waiver({ condition: 'freeze', subjects: [FROZEN_SUBJECT] })],
      freezes: [FREEZE],
    };
    const release = givenOpenRelease().recorded({ stage: 'DEPLOYED', shipped }).decided(overrides);
    expect([release.reasons(), release.verdict().overrides]).toEqual([['not_ready', 'freeze'], []]);
  });
});
