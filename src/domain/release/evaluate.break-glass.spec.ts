import { describe, expect, it } from '@jest/globals';
import { ADA, BOB, brokenGlass, waiver } from '../../../test/support/given-acts.js';
import { CANDIDATE, NOW, PULL_NUMBER, issue, sha } from '../../../test/support/given-facts.js';
import { givenOpenRelease } from '../../../test/support/given-release.js';
import { FREEZE, FROZEN, releaseWithProblem } from '../../../test/support/spoiled-release.js';
import type { Condition } from '../facts/condition.js';

const number = String(PULL_NUMBER);
const HOUR_MS = 3_600_000;

describe('break-glass', () => {
  it.each(['evidence_missing', 'approvals_missing', 'check_failing', 'freeze'])(
    'opens the gate against %s, and moves no stage',
    (code) => {
      const stage = releaseWithProblem(code).verdict().stage;
      const world = releaseWithProblem(code).decided({ breakGlasses: [brokenGlass()] });
      const { gate, overrides, testsPassing } = world.verdict();
      expect([world.verdict().stage, world.isOpen(), gate.reasons]).toEqual([stage, true, []]);
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
  ])('opens nothing against %s', (code) => {
    const before = releaseWithProblem(code).verdict().gate;
    const world = releaseWithProblem(code).decided({ breakGlasses: [brokenGlass()] });
    expect([before.openUntil, world.verdict().gate.openUntil, world.verdict().overrides]).toEqual([null, null, []]);
    expect(world.verdict().gate.reasons).toEqual(before.reasons);
  });

  it('opens nothing against two branches of the release, of which none is the candidate', () => {
    const world = releaseWithProblem('two_release_branches').decided({ breakGlasses: [brokenGlass()] });
    expect([world.isOpen(), world.verdict().overrides]).toEqual([false, []]);
  });

  it('answers for what keeps the release in a later stage too', () => {
    const world = givenOpenRelease()
      .know('issues', '5', [issue({ state: 'open' })])
      .know('reviews', number, [])
      .decided({ breakGlasses: [brokenGlass()] });
    expect(world.verdict().overrides[0]?.conditions.map(({ code }) => code)).toEqual([
      'issue_open',
      'approvals_missing',
    ]);
    world.forget('checks', CANDIDATE);
    expect([world.verdict().stage, world.isOpen()]).toEqual(['DEVELOPMENT', false]);
  });

  it('needs no approval that was never asked for', () => {
    const world = releaseWithProblem('evidence_missing')
      .recorded({ evidencePull: null })
      .decided({ breakGlasses: [brokenGlass()] });
    expect([world.isOpen(), world.verdict().approval]).toEqual([true, null]);
  });

  it.each<[string, Parameters<typeof brokenGlass>[0]]>([
    ['nobody confirmed', { confirmedBy: null, confirmedAt: null }],
    ['its requester confirmed', { confirmedBy: ADA }],
    ['is over', { expiresAt: NOW }],
    ['was confirmed by a clock that is ahead', { confirmedAt: new Date(NOW.getTime() + HOUR_MS) }],
    ['is of a commit that is not the candidate', { sha: sha('b') }],
  ])('that %s opens nothing', (_name, changes) => {
    const world = releaseWithProblem('approvals_missing').decided({ breakGlasses: [brokenGlass(changes)] });
    expect([world.isOpen(), world.reasons(), world.verdict().overrides]).toEqual([false, ['approvals_missing'], []]);
  });

  it('that stands beside one of an earlier candidate is found', () => {
    const world = releaseWithProblem('approvals_missing').decided({
      breakGlasses: [brokenGlass({ id: 'glass-0', sha: sha('b') }), brokenGlass()],
    });
    expect(world.isOpen()).toBe(true);
  });

  it('is used by no gate that stands open without it', () => {
    const { gate, overrides } = givenOpenRelease()
      .decided({ breakGlasses: [brokenGlass()] })
      .verdict();
    expect([gate.reasons, overrides]).toEqual([[], []]);
  });

  it('holds to its end and no longer', () => {
    const world = releaseWithProblem('approvals_missing').decided({
      breakGlasses: [brokenGlass({ expiresAt: new Date(NOW.getTime() + 60_000) })],
    });
    expect(world.verdict().gate).toEqual({
      openUntil: NOW.getTime() + 60_000,
      reasons: [],
      validUntil: NOW.getTime() + 60_000,
    });
    expect(world.later(1).isOpen()).toBe(false);
  });

  it('is worth nothing once the release is shipped, and neither is a waiver', () => {
    const shipped = {
      candidateSha: CANDIDATE,
      candidateShas: [CANDIDATE],
      testsPassing: false,
      evidenceApproved: true,
      approvalRequired: true,
    };
    const acts = {
      breakGlasses: [brokenGlass()],
      waivers: [waiver({ condition: 'freeze', details: [FROZEN] })],
      freezes: [FREEZE],
    };
    const world = givenOpenRelease().recorded({ stage: 'DEPLOYED', shipped }).decided(acts);
    expect([world.reasons(), world.verdict().overrides]).toEqual([['not_ready', 'freeze'], []]);
  });
});
