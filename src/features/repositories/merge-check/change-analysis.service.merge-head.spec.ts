import { describe, expect, it } from '@jest/globals';
import type { OpenPullRequest } from '../../../github/api/pull-requests.js';
import { listMergeProposals } from './change-analysis.service.js';

const HEAD = 'a'.repeat(40);
const BASE = 'b'.repeat(40);
const proposal = (number: number, changes: Partial<OpenPullRequest> = {}): OpenPullRequest => ({
  number,
  title: 'Change',
  body: '',
  milestoneNumber: null,
  authorLogin: 'ann',
  headRef: 'feature',
  headSha: HEAD,
  fromFork: false,
  baseRef: 'main',
  ...changes,
});

describe('the changes of a head', () => {
  it('are all open pull requests with this head, to any branch and from any repository', () => {
    const toMain = proposal(1);
    const toOther = proposal(2, { baseRef: 'release/v1', fromFork: true });
    const moved = proposal(3, { headSha: BASE });
    expect(listMergeProposals({ sha: HEAD, mergeGroup: null }, [toMain, toOther, moved])).toEqual([
      { proposal: toMain, base: 'main', target: 'main' },
      { proposal: toOther, base: 'release/v1', target: 'release/v1' },
    ]);
  });

  it('are none if every pull request has a new head', () => {
    expect(listMergeProposals({ sha: HEAD, mergeGroup: null }, [proposal(3, { headSha: BASE })])).toEqual([]);
  });

  it.each([
    [`gh-readonly-queue/main/pr-4-${BASE}`, 4, 'main'],
    [`gh-readonly-queue/release/v1/pr-4-${BASE}`, 4, 'release/v1'],
    [`gh-readonly-queue/main/pr-5-${BASE}`, null, 'main'],
    ['queue/main', null, null],
  ])('for the merge group %s are the changes against its base', (branch, number, target) => {
    const [change, ...others] = listMergeProposals({ sha: HEAD, mergeGroup: { branch, baseSha: BASE } }, [proposal(4)]);
    expect(others).toEqual([]);
    expect([change?.proposal?.number ?? null, change?.base, change?.target]).toEqual([number, BASE, target]);
  });
});
