import { describe, expect, it } from '@jest/globals';
import { ADA, BOB, brokenGlass, waiver } from '../../../test/support/given-acts.js';
import {
  CANDIDATE,
  NOW,
  PULL_NUMBER,
  RELEASE_BRANCH,
  STRICT_POLICY,
  VERSION,
  check,
  issue,
  milestone,
  policyWith,
  redPiece,
  sameButForEvidence,
  sha,
} from '../../../test/support/given-facts.js';
import { givenOpenRelease, type GivenRelease } from '../../../test/support/given-release.js';
import type { Condition } from './stage.js';

const number = String(PULL_NUMBER);
const HOUR_MS = 3_600_000;
const FREEZE = { from: '2026-05-01', to: '2026-05-04', reason: 'launch' };
const FROZEN = 'Deployments are frozen from 2026-05-01 to 2026-05-04: launch.';
const FAILING = 'The required check "e2e" of github-actions failed.';

const redCheck = (world = givenOpenRelease()): GivenRelease =>
  world.know('checks', CANDIDATE, [check('build'), check('e2e', { state: 'failure' })]);
const checkWaiver = (changes: Parameters<typeof waiver>[0] = {}) =>
  waiver({ condition: 'check_failing', details: [FAILING], ...changes });
const standingOf = (world: GivenRelease): readonly unknown[] => [
  world.verdict().stage,
  world.reasons(),
  world.isOpen(),
];

describe('a freeze of the workspace', () => {
  it('closes the gate as one of the policy does, and says which', () => {
    const { stage, gate } = givenOpenRelease()
      .decided({ freezes: [FREEZE] })
      .verdict();
    expect([stage, gate.openUntil, gate.reasons]).toEqual([
      'DEPLOYMENT',
      null,
      [{ code: 'freeze', detail: FROZEN, actor: 'admin' }],
    ]);
  });

  it('is said once beside one of the policy, and each where they differ', () => {
    const world = givenOpenRelease().ruledBy({ ...STRICT_POLICY, freezes: [FREEZE] });
    expect(world.decided({ freezes: [FREEZE] }).verdict().gate.reasons).toHaveLength(1);
    expect(world.decided({ freezes: [{ ...FREEZE, reason: 'audit' }] }).verdict().gate.reasons).toHaveLength(2);
  });

  it('bounds how long an answer holds', () => {
    const world = givenOpenRelease();
    world.now = new Date('2026-05-04T23:59:00Z');
    const next = { ...FREEZE, from: '2026-05-05', to: '2026-05-06' };
    expect(
      world
        .renew()
        .decided({ freezes: [next] })
        .verdict().gate.openUntil,
    ).toBe(Date.parse('2026-05-05'));
    expect(world.decided({ freezes: [FREEZE] }).verdict().gate.validUntil).toBe(Date.parse('2026-05-05'));
  });

  it('closes the gate of a shipped release too', () => {
    const shipped = {
      candidateSha: CANDIDATE,
      candidateShas: [CANDIDATE],
      testsPassing: true,
      evidenceApproved: true,
      approvalRequired: true,
    };
    const world = givenOpenRelease().recorded({ stage: 'DEPLOYED', shipped });
    expect(world.isOpen()).toBe(true);
    expect(world.decided({ freezes: [FREEZE] }).reasons()).toEqual(['freeze']);
  });
});

describe('a waiver', () => {
  it('lets the release go on without the condition, and makes no test pass', () => {
    expect(standingOf(redCheck())).toEqual(['TESTING', ['check_failing'], false]);
    const world = redCheck().decided({ waivers: [checkWaiver()] });
    const { testsPassing, overrides, unmet } = world.verdict();
    expect(standingOf(world)).toEqual(['DEPLOYMENT', [], true]);
    expect(testsPassing).toBe(false);
    expect(unmet.map(({ code }) => code)).toEqual(['not_deployed']);
    expect(overrides).toEqual([
      {
        kind: 'waiver',
        id: 'waiver-1',
        reason: 'known and harmless',
        requestedBy: ADA,
        confirmedBy: BOB,
        expiresAt: new Date(NOW.getTime() + 3 * HOUR_MS),
        conditions: [{ code: 'check_failing', detail: FAILING, actor: 'ci' }],
      },
    ]);
  });

  it.each<[string, Parameters<typeof waiver>[0]]>([
    ['nobody confirmed', { confirmedBy: null, confirmedAt: null }],
    ['its requester confirmed', { confirmedBy: ADA }],
    ['is over', { expiresAt: NOW }],
    ['is of another candidate', { candidateSha: sha('b') }],
    ['is of another condition', { condition: 'issue_open' }],
    ['is of a condition that nobody may waive', { condition: 'check_pending' }],
    ['is of another check', { details: ['The required check "build" failed.'] }],
    ['says nothing', { details: [] }],
  ])('that %s sets nothing aside', (_name, changes) => {
    const world = redCheck().decided({ waivers: [checkWaiver(changes)] });
    expect(standingOf(world)).toEqual(['TESTING', ['check_failing'], false]);
    expect(world.verdict().overrides).toEqual([]);
  });

  it('covers the condition as it was seen, and not what is unmet besides', () => {
    const world = givenOpenRelease()
      .know('checks', CANDIDATE, [check('build', { state: 'failure' }), check('e2e', { state: 'failure' })])
      .decided({ waivers: [checkWaiver()] });
    expect(world.verdict().unmet.map(({ detail }) => detail)).toEqual(['The required check "build" failed.']);
  });

  it('that stands beside a dead one is found', () => {
    const dead = checkWaiver({ id: 'waiver-0', expiresAt: NOW });
    const world = redCheck().decided({ waivers: [dead, checkWaiver()] });
    expect([world.isOpen(), world.verdict().overrides.map(({ id }) => id)]).toEqual([true, ['waiver-1']]);
  });

  it.each<[string, (world: GivenRelease) => GivenRelease, string]>([
    [
      'PLANNING',
      (world) => world.know('issues', '5', [issue({ state: 'open', assignees: [], labels: ['bug'] })]),
      'issue_unowned',
    ],
    ['PLANNING', (world) => world.know('issues', '5', []), 'scope_empty'],
    ['DEVELOPMENT', (world) => world.know('issues', '5', [issue({ state: 'open' })]), 'issue_open'],
    ['DEVELOPMENT', (world) => world.know('checks', CANDIDATE, [check('e2e')]), 'check_missing'],
    ['TESTING', (world) => world.uploaded(redPiece({ run: { id: '101', attempt: 1 } })), 'evidence_failing'],
  ])('holds in %s for what its code names', (stage, spoil, code) => {
    const world = spoil(givenOpenRelease());
    expect(world.verdict().stage).toBe(stage);
    const conditions = world.verdict().unmet.filter((condition) => condition.code === code);
    expect(conditions).not.toEqual([]);
    const waived = spoil(givenOpenRelease()).decided({
      waivers: [waiver({ condition: code, details: conditions.map(({ detail }) => detail) })],
    });
    expect(waived.verdict().unmet.map((condition) => condition.code)).not.toContain(code);
    expect(waived.verdict().overrides.flatMap(({ conditions: aside }) => aside)).toEqual(conditions);
  });

  it('of a freeze opens the gate for this release, and not for another freeze', () => {
    const waivers = [waiver({ condition: 'freeze', details: [FROZEN] })];
    const world = givenOpenRelease().decided({ freezes: [FREEZE], waivers });
    expect(standingOf(world)).toEqual(['DEPLOYMENT', [], true]);
    world.decided({ freezes: [FREEZE, { ...FREEZE, reason: 'audit' }] });
    expect(world.reasons()).toEqual(['freeze']);
  });

  it.each([
    'tampered',
    'unknown',
    'facts_stale',
    'policy_unknown',
    'policy_invalid',
    'plan_limit',
    'cancelled',
    'repository_removed',
    'evidence_missing',
    'approvals_missing',
  ])('of %s is worth nothing, however it came to be', (code) => {
    const world = spoiled(code);
    const details = [...world.verdict().gate.reasons, ...world.verdict().unmet].map(({ detail }) => detail);
    expect(world.reasons()).toContain(code);
    expect(world.decided({ waivers: [waiver({ condition: code, details })] }).reasons()).toContain(code);
  });

  it('holds for a commit that is the same candidate', () => {
    const merge = sha('a');
    const world = redCheck()
      .know('pull', number, {
        number: PULL_NUMBER,
        url: '',
        state: 'merged',
        headRef: `shipgate/evidence/${VERSION}`,
        headSha: sha('e'),
        baseRef: 'main',
        baseSha: sha('d'),
        mergedAt: NOW.toISOString(),
        mergeCommitSha: merge,
      })
      .know('comparison', `${CANDIDATE}...${merge}`, sameButForEvidence(CANDIDATE));
    expect(world.verdict().candidateShas).toContain(merge);
    world.decided({ waivers: [checkWaiver({ candidateSha: merge })] });
    expect(world.verdict().overrides).toHaveLength(1);
  });

  it('bounds how long an answer holds, by its end and by its beginning', () => {
    const soon = new Date(NOW.getTime() + 1_000);
    expect(
      redCheck()
        .decided({ waivers: [checkWaiver({ expiresAt: soon })] })
        .verdict().gate.openUntil,
    ).toBe(soon.getTime());
    const early = redCheck().decided({ waivers: [checkWaiver({ confirmedAt: soon })] });
    expect([early.isOpen(), early.verdict().gate.validUntil]).toEqual([false, soon.getTime()]);
  });
});

/** An open release of which one thing more is so. */
function spoiled(code: string): GivenRelease {
  const world = givenOpenRelease();
  const { repository } = world.record;
  const ways: Readonly<Record<string, () => GivenRelease>> = {
    tampered: () => world.recorded({ repository: { ...repository, tamperedBranches: [RELEASE_BRANCH] } }),
    unknown: () => world.forget('checks', CANDIDATE),
    facts_stale: () => world.age('refs', 'main', 30),
    policy_unknown: () => world.know('policy', '', { status: 'missing', defaultBranch: 'main' }),
    policy_invalid: () => world.know('policy', '', { status: 'invalid', problems: [], defaultBranch: 'main' }),
    plan_limit: () => world.recorded({ repository: { ...repository, withinPlan: false } }),
    cancelled: () => world.know('milestone', '5', null),
    milestone_renamed: () => world.know('milestone', '5', milestone({ title: 'v9.9.9' })),
    repository_removed: () => world.recorded({ repository: { ...repository, removed: true } }),
    workflows_unknown: () => world.recorded({ repository: { ...repository, watchedHeads: [] } }),
    two_release_branches: () =>
      world.branches(
        { branch: RELEASE_BRANCH, sha: CANDIDATE },
        { branch: `hotfix/${VERSION}`, sha: CANDIDATE },
        { branch: 'main', sha: sha('d') },
      ),
    evidence_missing: () => {
      world.evidence = [];
      return world;
    },
    approvals_missing: () => world.know('reviews', number, []),
    check_failing: () => redCheck(world),
    freeze: () => world.decided({ freezes: [FREEZE] }),
  };
  return (ways[code] as () => GivenRelease)();
}

describe('break-glass', () => {
  it.each(['evidence_missing', 'approvals_missing', 'check_failing', 'freeze'])(
    'opens the gate against %s, and moves no stage',
    (code) => {
      const stage = spoiled(code).verdict().stage;
      const world = spoiled(code).decided({ breakGlasses: [brokenGlass()] });
      const { gate, overrides, testsPassing } = world.verdict();
      expect([world.verdict().stage, world.isOpen(), gate.reasons]).toEqual([stage, true, []]);
      expect(testsPassing).toBe(spoiled(code).verdict().testsPassing);
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
    const before = spoiled(code).verdict().gate;
    const world = spoiled(code).decided({ breakGlasses: [brokenGlass()] });
    expect([before.openUntil, world.verdict().gate.openUntil, world.verdict().overrides]).toEqual([null, null, []]);
    expect(world.verdict().gate.reasons).toEqual(before.reasons);
  });

  it('opens nothing against two branches of the release, of which none is the candidate', () => {
    const world = spoiled('two_release_branches').decided({ breakGlasses: [brokenGlass()] });
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
    const world = spoiled('evidence_missing')
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
    const world = spoiled('approvals_missing').decided({ breakGlasses: [brokenGlass(changes)] });
    expect([world.isOpen(), world.reasons(), world.verdict().overrides]).toEqual([false, ['approvals_missing'], []]);
  });

  it('that stands beside one of an earlier candidate is found', () => {
    const world = spoiled('approvals_missing').decided({
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
    const world = spoiled('approvals_missing').decided({
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

describe('a release that was shipped by waivers', () => {
  it.each([
    [true, []],
    [false, ['not_ready']],
  ] as const)('stays what it was then: passed %s', (passed, reasons) => {
    const shipped = {
      candidateSha: CANDIDATE,
      candidateShas: [CANDIDATE],
      testsPassing: !passed,
      evidenceApproved: true,
      approvalRequired: true,
      passed,
    };
    expect(givenOpenRelease().ruledBy(policyWith()).recorded({ stage: 'DEPLOYED', shipped }).reasons()).toEqual(
      reasons,
    );
  });
});
