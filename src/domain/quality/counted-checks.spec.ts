import { describe, expect, it } from '@jest/globals';
import { check } from '../../../test/support/given-facts.js';
import type { CheckFact } from '../facts/facts.js';
import { selectCountedChecks } from './counted-checks.js';

const at = (second: number): string => new Date(Date.UTC(2026, 0, 5, 9, 0, second)).toISOString();
/** A job of the workflow run 7, which is the suite 70. */
const job = (id: number, attempt: number | null, state: CheckFact['state'] = 'success'): CheckFact =>
  check('build', { id, suite: 70, workflowRun: 7, attempt, state });
/** A run of another app, with its first and last second. */
const run = (id: number, from: number | null, to: number | null, state: CheckFact['state'] = 'success'): CheckFact =>
  check('build', {
    id,
    app: 'scanner',
    suite: 80,
    state,
    startedAt: from === null ? null : at(from),
    completedAt: to === null ? null : at(to),
  });
const counted = (...checks: readonly CheckFact[]): readonly number[] => selectCountedChecks(checks).map(({ id }) => id);

describe('selectCountedChecks', () => {
  it.each<[string, readonly CheckFact[], readonly number[]]>([
    ['a failed job beside a passing one of its name', [job(1, 1, 'failure'), job(2, 1)], [1, 2]],
    ['a passing job beside a failed one of its name', [job(1, 1), job(2, 1, 'failure')], [1, 2]],
    ['only the second attempt of a failed job', [job(1, 1, 'failure'), job(2, 2)], [2]],
    ['only the second attempt, in any order of the list', [job(2, 2), job(1, 1, 'failure')], [2]],
    ['only the second attempt, also if it failed or runs', [job(1, 1), job(2, 2, 'pending')], [2]],
    ['only the tenth attempt', [job(1, 9, 'failure'), job(2, 10)], [2]],
    ['both jobs of the second attempt', [job(1, 1, 'failure'), job(2, 1), job(3, 2), job(4, 2)], [3, 4]],
    ['all jobs if fewer of them ran again', [job(1, 1, 'failure'), job(2, 1), job(3, 2)], [1, 2, 3]],
    [
      'a failed second attempt of one of two jobs',
      [job(1, 1), job(2, 1), job(3, 2, 'failure'), job(4, 3)],
      [1, 2, 3, 4],
    ],
    ['the attempts from the last complete one', [job(1, 1, 'failure'), job(2, 2), job(3, 2), job(4, 3)], [2, 3, 4]],
    ['all jobs if an attempt is not known', [job(1, 1, 'failure'), job(2, null)], [1, 2]],
    ['all jobs if no attempt is known', [job(1, null, 'failure'), job(2, null)], [1, 2]],
    ['a failed job that was skipped when it ran again', [job(1, 1, 'failure'), job(2, 2, 'skipped')], [1, 2]],
    ['only the second attempt of a skipped job', [job(1, 1, 'skipped'), job(2, 2)], [2]],
    [
      'a skipped sibling of each attempt',
      [job(1, 1, 'failure'), job(2, 1, 'skipped'), job(3, 2), job(4, 2, 'skipped')],
      [3, 4],
    ],
    [
      'a job and a check run that a step created',
      [job(1, 1, 'failure'), { ...job(2, null), workflowRun: null }],
      [1, 2],
    ],
    ['only the later run of an app', [run(1, 0, 10, 'failure'), run(2, 20, 30)], [2]],
    ['only the later run of an app in the second of the end', [run(1, 0, 10, 'failure'), run(2, 10, 10)], [2]],
    ['runs of an app at the same time', [run(1, 0, 10, 'failure'), run(2, 5, 15)], [1, 2]],
    ['a run within another one', [run(1, 0, 30, 'failure'), run(2, 5, 10), run(3, 12, 15)], [1, 2, 3]],
    ['a run after two at the same time', [run(1, 0, 10, 'failure'), run(2, 5, 15), run(3, 20, 30)], [1, 2, 3]],
    [
      'two runs after two at the same time',
      [run(1, 0, 10, 'failure'), run(2, 5, 15), run(3, 20, 30), run(4, 25, 30)],
      [3, 4],
    ],
    ['a run that has not ended', [run(1, 0, null, 'pending'), run(2, 20, 30)], [1, 2]],
    ['a run whose beginning is not known', [run(1, 0, 10, 'failure'), run(2, null, 30)], [1, 2]],
    ['a run whose times are no times', [run(1, 0, 10, 'failure'), { ...run(2, 20, 30), startedAt: 'soon' }], [1, 2]],
    ['runs of two suites', [run(1, 0, 10, 'failure'), { ...run(2, 20, 30), suite: 81 }], [1, 2]],
    ['runs of two apps', [run(1, 0, 10, 'failure'), { ...run(2, 20, 30), app: 'other' }], [1, 2]],
    ['runs of two names', [run(1, 0, 10, 'failure'), { ...run(2, 20, 30), name: 'Build' }], [1, 2]],
    [
      'runs whose suite is not known',
      [
        { ...run(1, 0, 10, 'failure'), suite: null },
        { ...run(2, 20, 30), suite: null },
      ],
      [1, 2],
    ],
  ])('counts %s', (_name, checks, ids) => {
    expect(counted(...checks)).toEqual(expect.arrayContaining([...ids]));
    expect(counted(...checks)).toHaveLength(ids.length);
  });

  it('reads ten thousand runs of one name once', () => {
    const runs = Array.from({ length: 10_000 }, (_, index) => job(index, index));
    expect(counted(...runs)).toEqual([9_999]);
  });
});
