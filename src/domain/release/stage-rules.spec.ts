import { describe, expect, it } from '@jest/globals';
import {
  CANDIDATE,
  check,
  coverageItem,
  evidenceItem,
  failingItem,
  issue,
  NOW,
  policyWith,
  PULL_NUMBER,
  review,
  scanItem,
  FIRST_REVIEWER,
  sha,
  STRICT_POLICY,
} from '../../../test/support/given-facts.js';
import { givenOpenRelease, givenTrunkRelease, type ReleaseBuilder } from '../../../test/support/release-builder.js';
import type { Stage } from '../facts/condition.js';
import type { CheckFact, FactKind, Observation } from '../facts/facts.js';
import { TrackedFacts } from '../facts/tracked-facts.js';
import { DEFAULT_POLICY, type Policy } from '../policy/policy.js';
import { evaluate, evaluateByStage } from './evaluate.js';
import { checkRules, evidencingRules, listConditions, listMet, type MetCode } from './stage-rules.js';

interface Found {
  readonly code: MetCode;
  readonly detail: string;
  readonly what: string;
  readonly restsOn: readonly FactKind[];
  readonly holds: boolean;
}

/** The requirements of a stage, in their order. */
function requirementsOf(release: ReleaseBuilder, stage: Stage): readonly Found[] {
  const { results = [] } = evaluateByStage(release.inputs()).stages.find((one) => one.stage === stage) ?? {};
  const met = listMet(results);
  return [...new Set(results.map(({ requirement }) => requirement))].flatMap((one) =>
    one ? [{ ...one, holds: met.includes(one) }] : [],
  );
}

const find = (release: ReleaseBuilder, stage: Stage, code: MetCode): readonly Found[] =>
  requirementsOf(release, stage).filter((one) => one.code === code);

const holdsOf = (release: ReleaseBuilder, stage: Stage, code: MetCode): readonly boolean[] =>
  find(release, stage, code).map(({ holds }) => holds);

const detailsOf = (release: ReleaseBuilder, stage: Stage, code: MetCode): readonly string[] =>
  find(release, stage, code).map(({ detail }) => detail);

const issuesOf = (release: ReleaseBuilder, ...issues: readonly ReturnType<typeof issue>[]): ReleaseBuilder =>
  release.know('issues', '5', issues);

const withTesting = (requiredEvidence: Policy['evidencing']['requiredEvidence']): Policy =>
  policyWith({ evidencing: { ...DEFAULT_POLICY.evidencing, requiredEvidence } });

describe('the start', () => {
  it('is by the release itself, or by linked work', () => {
    expect(detailsOf(givenTrunkRelease(), 'PLANNING', 'started')).toEqual(['The release was started.']);
    const linked = givenTrunkRelease().recorded({ startedAt: null });
    expect(detailsOf(linked, 'PLANNING', 'started')).toEqual(['Work is linked to the release.']);
  });

  it.each<[string, (release: ReleaseBuilder) => ReleaseBuilder, boolean]>([
    ['no fact of GitHub if the release was started', (release) => release, false],
    ['no fact of GitHub if evidence was uploaded', (release) => release.recorded({ startedAt: null }), false],
    [
      'facts of GitHub otherwise',
      (release) => {
        release.evidence = [];
        return release.recorded({ startedAt: null, evidencePull: null });
      },
      true,
    ],
    [
      'no fact of GitHub if the release was started without evidence',
      (release) => {
        release.evidence = [];
        return release.recorded({ evidencePull: null });
      },
      false,
    ],
  ])('needs %s', (_, change, needsFacts) => {
    const [started] = find(change(givenTrunkRelease()), 'PLANNING', 'started');
    expect(started?.restsOn).toEqual(needsFacts ? ['policy', 'issues', 'refs', 'pulls_of_issue'] : []);
  });

  it('does not hold before work has begun', () => {
    const release = givenTrunkRelease().recorded({ startedAt: null, evidencePull: null });
    release.evidence = [];
    issuesOf(release, issue({ state: 'open', assignees: [] })).know('pulls_of_issue', '11', { linked: false });
    expect(evaluate(release.inputs()).unmet.map(({ code }) => code)).toContain('not_started');
    expect(holdsOf(release, 'PLANNING', 'started')).toEqual([false]);
  });
});

describe('the scope', () => {
  it.each([
    [[issue()], 'The scope is not empty: it holds 1 issue.'],
    [[issue(), issue({ number: 12 })], 'The scope is not empty: it holds 2 issues.'],
  ])('is counted: %#', (issues, detail) => {
    const release = issuesOf(givenOpenRelease(), ...issues);
    expect(detailsOf(release, 'PLANNING', 'scope_filled')).toEqual([detail]);
    expect(holdsOf(release, 'PLANNING', 'scope_filled')).toEqual([true]);
  });

  it.each([
    ['an open issue without an owner', { state: 'open', assignees: [] }, false],
    ['an open issue with an owner', { state: 'open', assignees: ['author'] }, true],
    ['a closed issue without an owner', { state: 'closed', assignees: [] }, true],
  ] as const)('has owners: with %s', (_, changes, holds) => {
    expect(holdsOf(issuesOf(givenOpenRelease(), issue(changes)), 'PLANNING', 'issues_owned')).toEqual([holds]);
  });
});

describe('the candidate and its checks', () => {
  it('are missing without a branch', () => {
    const release = givenOpenRelease().branches();
    expect(find(release, 'DEVELOPMENT', 'candidate_found')).toEqual([]);
    expect(find(release, 'DEVELOPMENT', 'check_succeeded')).toEqual([]);
  });

  it('hold with a successful check, and not with a failing or missing one', () => {
    expect(holdsOf(givenOpenRelease(), 'DEVELOPMENT', 'check_succeeded')).toEqual([true]);
    for (const checks of [[], [check('build', { state: 'failure' })]]) {
      const release = givenOpenRelease().know('checks', CANDIDATE, checks);
      expect(holdsOf(release, 'DEVELOPMENT', 'check_succeeded')).toEqual([false]);
    }
  });

  it('are named with their app, and state whether a skip is enough', () => {
    expect(detailsOf(givenOpenRelease(), 'DEVELOPMENT', 'check_succeeded')).toEqual([
      'The required check "build" succeeded.',
    ]);
    const [e2e] = find(givenOpenRelease(), 'TESTING', 'check_succeeded');
    expect([e2e?.detail, e2e?.what]).toEqual([
      'The required check "e2e" of github-actions succeeded.',
      'whether the required check "e2e" of github-actions succeeded',
    ]);
    const lenient = givenOpenRelease().ruledBy({
      ...STRICT_POLICY,
      testing: { ...STRICT_POLICY.testing, requiredChecks: [{ name: 'e2e', app: null, allowSkipped: true }] },
    });
    expect(detailsOf(lenient, 'TESTING', 'check_succeeded')).toEqual([
      'The required check "e2e" succeeded, or was skipped.',
    ]);
  });
});

describe('the tests', () => {
  it('are counted over all items that hold tests, and only over them', () => {
    const release = givenOpenRelease().uploaded(
      evidenceItem({
        kind: 'e2e_tests',
        job: 'e2e',
        metrics: { e2e_tests: { total: 5, passed: 4, failed: 0, skipped: 1 } },
      }),
    );
    expect(detailsOf(release, 'TESTING', 'tests_passed')).toEqual(['The tests passed: 7 of them.']);
    expect(holdsOf(release, 'TESTING', 'tests_passed')).toEqual([true]);
  });

  it('do not pass without an item, with a failing one, or while jobs of the run are missing', () => {
    const empty = givenOpenRelease();
    empty.evidence = [];
    expect(holdsOf(empty, 'TESTING', 'tests_passed')).toEqual([false]);
    expect(detailsOf(empty, 'TESTING', 'tests_passed')).toEqual(['The tests passed: 0 of them.']);
    const failing = givenOpenRelease().uploaded(failingItem({ run: { id: '200', proven: true } }));
    expect(holdsOf(failing, 'TESTING', 'tests_passed')).toEqual([false]);
    const incomplete = givenOpenRelease().uploaded(
      evidenceItem({ run: { id: '300', proven: true }, jobGroup: { name: 'shards', total: 2 } }),
    );
    expect(holdsOf(incomplete, 'TESTING', 'tests_passed')).toEqual([false]);
  });
});

describe('required evidence', () => {
  const required = (environment: string | null, minTests = 1) =>
    ({ kind: 'unit_tests', environment, minTests }) as const;

  it.each([
    [required(null), 'The required evidence "unit_tests" was uploaded.', true],
    [required('staging'), 'The required evidence "unit_tests" for "staging" was uploaded.', true],
    [required('production'), 'The required evidence "unit_tests" for "production" was uploaded.', false],
    [required('staging', 4), 'The required evidence "unit_tests" for "staging" was uploaded.', false],
  ])('%j', (one, detail, holds) => {
    const [found, ...others] = find(givenOpenRelease().ruledBy(withTesting([one])), 'TESTING', 'evidence_provided');
    expect([found?.detail, found?.holds, others]).toEqual([detail, holds, []]);
  });

  it('counts as uploaded although it fails, because another requirement reports the failure', () => {
    const release = givenOpenRelease().ruledBy(withTesting([required('staging')]));
    release.uploaded(failingItem({ run: { id: '200', proven: true } }));
    expect(holdsOf(release, 'TESTING', 'evidence_provided')).toEqual([true]);
    expect(holdsOf(release, 'TESTING', 'tests_passed')).toEqual([false]);
  });
});

describe('quality gates', () => {
  const none = DEFAULT_POLICY.qualityGates;

  it.each<[string, Policy['qualityGates'], readonly boolean[]]>([
    ['no limit', none, []],
    ['a limit of the coverage that holds', { ...none, coverage: { minLinePercent: 84, maxDrop: null } }, [true]],
    ['a limit of the coverage that does not', { ...none, coverage: { minLinePercent: 85, maxDrop: null } }, [false]],
    ['a drop within its limit', { ...none, coverage: { minLinePercent: null, maxDrop: 1 } }, [true]],
    ['a drop beyond its limit', { ...none, coverage: { minLinePercent: null, maxDrop: 0.1 } }, [false]],
    ['a limit of findings', { ...none, security: { ...none.security, maxHigh: 0 } }, [true]],
  ])('with %s', (_, qualityGates, holds) => {
    const release = givenOpenRelease().ruledBy({ ...STRICT_POLICY, qualityGates });
    expect(holdsOf(release, 'TESTING', 'quality_gates_hold')).toEqual(holds);
  });

  it('use the newest scan and the newest coverage', () => {
    const run = { id: '200', proven: true } as const;
    const release = givenOpenRelease().uploaded(scanItem('security', { critical: 1 }, { run }));
    expect(holdsOf(release, 'TESTING', 'quality_gates_hold')).toEqual([false]);
    const covered = givenOpenRelease().uploaded(coverageItem(70, { run }));
    expect(holdsOf(covered, 'TESTING', 'quality_gates_hold')).toEqual([false]);
  });
});

describe('the approval', () => {
  it('is not required by a policy without reviewers', () => {
    const release = givenTrunkRelease().ruledBy(
      policyWith({ deployment: { ...DEFAULT_POLICY.deployment, requiresEvidenceApproval: false } }),
    );
    expect(requirementsOf(release, 'EVIDENCING')).toEqual([
      {
        code: 'approval_not_required',
        detail: 'The policy requires no approval of the evidence.',
        what: 'whether the evidence needs an approval',
        holds: true,
        restsOn: ['policy'],
      },
    ]);
  });

  it('names the approvers', () => {
    expect(requirementsOf(givenOpenRelease(), 'EVIDENCING')).toEqual([
      {
        code: 'evidence_approved',
        detail: 'The evidence is approved by first-reviewer, second-reviewer.',
        what: 'whether the evidence is approved',
        holds: true,
        restsOn: ['policy', 'refs', 'pull', 'reviews', 'permission', 'team'],
      },
    ]);
  });

  it('does not hold with too few approvals, or without a pull request', () => {
    const one = givenOpenRelease().know('reviews', String(PULL_NUMBER), [review(FIRST_REVIEWER)]);
    expect(holdsOf(one, 'EVIDENCING', 'evidence_approved')).toEqual([false]);
    const none = givenOpenRelease().recorded({ evidencePull: null });
    expect(requirementsOf(none, 'EVIDENCING')).toMatchObject([{ detail: 'The evidence is approved.', holds: false }]);
  });
});

describe('the policy', () => {
  it('is valid, or the requirement does not hold', () => {
    expect(holdsOf(givenOpenRelease(), 'TESTING', 'policy_valid')).toEqual([true]);
    const release = givenOpenRelease().know('policy', '', { status: 'missing', defaultBranch: 'main' });
    expect(holdsOf(release, 'TESTING', 'policy_valid')).toEqual([false]);
  });
});

describe('the rules of required checks', () => {
  const OTHER = sha('7');
  const required = [
    { name: 'build', app: null },
    { name: 'e2e', app: null },
  ];
  const resultsOf = (checksBySha: Readonly<Record<string, readonly CheckFact[]>>, shas = [CANDIDATE, OTHER]) => {
    const observations = Object.entries(checksBySha).map(([key, value]): Observation => ({
      kind: 'checks',
      key,
      value,
      observedAt: NOW,
    }));
    const results = checkRules({ sha: CANDIDATE, shas }, required, new TrackedFacts(observations));
    return [listConditions(results).map(({ code }) => code), listMet(results).map(({ detail }) => detail)];
  };
  const [build, e2e] = ['The required check "build" succeeded.', 'The required check "e2e" succeeded.'];
  const green = [check('build'), check('e2e')];

  it.each<[string, Parameters<typeof resultsOf>[0], readonly string[], readonly string[]]>([
    ['all succeed', { [CANDIDATE]: green, [OTHER]: green }, [], [build, e2e]],
    ['an equivalent commit has no reports', { [CANDIDATE]: green, [OTHER]: [] }, [], [build, e2e]],
    [
      'one failed at an equivalent commit',
      { [CANDIDATE]: green, [OTHER]: [check('build', { state: 'failure' })] },
      ['check_failing'],
      [e2e],
    ],
    [
      'one has not reported at the candidate',
      { [CANDIDATE]: [check('e2e')], [OTHER]: green },
      ['check_missing'],
      [e2e],
    ],
    ['the checks of a commit were never read', { [CANDIDATE]: green }, ['unknown'], [e2e]],
  ])('if %s', (_, checks, codes, met) => expect(resultsOf(checks)).toEqual([codes, met]));

  it('do not apply without a candidate', () => expect(resultsOf({}, [])).toEqual([[], []]));

  it('read no checks if none are required', () => {
    const facts = new TrackedFacts([]);
    expect([checkRules({ sha: CANDIDATE, shas: [CANDIDATE] }, [], facts), facts.keys()]).toEqual([[], []]);
  });
});

describe('the rule of the approval', () => {
  it.each<[string, boolean, readonly (readonly string[])[]]>([
    ['holds no release that has not reached the stage', false, []],
    ['is unknown if the stage is reached before the approval was evaluated', true, [['unknown']]],
  ])('%s', (_, isReached, codes) => {
    const results = evidencingRules({ isRequired: true, approval: null, isReached });
    expect(results.map(({ conditions }) => conditions.map(({ code }) => code))).toEqual(codes);
    expect(listMet(results)).toEqual([]);
  });
});

it('the issues need not be closed if the policy does not ask for it', () => {
  const { development } = STRICT_POLICY;
  const release = givenOpenRelease().ruledBy({ ...STRICT_POLICY, development: { ...development, closedIssues: [] } });
  expect(find(release, 'DEVELOPMENT', 'issues_closed')).toEqual([]);
});
