import { describe, expect, it } from '@jest/globals';
import { check } from '../../../test/support/given-facts.js';
import { withoutSubjects } from '../facts/condition.js';
import type { CheckFact } from '../facts/facts.js';
import { unmetChecks, compareNames, toComparableName } from './required-checks.js';

describe('unmetChecks', () => {
  it.each<[string, string | null, readonly CheckFact[], readonly string[]]>([
    ['a check that succeeded', null, [check('e2e')], []],
    ['a check that never reported', null, [check('build')], ['check_missing']],
    ['a check whose name only starts the same', null, [check('e2e-old')], ['check_missing']],
    ['a check that failed', null, [check('e2e', { state: 'failure' })], ['check_failing']],
    ['a check that still runs', null, [check('e2e', { state: 'pending' })], ['check_pending']],
    ['a check that was skipped', null, [check('e2e', { state: 'skipped' })], ['check_skipped']],
    [
      'a skipped check beside a passing one',
      null,
      [check('e2e'), check('e2e', { app: 'other', state: 'skipped' })],
      ['check_skipped'],
    ],
    ['a commit status', null, [check('e2e', { app: null })], []],
    ['a check of the required app', 'github-actions', [check('e2e')], []],
    ['a check of another app', 'github-actions', [check('e2e', { app: 'mallory' })], ['check_missing']],
    ['a commit status when an app is required', 'github-actions', [check('e2e', { app: null })], ['check_missing']],
    [
      'a failing check of another app',
      'github-actions',
      [check('e2e'), check('e2e', { app: 'other', state: 'failure' })],
      [],
    ],
    [
      'a failing check beside a passing one',
      null,
      [check('e2e'), check('e2e', { app: 'other', state: 'failure' })],
      ['check_failing'],
    ],
  ])('evaluates %s', (_name, app, checks, codes) => {
    expect(
      unmetChecks([{ name: 'e2e', app }], checks)
        .flat()
        .map(({ code }) => code),
    ).toEqual(codes);
  });

  it.each<[string, readonly CheckFact[], readonly string[]]>([
    ['a check that was skipped', [check('e2e', { state: 'skipped' })], []],
    ['a check that was skipped beside a passing one', [check('e2e'), check('e2e', { state: 'skipped' })], []],
    [
      'a check that was skipped beside a failing one',
      [check('e2e', { state: 'skipped' }), check('e2e', { state: 'failure' })],
      ['check_failing'],
    ],
    ['a check that still runs', [check('e2e', { state: 'pending' })], ['check_pending']],
    ['a check that never reported', [], ['check_missing']],
  ])('evaluates a check that may be skipped: %s', (_name, checks, codes) => {
    const required = { name: 'e2e', app: null, allowSkipped: true } as const;
    expect(
      unmetChecks([required], checks)
        .flat()
        .map(({ code }) => code),
    ).toEqual(codes);
  });

  it.each([
    ['skipped', 'was skipped'],
    ['neutral', 'ended neutral'],
  ])('reports how to clear a check that is %s', (conclusion, how) => {
    const skipped = check('e2e', { state: 'skipped', conclusion, url: 'https://ci.test/1' });
    expect(
      unmetChecks([{ name: 'e2e', app: null }], [skipped])
        .flat()
        .map(withoutSubjects),
    ).toEqual([
      {
        code: 'check_skipped',
        detail: `The required check "e2e" ${how}, so it shows no result. Run it at this commit, or set allow_skipped for it in sdlc.yaml.`,
        actor: 'ci',
        url: 'https://ci.test/1',
      },
    ]);
  });

  it('evaluates each required check separately', () => {
    const required = ['build', 'e2e', 'lint'].map((name) => ({ name, app: null }));
    const checks = [check('build'), check('e2e', { id: 12, state: 'failure', url: 'https://ci.test/1' })];
    expect(unmetChecks(required, checks).flat().map(withoutSubjects)).toEqual([
      {
        code: 'check_failing',
        detail:
          'The required check "e2e" failed: the check run 12 of github-actions reports no success. Run it again, or let it pass at a new commit.',
        actor: 'ci',
        url: 'https://ci.test/1',
      },
      { code: 'check_missing', detail: 'The required check "lint" has not reported.', actor: 'ci' },
    ]);
    expect(
      unmetChecks([{ name: 'e2e', app: 'ci' }], [check('e2e', { id: 7, app: 'ci', state: 'pending' })])
        .flat()
        .map(withoutSubjects),
    ).toEqual([
      {
        code: 'check_pending',
        detail:
          'The required check "e2e" of ci is still running: the check run 7 of ci has not ended. Wait, or run it again.',
        actor: 'ci',
      },
    ]);
  });

  const failing = (...checks: readonly CheckFact[]): readonly string[] =>
    unmetChecks([{ name: 'e2e', app: null }], checks)
      .flat()
      .map(({ detail }) => detail);
  const job = (id: number, attempt: number | null, state: CheckFact['state']): CheckFact =>
    check('e2e', { id, workflowRun: 5, attempt, state, conclusion: state === 'failure' ? 'timed_out' : state });

  it.each<[string, readonly CheckFact[], readonly string[]]>([
    [
      'a job',
      [job(1, 1, 'failure')],
      [
        'the check run 1 of github-actions ended with the conclusion "timed_out". Run it again, or let it pass at a new commit.',
      ],
    ],
    ['no job whose second attempt passed', [job(1, 1, 'failure'), job(2, 2, 'success')], []],
    [
      'a job beside another one of its name',
      [job(1, 1, 'failure'), job(2, 1, 'success')],
      [
        'the check run 1 of github-actions ended with the conclusion "timed_out". 2 runs of its check suite have this name, and each counts. Run all of them again at once, or let all pass at a new commit. Names of their own would tell them apart.',
      ],
    ],
    [
      'a job whose attempt is not known',
      [job(1, null, 'failure'), job(2, null, 'success')],
      [
        'the check run 1 of github-actions ended with the conclusion "timed_out". 2 runs of its check suite have this name, and each counts. Let the app read Actions, so that a run that ran again is known, or let all pass at a new commit.',
      ],
    ],
    [
      'a commit status',
      [check('e2e', { id: 33, app: null, suite: null, state: 'failure' })],
      [
        'the commit status 33 reports no success. Report this status again at this commit, or let it pass at a new commit.',
      ],
    ],
    [
      'a check run of a deleted app',
      [check('e2e', { id: 34, app: null, state: 'failure' })],
      ['the check run 34 reports no success. Run it again, or let it pass at a new commit.'],
    ],
  ])('names %s and how to clear it', (_name, checks, details) => {
    expect(failing(...checks)).toEqual(details.map((detail) => `The required check "e2e" failed: ${detail}`));
  });

  const missing = (name: string, reported: readonly CheckFact[], app: string | null = null): string =>
    unmetChecks([{ name, app }], reported).flat()[0]?.detail ?? '';

  it.each<[string, string, readonly CheckFact[], string]>([
    ['case', 'Build', [check('build')], '"build" of github-actions'],
    ['spaces', 'unit  tests', [check('unit tests')], '"unit tests" of github-actions'],
    ['a prefix that the policy has', 'CI / build', [check('build')], '"build" of github-actions'],
    ['a prefix that the check has', 'build', [check('CI / build', { app: 'ci' })], '"CI / build" of ci'],
    ['one edit', 'biuld', [check('build')], '"build" of github-actions'],
    ['nothing, as a commit status', 'Build', [check('build', { app: null, suite: null })], '"build" (a commit status)'],
    [
      'case before a prefix before an edit',
      'build',
      ['builds', 'x / build', 'BUILD', 'buil', 'lint'].map((name) => check(name)),
      '"BUILD" of github-actions, "x / build" of github-actions, "buil" of github-actions',
    ],
  ])('names a check that differs by %s if a required one has not reported', (_name, name, reported, alike) => {
    const expected = `The required check "${name}" has not reported. Alike at this commit: ${alike}. Is one of them meant? Then correct the name in sdlc.yaml or in CI.`;
    expect(missing(name, reported)).toBe(expected);
    expect(missing(name, reported.toReversed())).toBe(expected);
  });

  it('names the check of another app if the one of the required app has not reported', () => {
    expect(missing('e2e', [check('e2e', { app: 'mallory' })], 'ci')).toContain(
      'Alike at this commit: "e2e" of mallory.',
    );
  });

  it('names each alike check once, and no check that is not alike', () => {
    expect(missing('e2e', [check('E2E'), check('E2E', { id: 2 })])).toContain('commit: "E2E" of github-actions. Is');
    expect(missing('e2e', [check('lint'), check('e2e-old')])).toBe('The required check "e2e" has not reported.');
  });

  it('names long checks by their beginning', () => {
    const name = 'a'.repeat(500);
    expect(missing(name, [check(name.toUpperCase())])).toContain(`commit: "${'A'.repeat(100)}…" of github-actions.`);
  });

  it('compares a hundred required names with a thousand long ones', () => {
    const reported = Array.from({ length: 1_000 }, (_, index) => check(`${'job '.repeat(200)}${index}`));
    const required = Array.from({ length: 100 }, (_, index) => ({ name: `${'job '.repeat(200)}x${index}`, app: null }));
    expect(unmetChecks(required, reported).flat()).toHaveLength(100);
  });
});

function difference(one: string, other: string): number | null {
  const [a, b] = [toComparableName(one), toComparableName(other)];
  return a && b && compareNames(a, b);
}

describe('compareNames', () => {
  it.each([
    ['build', 'build', 0],
    ['build', 'Build', 0],
    ['unit tests', 'unittests', 0],
    ['unit tests', ' Unit  Tests ', 0],
    ['CI / build', 'CI/build', 0],
    ['CI / build', 'build', 1],
    ['build', 'release / ci / Build', 1],
    ['test (ubuntu, 22)', 'CI / test (ubuntu,22)', 1],
    ['build', 'biuld', 2],
    ['build', 'buld', 2],
    ['build', 'builds', 2],
    ['build', 'bu1ld', 2],
    ['e2e', 'e2', 2],
    ['CI / build', 'buid', 2],
    ['CI / build', 'CD / build', 2],
    ['build', 'test', null],
    ['build', 'built it', null],
    ['build', 'rebuild', null],
    ['abcd', 'badc', null],
    ['ci', 'cd', null],
    ['build', '', null],
  ])('compares "%s" with "%s"', (one, other, expected) => {
    expect(difference(one, other)).toBe(expected);
    expect(difference(other, one)).toBe(expected);
  });

  it('compares no name of more than a thousand characters', () => {
    expect(difference('a'.repeat(1_001), 'a'.repeat(1_001))).toBeNull();
  });
});
