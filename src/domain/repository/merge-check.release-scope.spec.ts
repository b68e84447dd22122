import { describe, expect, it } from '@jest/globals';
import { type ReleaseScope, matchReleases } from './merge-check.js';

const first: ReleaseScope = { version: 'v1.0.0', stage: 'DEVELOPMENT', milestoneNumber: 3, issues: [7, 12] };
const second: ReleaseScope = { version: 'v2.0.0', stage: 'PLANNING', milestoneNumber: 4, issues: [20] };

describe('matchReleases', () => {
  const found = (title: string, body = '', milestoneNumber: number | null = null) =>
    matchReleases({ title, body, milestoneNumber }, [first, second]).map(({ version, byMilestone, issues }) => [
      version,
      byMilestone,
      issues,
    ]);

  it.each([
    ['Fix #7', '', [['v1.0.0', false, [7]]]],
    ['Fix it', 'closes #12 and #7, see #99', [['v1.0.0', false, [7, 12]]]],
    [
      '#7 and #20',
      '',
      [
        ['v1.0.0', false, [7]],
        ['v2.0.0', false, [20]],
      ],
    ],
    ['(#7)', '', [['v1.0.0', false, [7]]]],
    ['Fix #70', '', []],
    ['Fix other/repo#7', '', []],
    ['Fix repo-#7', '', []],
    ['&#7;', '', []],
    ['Fix 7', '', []],
  ])('returns the releases whose issues are named in %j and %j', (title, body, expected) => {
    expect(found(title, body)).toEqual(expected);
  });

  it('returns the releases whose milestone the change has', () => {
    expect(found('Nothing', '', 4)).toEqual([['v2.0.0', true, []]]);
    expect(found('Fix #7', '', 4)).toEqual([
      ['v1.0.0', false, [7]],
      ['v2.0.0', true, []],
    ]);
  });
});
