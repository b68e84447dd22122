import { describe, expect, it } from '@jest/globals';
import { issue as fact } from '../../../test/support/given-facts.js';
import {
  isApplied,
  type ScopeChange,
  type ScopedIssue,
  checkScopeChange,
  reflectsChange,
  withChange,
} from './scope-change.js';

const MILESTONE = 501;
const OURS = { githubId: MILESTONE, title: 'v1.0.0' };
const THEIRS = { githubId: 502, title: 'v2.0.0' };
const issue = (changes: Partial<ScopedIssue> = {}): ScopedIssue => ({
  ...fact({ number: 7, state: 'open', assignees: [] }),
  milestone: null,
  ...changes,
});

const link: ScopeChange = { action: 'link', number: 7 };
const unlink: ScopeChange = { action: 'unlink', number: 7 };
const assign: ScopeChange = { action: 'assign', number: 7, assignee: 'Ada' };
const unassign: ScopeChange = { action: 'unassign', number: 7, assignee: 'Ada' };

describe('a change of the scope', () => {
  it.each([
    ['links an open issue without a milestone', link, {}, 'needed'],
    ['links no closed one', link, { state: 'closed' }, 'closed'],
    ['links nothing that is linked already', link, { milestone: OURS }, 'done'],
    ['links nothing that is linked already, and closed since', link, { milestone: OURS, state: 'closed' }, 'done'],
    ['takes no issue from another release', link, { milestone: THEIRS }, 'elsewhere'],
    ['takes no closed issue from another release', link, { milestone: THEIRS, state: 'closed' }, 'elsewhere'],
    ['unlinks an issue', unlink, { milestone: OURS }, 'needed'],
    ['unlinks a closed issue', unlink, { milestone: OURS, state: 'closed' }, 'needed'],
    ['unlinks nothing that has no milestone', unlink, {}, 'done'],
    ['unlinks nothing from another release', unlink, { milestone: THEIRS }, 'elsewhere'],
    ['adds an owner', assign, { milestone: OURS, assignees: ['bob'] }, 'needed'],
    ['adds nobody who is one already, in whatever case', assign, { milestone: OURS, assignees: ['ada'] }, 'done'],
    ['adds an owner to a closed issue', assign, { milestone: OURS, state: 'closed' }, 'needed'],
    ['adds an owner to no issue without a milestone', assign, { assignees: ['ada'] }, 'outside'],
    ['adds an owner to no issue of another release', assign, { milestone: THEIRS }, 'outside'],
    ['removes an owner', unassign, { milestone: OURS, assignees: ['bob', 'ada'] }, 'needed'],
    ['removes nobody who is none', unassign, { milestone: OURS, assignees: ['adam'] }, 'done'],
    ['removes an owner of no issue without a milestone', unassign, {}, 'outside'],
    ['removes an owner of no issue of another release', unassign, { milestone: THEIRS }, 'outside'],
  ] as const)('%s', (_, change, changes, finding) => {
    expect(checkScopeChange(change, issue(changes), MILESTONE)).toBe(finding);
  });

  it('is made where the issue is as it wants it, and there alone', () => {
    expect(isApplied(unlink, issue({ milestone: THEIRS }), MILESTONE)).toBe(false);
    expect(isApplied(link, issue({ milestone: THEIRS }), MILESTONE)).toBe(false);
    expect(isApplied(link, issue({ milestone: OURS }), MILESTONE)).toBe(true);
  });
});

describe('the issues of a milestone', () => {
  const seven = fact({ number: 7, assignees: ['ada'] });
  const eight = fact({ number: 8, assignees: ['ada'] });

  it.each([
    ['a link', link, [seven], true],
    ['a link of another issue', link, [eight], false],
    ['that nothing is linked any more', unlink, [eight], true],
    ['that it is linked still', unlink, [seven], false],
    ['an owner', assign, [seven], true],
    ['an owner of another issue', assign, [eight], false],
    ['another owner', assign, [fact({ number: 7, assignees: ['bob'] })], false],
    ['that an owner is gone', unassign, [fact({ number: 7, assignees: ['bob'] })], true],
    ['that an owner is there still', unassign, [seven], false],
    ['nothing of the owners of an issue that is gone', unassign, [eight], false],
  ] as const)('show %s', (_, change, issues, shown) => {
    expect(reflectsChange(change, issues)).toBe(shown);
  });

  it.each([
    ['linked', link, [eight], [8, 7]],
    ['linked again', link, [seven, eight], [7, 8]],
    ['unlinked', unlink, [seven, eight], [8]],
    ['given an owner', assign, [seven, eight], [7, 8]],
  ] as const)('show an issue that was %s', (_, change, issues, numbers) => {
    const changed = issue({ milestone: OURS, assignees: ['bob'] });
    const after = withChange(issues, change, changed);
    expect(after.map(({ number }) => number)).toEqual(numbers);
    const { milestone: _milestone, ...told } = changed;
    if (change !== unlink) expect(after.find(({ number }) => number === 7)).toEqual(told);
  });
});
