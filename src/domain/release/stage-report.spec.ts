import { describe, expect, it } from '@jest/globals';
import { waiver } from '../../../test/support/given-acts.js';
import {
  CANDIDATE,
  DEVELOPMENT_HEAD,
  PULL_NUMBER,
  STRICT_POLICY,
  check,
  issue,
  milestone,
  redPiece,
  review,
  FIRST_REVIEWER,
} from '../../../test/support/given-facts.js';
import { givenOpenRelease, givenTrunkRelease, ReleaseBuilder } from '../../../test/support/given-release.js';
import { FACT_LIFETIME_MS } from '../facts/facts.js';
import type { Stage } from '../facts/condition.js';
import { buildStageReport, type StageReport } from './stage-report.js';

type Codes = Readonly<Record<'met' | 'unmet' | 'unknown', readonly string[]>>;

const stagesOf = (world: ReleaseBuilder): readonly StageReport[] => buildStageReport(world.inputs()).stages;
const reportOf = (world: ReleaseBuilder, wanted: Stage): StageReport => {
  const found = stagesOf(world).find(({ stage }) => stage === wanted);
  if (!found) throw new Error(`no report of ${wanted}`);
  return found;
};
const codesOf = (world: ReleaseBuilder, stage: Stage): Codes => {
  const { met, unmet, unknown } = reportOf(world, stage);
  const codes = (conditions: readonly { readonly code: string }[]): readonly string[] =>
    conditions.map(({ code }) => code);
  return { met: codes(met), unmet: codes(unmet), unknown: codes(unknown) };
};

describe('the stages of a release', () => {
  it('are told all six, with all that a strict policy asks for met', () => {
    const world = givenOpenRelease();
    expect(stagesOf(world).map(({ stage, standing }) => [stage, standing])).toEqual([
      ['PLANNING', 'passed'],
      ['DEVELOPMENT', 'passed'],
      ['TESTING', 'passed'],
      ['EVIDENCING', 'passed'],
      ['DEPLOYMENT', 'current'],
      ['DEPLOYED', 'ahead'],
    ]);
    expect(stagesOf(world).map(({ stage }) => codesOf(world, stage))).toEqual([
      { met: ['started', 'scope_filled', 'issues_owned'], unmet: [], unknown: [] },
      { met: ['candidate_found', 'issues_closed', 'check_succeeded'], unmet: [], unknown: [] },
      {
        met: [
          'policy_valid',
          'check_succeeded',
          'tests_passed',
          'evidence_provided',
          'evidence_provided',
          'quality_gates_hold',
        ],
        unmet: [],
        unknown: [],
      },
      { met: ['evidence_approved'], unmet: [], unknown: [] },
      { met: [], unmet: ['not_deployed'], unknown: [] },
      { met: [], unmet: [], unknown: [] },
    ]);
  });

  it('say whom and what a condition is met by', () => {
    const world = givenOpenRelease();
    expect(reportOf(world, 'DEVELOPMENT').met).toEqual([
      { code: 'candidate_found', detail: `The candidate is ${CANDIDATE}.` },
      { code: 'issues_closed', detail: 'Every issue is closed, except those with an exempt label.' },
      { code: 'check_succeeded', detail: 'The required check "build" succeeded.' },
    ]);
    expect(reportOf(world, 'EVIDENCING').met).toEqual([
      { code: 'evidence_approved', detail: 'The evidence is approved by first-reviewer, second-reviewer.' },
    ]);
  });

  it('name under a plain policy only what that asks for', () => {
    const world = givenTrunkRelease().recorded({ startedAt: null });
    expect(codesOf(world, 'PLANNING').met).toEqual(['started']);
    expect(codesOf(world, 'DEVELOPMENT').met).toEqual(['candidate_found', 'issues_closed']);
    expect(codesOf(world, 'TESTING').met).toEqual(['policy_valid', 'tests_passed']);
  });

  it.each<[string, (world: ReleaseBuilder) => ReleaseBuilder, Stage, Partial<Codes>]>([
    [
      'an issue without an owner',
      (world) => world.know('issues', '5', [issue({ state: 'open', assignees: [] })]),
      'PLANNING',
      { met: ['started', 'scope_filled'], unmet: ['issue_unowned'] },
    ],
    [
      'an empty scope',
      (world) => world.know('issues', '5', []),
      'PLANNING',
      { met: ['started', 'issues_owned'], unmet: ['scope_empty'] },
    ],
    [
      'an open issue',
      (world) => world.know('issues', '5', [issue({ state: 'open' })]),
      'DEVELOPMENT',
      { met: ['candidate_found', 'check_succeeded'], unmet: ['issue_open'] },
    ],
    [
      'a red check of development',
      (world) => world.know('checks', CANDIDATE, [check('build', { state: 'failure' }), check('e2e')]),
      'DEVELOPMENT',
      { met: ['candidate_found', 'issues_closed'], unmet: ['check_failing'] },
    ],
    [
      'a red test',
      (world) => world.uploaded(redPiece({ run: { id: '200', proven: true } })),
      'TESTING',
      { unmet: ['evidence_failing'] },
    ],
    [
      'a lacking approval',
      (world) => world.know('reviews', String(PULL_NUMBER), [review(FIRST_REVIEWER)]),
      'EVIDENCING',
      { met: [], unmet: ['approvals_missing'] },
    ],
    [
      'no policy',
      (world) => world.know('policy', '', { status: 'missing', defaultBranch: 'main' }),
      'TESTING',
      { unmet: expect.arrayContaining(['policy_missing']) as unknown as readonly string[] },
    ],
  ])('do not call met what %s keeps from being so', (_, change, stage, codes) => {
    expect(codesOf(change(givenOpenRelease()), stage)).toMatchObject(codes);
  });

  it('keep what is unmet later apart from what is unmet now', () => {
    const world = givenOpenRelease()
      .know('issues', '5', [issue({ state: 'open' })])
      .know('reviews', String(PULL_NUMBER), []);
    expect(stagesOf(world).map(({ standing, unmet }) => [standing, unmet.map(({ code }) => code)])).toEqual([
      ['passed', []],
      ['current', ['issue_open']],
      ['ahead', []],
      ['ahead', ['approvals_missing']],
      ['ahead', ['not_deployed']],
      ['ahead', []],
    ]);
  });

  it('call nothing met by a fact that is a second too old', () => {
    const fresh = givenOpenRelease().age('issues', '5', 20 - 1 / 60);
    expect(codesOf(fresh, 'PLANNING').met).toContain('issues_owned');
    const old = givenOpenRelease().age('issues', '5', 20);
    expect(codesOf(old, 'PLANNING')).toEqual({ met: ['started'], unmet: [], unknown: ['unknown', 'unknown'] });
    expect(reportOf(old, 'DEVELOPMENT').unknown).toEqual([
      {
        code: 'unknown',
        detail: 'Not known yet: whether the issues are closed. The answer of GitHub is too old.',
        actor: 'service',
      },
    ]);
    const left = givenOpenRelease().age('team', 'release-managers', 5);
    expect(codesOf(left, 'EVIDENCING')).toEqual({ met: [], unmet: [], unknown: ['unknown'] });
  });

  it('call something unknown for every fact that is too old, but for the milestone, which belongs to no stage', () => {
    const changeable = givenOpenRelease()
      .verdict()
      .consulted.filter(({ kind }) => Number.isFinite(FACT_LIFETIME_MS[kind]) && kind !== 'milestone');
    expect(changeable.length).toBeGreaterThan(8);
    for (const { kind, key } of changeable) {
      const world = givenOpenRelease().age(kind, key, FACT_LIFETIME_MS[kind] / 60_000);
      const unknown = stagesOf(world).flatMap((report) => report.unknown);
      expect([kind, key, unknown.length > 0, world.isOpen()]).toEqual([kind, key, true, false]);
    }
  });

  it('call nothing met that rests on the rules while these are too old', () => {
    const world = givenOpenRelease().age('policy', '', 20);
    expect(stagesOf(world).flatMap(({ met }) => met.map(({ code }) => code))).toEqual(['started']);
  });

  it('call nothing met by what was never read, and say once that it was not', () => {
    const world = givenOpenRelease().forget('issues', '5');
    expect(codesOf(world, 'PLANNING')).toEqual({ met: ['started'], unmet: [], unknown: ['unknown'] });
    expect(codesOf(world, 'DEVELOPMENT')).toEqual({
      met: ['candidate_found', 'check_succeeded'],
      unmet: [],
      unknown: ['unknown'],
    });
    const bare = new ReleaseBuilder().recorded({ startedAt: null, stage: 'PLANNING' });
    expect(stagesOf(bare).flatMap(({ met }) => met)).toEqual([]);
  });

  it('count what was waived neither as met nor as unmet', () => {
    const world = givenOpenRelease().know('issues', '5', [issue({ state: 'open' })]);
    const details = reportOf(world, 'DEVELOPMENT').unmet.map(({ detail }) => detail);
    world.decided({ waivers: [waiver({ id: 'w', condition: 'issue_open', details })] });
    expect(codesOf(world, 'DEVELOPMENT')).toEqual({
      met: ['candidate_found', 'check_succeeded'],
      unmet: [],
      unknown: [],
    });
    expect(buildStageReport(world.inputs()).verdict.overrides).toHaveLength(1);
  });

  it('tell of a shipped release what was frozen, whatever is observed later', () => {
    const shipped = {
      candidateSha: CANDIDATE,
      candidateShas: [CANDIDATE],
      testsPassing: true,
      evidenceApproved: false,
      approvalRequired: false,
    };
    const world = givenOpenRelease()
      .recorded({ shipped })
      .know('issues', '5', [issue({ state: 'open' })]);
    expect(stagesOf(world).map(({ stage, standing }) => [standing, codesOf(world, stage)])).toEqual([
      ['passed', { met: [], unmet: [], unknown: [] }],
      ['passed', { met: ['candidate_found'], unmet: [], unknown: [] }],
      ['passed', { met: ['tests_passed'], unmet: [], unknown: [] }],
      ['passed', { met: [], unmet: [], unknown: [] }],
      ['passed', { met: ['deployed'], unmet: [], unknown: [] }],
      ['current', { met: [], unmet: [], unknown: [] }],
    ]);
  });

  it('rest on no verdict but the one that the gate has', () => {
    for (const world of [
      givenOpenRelease(),
      givenTrunkRelease(),
      new ReleaseBuilder().know('milestone', '5', milestone()).branches({ branch: 'main', sha: DEVELOPMENT_HEAD }),
      givenOpenRelease().ruledBy(STRICT_POLICY).later(30),
    ]) {
      expect(buildStageReport(world.inputs()).verdict).toEqual(world.verdict());
    }
  });
});
