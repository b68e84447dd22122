import { describe, expect, it } from '@jest/globals';
import { waiver } from '../../../test/support/given-overrides.js';
import {
  CANDIDATE,
  DEVELOPMENT_HEAD,
  PULL_NUMBER,
  STRICT_POLICY,
  check,
  issue,
  milestone,
  failingItem,
  review,
  FIRST_REVIEWER,
} from '../../../test/support/given-facts.js';
import { givenOpenRelease, givenTrunkRelease, ReleaseBuilder } from '../../../test/support/release-builder.js';
import { FACT_LIFETIME_MS } from '../facts/facts.js';
import type { Stage } from '../facts/condition.js';
import { buildStageReport, type StageReport } from './stage-report.js';

type Codes = Readonly<Record<'met' | 'unmet' | 'unknown', readonly string[]>>;

const stagesOf = (release: ReleaseBuilder): readonly StageReport[] => buildStageReport(release.inputs()).stages;
const reportOf = (release: ReleaseBuilder, requestedStage: Stage): StageReport => {
  const found = stagesOf(release).find(({ stage }) => stage === requestedStage);
  if (!found) throw new Error(`no report of ${requestedStage}`);
  return found;
};
const codesOf = (release: ReleaseBuilder, stage: Stage): Codes => {
  const { met, unmet, unknown } = reportOf(release, stage);
  const codes = (conditions: readonly { readonly code: string }[]): readonly string[] =>
    conditions.map(({ code }) => code);
  return { met: codes(met), unmet: codes(unmet), unknown: codes(unknown) };
};

describe('the stage report', () => {
  it('lists all six stages, with every condition of a strict policy met', () => {
    const release = givenOpenRelease();
    expect(stagesOf(release).map(({ stage, status: state }) => [stage, state])).toEqual([
      ['PLANNING', 'passed'],
      ['DEVELOPMENT', 'passed'],
      ['TESTING', 'passed'],
      ['EVIDENCING', 'passed'],
      ['DEPLOYMENT', 'current'],
      ['DEPLOYED', 'ahead'],
    ]);
    expect(stagesOf(release).map(({ stage }) => codesOf(release, stage))).toEqual([
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

  it('names what meets a condition', () => {
    const release = givenOpenRelease();
    expect(reportOf(release, 'DEVELOPMENT').met).toEqual([
      { code: 'candidate_found', detail: `The candidate is ${CANDIDATE}.` },
      { code: 'issues_closed', detail: 'Every issue is closed, except those with an exempt label.' },
      { code: 'check_succeeded', detail: 'The required check "build" succeeded.' },
    ]);
    expect(reportOf(release, 'EVIDENCING').met).toEqual([
      { code: 'evidence_approved', detail: 'The evidence is approved by first-reviewer, second-reviewer.' },
    ]);
  });

  it('lists only the conditions of the policy', () => {
    const release = givenTrunkRelease().recorded({ startedAt: null });
    expect(codesOf(release, 'PLANNING').met).toEqual(['started']);
    expect(codesOf(release, 'DEVELOPMENT').met).toEqual(['candidate_found', 'issues_closed']);
    expect(codesOf(release, 'TESTING').met).toEqual(['policy_valid', 'tests_passed']);
  });

  it.each<[string, (release: ReleaseBuilder) => ReleaseBuilder, Stage, Partial<Codes>]>([
    [
      'an issue without an owner',
      (release) => release.know('issues', '5', [issue({ state: 'open', assignees: [] })]),
      'PLANNING',
      { met: ['started', 'scope_filled'], unmet: ['issue_unowned'] },
    ],
    [
      'an empty scope',
      (release) => release.know('issues', '5', []),
      'PLANNING',
      { met: ['started', 'issues_owned'], unmet: ['scope_empty'] },
    ],
    [
      'an open issue',
      (release) => release.know('issues', '5', [issue({ state: 'open' })]),
      'DEVELOPMENT',
      { met: ['candidate_found', 'check_succeeded'], unmet: ['issue_open'] },
    ],
    [
      'a failing check of development',
      (release) => release.know('checks', CANDIDATE, [check('build', { state: 'failure' }), check('e2e')]),
      'DEVELOPMENT',
      { met: ['candidate_found', 'issues_closed'], unmet: ['check_failing'] },
    ],
    [
      'a failing test',
      (release) => release.uploaded(failingItem({ run: { id: '200', proven: true } })),
      'TESTING',
      { unmet: ['evidence_failing'] },
    ],
    [
      'a missing approval',
      (release) => release.know('reviews', String(PULL_NUMBER), [review(FIRST_REVIEWER)]),
      'EVIDENCING',
      { met: [], unmet: ['approvals_missing'] },
    ],
    [
      'a missing policy',
      (release) => release.know('policy', '', { status: 'missing', defaultBranch: 'main' }),
      'TESTING',
      { unmet: expect.arrayContaining(['policy_missing']) as unknown as readonly string[] },
    ],
  ])('does not list a condition as met with %s', (_, change, stage, codes) => {
    expect(codesOf(change(givenOpenRelease()), stage)).toMatchObject(codes);
  });

  it('separates conditions that are unmet now from those that are unmet later', () => {
    const release = givenOpenRelease()
      .know('issues', '5', [issue({ state: 'open' })])
      .know('reviews', String(PULL_NUMBER), []);
    expect(stagesOf(release).map(({ status: state, unmet }) => [state, unmet.map(({ code }) => code)])).toEqual([
      ['passed', []],
      ['current', ['issue_open']],
      ['ahead', []],
      ['ahead', ['approvals_missing']],
      ['ahead', ['not_deployed']],
      ['ahead', []],
    ]);
  });

  it('lists no check as met by checks that were never read', () => {
    const requiredChecks = ['e2e', 'build'].map((name) => ({ name, app: null }));
    const release = givenOpenRelease()
      .ruledBy({ ...STRICT_POLICY, testing: { ...STRICT_POLICY.testing, requiredChecks } })
      .deleteFact('checks', CANDIDATE);
    const { met, unknown } = codesOf(release, 'TESTING');
    expect([met.includes('check_succeeded'), unknown]).toEqual([false, ['unknown']]);
  });

  it('lists nothing as met by a fact that expired a second ago', () => {
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

  it('lists an unknown condition for every stale fact except the milestone, which belongs to no stage', () => {
    const changeable = givenOpenRelease()
      .verdict()
      .usedFacts.filter(({ kind }) => Number.isFinite(FACT_LIFETIME_MS[kind]) && kind !== 'milestone');
    expect(changeable.length).toBeGreaterThan(8);
    for (const { kind, key } of changeable) {
      const release = givenOpenRelease().age(kind, key, FACT_LIFETIME_MS[kind] / 60_000);
      const unknown = stagesOf(release).flatMap((report) => report.unknown);
      expect([kind, key, unknown.length > 0, release.isOpen()]).toEqual([kind, key, true, false]);
    }
  });

  it('lists nothing as met that depends on a stale policy', () => {
    const release = givenOpenRelease().age('policy', '', 20);
    expect(stagesOf(release).flatMap(({ met }) => met.map(({ code }) => code))).toEqual(['started']);
  });

  it('lists nothing as met by a fact that was never read, and reports the missing fact once', () => {
    const release = givenOpenRelease().deleteFact('issues', '5');
    expect(codesOf(release, 'PLANNING')).toEqual({ met: ['started'], unmet: [], unknown: ['unknown'] });
    expect(codesOf(release, 'DEVELOPMENT')).toEqual({
      met: ['candidate_found', 'check_succeeded'],
      unmet: [],
      unknown: ['unknown'],
    });
    const bare = new ReleaseBuilder().recorded({ startedAt: null, stage: 'PLANNING' });
    expect(stagesOf(bare).flatMap(({ met }) => met)).toEqual([]);
  });

  it('lists a waived condition neither as met nor as unmet', () => {
    const release = givenOpenRelease().know('issues', '5', [issue({ state: 'open' })]);
    const subjects = reportOf(release, 'DEVELOPMENT').unmet.flatMap((condition) => condition.subjects ?? []);
    release.decided({ waivers: [waiver({ id: 'w', condition: 'issue_open', subjects })] });
    expect(codesOf(release, 'DEVELOPMENT')).toEqual({
      met: ['candidate_found', 'check_succeeded'],
      unmet: [],
      unknown: [],
    });
    expect(buildStageReport(release.inputs()).verdict.overrides).toHaveLength(1);
  });

  it('lists the frozen facts of a shipped release, with any later facts', () => {
    const shipped = {
      candidateSha: CANDIDATE,
      candidateShas: [CANDIDATE],
      testsPassing: true,
      evidenceApproved: false,
      approvalRequired: false,
      passed: true,
    };
    const release = givenOpenRelease()
      .recorded({ shipped })
      .know('issues', '5', [issue({ state: 'open' })]);
    expect(stagesOf(release).map(({ stage, status: state }) => [state, codesOf(release, stage)])).toEqual([
      ['passed', { met: [], unmet: [], unknown: [] }],
      ['passed', { met: ['candidate_found'], unmet: [], unknown: [] }],
      ['passed', { met: ['tests_passed'], unmet: [], unknown: [] }],
      ['passed', { met: [], unmet: [], unknown: [] }],
      ['passed', { met: ['deployed'], unmet: [], unknown: [] }],
      ['current', { met: [], unmet: [], unknown: [] }],
    ]);
  });

  it.each([
    [true, true, ['evidence_approved'], ['tests_passed']],
    [true, false, [], ['tests_passed']],
    [false, true, ['evidence_approved'], []],
  ])('lists what a shipped release had: tests %s, approval %s', (testsPassing, evidenceApproved, approval, tests) => {
    const shipped = {
      candidateSha: CANDIDATE,
      candidateShas: [CANDIDATE],
      testsPassing,
      evidenceApproved,
      approvalRequired: true,
      passed: true,
    };
    const release = givenOpenRelease().recorded({ shipped });
    expect(codesOf(release, 'EVIDENCING')).toEqual({ met: approval, unmet: [], unknown: [] });
    expect(codesOf(release, 'TESTING')).toEqual({ met: tests, unmet: [], unknown: [] });
    expect(reportOf(release, 'DEPLOYMENT').met).toEqual([{ code: 'deployed', detail: `${CANDIDATE} was deployed.` }]);
    expect(reportOf(release, 'EVIDENCING').met.map(({ detail }) => detail)).toEqual(
      evidenceApproved ? ['The evidence was approved.'] : [],
    );
  });

  it('has the same verdict as the gate', () => {
    for (const release of [
      givenOpenRelease(),
      givenTrunkRelease(),
      new ReleaseBuilder().know('milestone', '5', milestone()).branches({ branch: 'main', sha: DEVELOPMENT_HEAD }),
      givenOpenRelease().ruledBy(STRICT_POLICY).later(30),
    ]) {
      expect(buildStageReport(release.inputs()).verdict).toEqual(release.verdict());
    }
  });
});
