import { describe, expect, it } from '@jest/globals';
import { ADA, BOB, waiver } from '../../../test/support/given-acts.js';
import {
  CANDIDATE,
  NOW,
  PULL_NUMBER,
  VERSION,
  check,
  issue,
  policyWith,
  redPiece,
  sameButForEvidence,
  sha,
} from '../../../test/support/given-facts.js';
import { givenOpenRelease, type ReleaseBuilder } from '../../../test/support/given-release.js';
import {
  FAILING,
  FREEZE,
  FROZEN,
  releaseWithFailingCheck,
  releaseWithProblem,
} from '../../../test/support/spoiled-release.js';

const number = String(PULL_NUMBER);
const HOUR_MS = 3_600_000;
const checkWaiver = (changes: Parameters<typeof waiver>[0] = {}) =>
  waiver({ condition: 'check_failing', details: [FAILING], ...changes });
const standingOf = (world: ReleaseBuilder): readonly unknown[] => [
  world.verdict().stage,
  world.reasons(),
  world.isOpen(),
];

describe('a waiver', () => {
  it('lets the release go on without the condition, and makes no test pass', () => {
    expect(standingOf(releaseWithFailingCheck())).toEqual(['TESTING', ['check_failing'], false]);
    const world = releaseWithFailingCheck().decided({ waivers: [checkWaiver()] });
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
    const world = releaseWithFailingCheck().decided({ waivers: [checkWaiver(changes)] });
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
    const world = releaseWithFailingCheck().decided({ waivers: [dead, checkWaiver()] });
    expect([world.isOpen(), world.verdict().overrides.map(({ id }) => id)]).toEqual([true, ['waiver-1']]);
  });

  it.each<[string, (world: ReleaseBuilder) => ReleaseBuilder, string]>([
    [
      'PLANNING',
      (world) => world.know('issues', '5', [issue({ state: 'open', assignees: [], labels: ['bug'] })]),
      'issue_unowned',
    ],
    ['PLANNING', (world) => world.know('issues', '5', []), 'scope_empty'],
    ['DEVELOPMENT', (world) => world.know('issues', '5', [issue({ state: 'open' })]), 'issue_open'],
    ['DEVELOPMENT', (world) => world.know('checks', CANDIDATE, [check('e2e')]), 'check_missing'],
    ['TESTING', (world) => world.uploaded(redPiece({ run: { id: '101', proven: true } })), 'evidence_failing'],
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
    const world = releaseWithProblem(code);
    const details = [...world.verdict().gate.reasons, ...world.verdict().unmet].map(({ detail }) => detail);
    expect(world.reasons()).toContain(code);
    expect(world.decided({ waivers: [waiver({ condition: code, details })] }).reasons()).toContain(code);
  });

  it('holds for a commit that is the same candidate', () => {
    const merge = sha('a');
    const world = releaseWithFailingCheck()
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
      releaseWithFailingCheck()
        .decided({ waivers: [checkWaiver({ expiresAt: soon })] })
        .verdict().gate.openUntil,
    ).toBe(soon.getTime());
    const early = releaseWithFailingCheck().decided({ waivers: [checkWaiver({ confirmedAt: soon })] });
    expect([early.isOpen(), early.verdict().gate.validUntil]).toEqual([false, soon.getTime()]);
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
