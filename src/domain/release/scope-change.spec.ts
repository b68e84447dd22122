import { describe, expect, it } from '@jest/globals';
import { issue as fact } from '../../../test/support/given-facts.js';
import {
  isApplied,
  type ScopeChange,
  type ScopedIssue,
  checkScopeChange,
  reflectsChange,
  scopeRight,
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

describe('checkScopeChange', () => {
  it.each([
    ['links an open issue without a milestone', link, {}, 'needed'],
    ['does not link a closed issue', link, { state: 'closed' }, 'closed'],
    ['has nothing to do for an issue that is linked already', link, { milestone: OURS }, 'done'],
    [
      'has nothing to do for an issue that is linked already and closed since',
      link,
      { milestone: OURS, state: 'closed' },
      'done',
    ],
    ['does not take an issue from another release', link, { milestone: THEIRS }, 'elsewhere'],
    ['does not take a closed issue from another release', link, { milestone: THEIRS, state: 'closed' }, 'elsewhere'],
    ['unlinks an issue', unlink, { milestone: OURS }, 'needed'],
    ['unlinks a closed issue', unlink, { milestone: OURS, state: 'closed' }, 'needed'],
    ['has nothing to unlink without a milestone', unlink, {}, 'done'],
    ['does not unlink an issue of another release', unlink, { milestone: THEIRS }, 'elsewhere'],
    ['adds an owner', assign, { milestone: OURS, assignees: ['bob'] }, 'needed'],
    [
      'has nothing to do for an existing assignee, in any case',
      assign,
      { milestone: OURS, assignees: ['ada'] },
      'done',
    ],
    ['adds an owner to a closed issue', assign, { milestone: OURS, state: 'closed' }, 'needed'],
    ['adds no owner to an issue without a milestone', assign, { assignees: ['ada'] }, 'outside'],
    ['adds no owner to an issue of another release', assign, { milestone: THEIRS }, 'outside'],
    ['removes an owner', unassign, { milestone: OURS, assignees: ['bob', 'ada'] }, 'needed'],
    ['has nothing to do for a user who is not assigned', unassign, { milestone: OURS, assignees: ['adam'] }, 'done'],
    ['removes no owner of an issue without a milestone', unassign, {}, 'outside'],
    ['removes no owner of an issue of another release', unassign, { milestone: THEIRS }, 'outside'],
  ] as const)('%s', (_, change, changes, finding) => {
    expect(checkScopeChange(change, issue(changes), MILESTONE)).toBe(finding);
  });

  it('is applied only when the issue is in the desired state', () => {
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
    ['a removed link', unlink, [eight], true],
    ['a link that was not removed', unlink, [seven], false],
    ['an owner', assign, [seven], true],
    ['an owner of another issue', assign, [eight], false],
    ['another owner', assign, [fact({ number: 7, assignees: ['bob'] })], false],
    ['a removed owner', unassign, [fact({ number: 7, assignees: ['bob'] })], true],
    ['an owner who was not removed', unassign, [seven], false],
    ['the owners of an issue that is gone', unassign, [eight], false],
  ] as const)('detects in the issues of a milestone %s', (_, change, issues, expected) => {
    expect(reflectsChange(change, issues)).toBe(expected);
  });

  it.each([
    ['linked', link, [eight], [8, 7]],
    ['linked again', link, [seven, eight], [7, 8]],
    ['unlinked', unlink, [seven, eight], [8]],
    ['given an owner', assign, [seven, eight], [7, 8]],
  ] as const)('returns the issues of a milestone after an issue was %s', (_, change, issues, numbers) => {
    const changed = issue({ milestone: OURS, assignees: ['bob'] });
    const after = withChange(issues, change, changed);
    expect(after.map(({ number }) => number)).toEqual(numbers);
    const { milestone: _milestone, ...expectedFact } = changed;
    if (change !== unlink) expect(after.find(({ number }) => number === 7)).toEqual(expectedFact);
  });
});

describe('scopeRight', () => {
  it.each([
    ['yes', 'triage', { userId: 1, level: 'triage' }],
    ['yes', 'write', { userId: 1, level: 'write' }],
    ['yes', 'admin', { userId: 1, level: 'admin' }],
    ['yes', 'a custom role on write', { userId: 1, level: 'write', isCustomRole: true }],
    ['no', 'read', { userId: 1, level: 'read' }],
    ['no', 'none', { userId: 1, level: 'none' }],
    ['unknown', 'a custom role on read, which may include triage', { userId: 1, level: 'read', isCustomRole: true }],
    ['unknown', 'a permission that is not known', null],
  ] as const)('is %s with %s, and no for a shipped release', (expected, _name, permission) => {
    expect([scopeRight(permission, false), scopeRight(permission, true)]).toEqual([expected, 'no']);
  });
});
