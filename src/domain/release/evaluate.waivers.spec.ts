import { describe, expect, it } from '@jest/globals';
import { ADA, BOB, waiver } from '../../../test/support/given-overrides.js';
import {
  CANDIDATE,
  NOW,
  PULL_NUMBER,
  VERSION,
  check,
  issue,
  policyWith,
  failingItem,
  sameButForEvidence,
  sha,
} from '../../../test/support/given-facts.js';
import { givenOpenRelease, type ReleaseBuilder } from '../../../test/support/release-builder.js';
import type { ConditionCode } from '../facts/condition-catalogue.js';
import {
  FAILING,
  FAILING_SUBJECT,
  FREEZE,
  FROZEN_SUBJECT,
  releaseWithFailingCheck,
  releaseWithProblem,
} from '../../../test/support/release-with-problem.js';

const number = String(PULL_NUMBER);
const HOUR_MS = 3_600_000;
const checkWaiver = (changes: Parameters<typeof waiver>[0] = {}) =>
  waiver({ condition: 'check_failing', subjects: [FAILING_SUBJECT], ...changes });
const stateOf = (release: ReleaseBuilder): readonly unknown[] => [
  release.verdict().stage,
  release.reasons(),
  release.isOpen(),
];

const BUILD_FAILING =
  'The required check "build" failed: the check run 1 of github-actions reports no success. Run it again, or let it pass at a new commit.';

describe('a waiver', () => {
  it('lets the release continue without the condition, and does not make a test pass', () => {
    expect(stateOf(releaseWithFailingCheck())).toEqual(['TESTING', ['check_failing'], false]);
    const release = releaseWithFailingCheck().decided({ waivers: [checkWaiver()] });
    const { testsPassing, overrides, unmet } = release.verdict();
    expect(stateOf(release)).toEqual(['DEPLOYMENT', [], true]);
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
        conditions: [{ code: 'check_failing', detail: FAILING, actor: 'ci', subjects: [FAILING_SUBJECT] }],
      },
    ]);
  });

  it.each<[string, Parameters<typeof waiver>[0]]>([
    ['is not confirmed', { confirmedBy: null, confirmedAt: null }],
    ['is confirmed by its requester', { confirmedBy: ADA }],
    ['is expired', { expiresAt: NOW }],
    ['is for another candidate', { candidateSha: sha('b') }],
    ['is for another condition', { condition: 'issue_open' }],
    ['is for a condition that cannot be waived', { condition: 'check_pending' }],
    ['is for another check', { subjects: [{ ...FAILING_SUBJECT, id: 'another' }] }],
    [
      'is for a condition with the same sentence and another run',
      { subjects: [{ ...FAILING_SUBJECT, id: FAILING_SUBJECT.id.replace('1', '2') }] },
    ],
    ['has no subject', { subjects: [] }],
  ])('waives no condition if it %s', (_name, changes) => {
    const release = releaseWithFailingCheck().decided({ waivers: [checkWaiver(changes)] });
    expect(stateOf(release)).toEqual(['TESTING', ['check_failing'], false]);
    expect(release.verdict().overrides).toEqual([]);
  });

  it('covers only the condition that it names, and no other unmet condition', () => {
    const release = givenOpenRelease()
      .know('checks', CANDIDATE, [check('build', { state: 'failure' }), check('e2e', { state: 'failure' })])
      .decided({ waivers: [checkWaiver()] });
    expect(release.verdict().unmet.map(({ detail }) => detail)).toEqual([BUILD_FAILING]);
  });

  it('is found if there is also an expired one', () => {
    const dead = checkWaiver({ id: 'waiver-0', expiresAt: NOW });
    const release = releaseWithFailingCheck().decided({ waivers: [dead, checkWaiver()] });
    expect([release.isOpen(), release.verdict().overrides.map(({ id }) => id)]).toEqual([true, ['waiver-1']]);
  });

  it.each<[string, (release: ReleaseBuilder) => ReleaseBuilder, ConditionCode]>([
    [
      'PLANNING',
      (release) => release.know('issues', '5', [issue({ state: 'open', assignees: [], labels: ['bug'] })]),
      'issue_unowned',
    ],
    ['PLANNING', (release) => release.know('issues', '5', []), 'scope_empty'],
    ['DEVELOPMENT', (release) => release.know('issues', '5', [issue({ state: 'open' })]), 'issue_open'],
    ['DEVELOPMENT', (release) => release.know('checks', CANDIDATE, [check('e2e')]), 'check_missing'],
    [
      'TESTING',
      (release) => release.uploaded(failingItem({ id: 'failing', run: { id: '101', proven: true } })),
      'evidence_failing',
    ],
  ])('is active in %s for the conditions that its code names', (stage, spoil, code) => {
    const release = spoil(givenOpenRelease());
    expect(release.verdict().stage).toBe(stage);
    const conditions = release.verdict().unmet.filter((condition) => condition.code === code);
    expect(conditions).not.toEqual([]);
    const waived = spoil(givenOpenRelease()).decided({
      waivers: [waiver({ condition: code, subjects: conditions.flatMap(({ subjects = [] }) => subjects) })],
    });
    expect(waived.verdict().unmet.map((condition) => condition.code)).not.toContain(code);
    expect(waived.verdict().overrides.flatMap(({ conditions: overridden }) => overridden)).toEqual(conditions);
  });

  it('opens the gate for this release if it waives a freeze, and not during another freeze', () => {
    const waivers = [waiver({ condition: 'freeze', subjects: [FROZEN_SUBJECT] })];
    const release = givenOpenRelease().decided({ freezes: [FREEZE], waivers });
    expect(stateOf(release)).toEqual(['DEPLOYMENT', [], true]);
    release.decided({ freezes: [FREEZE, { ...FREEZE, reason: 'audit' }] });
    expect(release.reasons()).toEqual(['freeze']);
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
  ] as const)('does not waive the condition %s', (code) => {
    const release = releaseWithProblem(code);
    const { gate, unmet } = release.verdict();
    const subjects = [...gate.reasons, ...unmet].flatMap((condition) => condition.subjects ?? []);
    expect(release.reasons()).toContain(code);
    expect(release.decided({ waivers: [waiver({ condition: code, subjects })] }).reasons()).toContain(code);
  });

  it('is valid for an equivalent commit', () => {
    const merge = sha('a');
    const release = releaseWithFailingCheck()
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
    expect(release.verdict().candidateShas).toContain(merge);
    release.decided({ waivers: [checkWaiver({ candidateSha: merge })] });
    expect(release.verdict().overrides).toHaveLength(1);
  });

  it('limits how long an answer is valid, by its end and by its start', () => {
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
  ] as const)('retains the result of that time: passed %s', (passed, reasons) => {
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
