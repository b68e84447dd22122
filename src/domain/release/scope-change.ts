import type { IssueFact, PermissionFact } from '../facts/facts.js';

export const SCOPE_ACTIONS = ['assign', 'unassign', 'link', 'unlink'] as const;
export type ScopeAction = (typeof SCOPE_ACTIONS)[number];

/** A requested change of one issue of a release. */
export type ScopeChange =
  | { readonly action: 'link' | 'unlink'; readonly number: number }
  | { readonly action: 'assign' | 'unassign'; readonly number: number; readonly assignee: string };

/** An issue with its milestone. */
export interface ScopedIssue extends IssueFact {
  readonly milestone: { readonly githubId: number; readonly title: string } | null;
}

/**
 * The result of checking a change against the issue. `needed`: the change must be applied. `done`: the issue is in the
 * requested state already. All others are rejected: the issue has the milestone of another release (`elsewhere`), does
 * not have the milestone of this release (`outside`), or is closed (`closed`).
 */
export type ScopeChangeCheck = 'needed' | 'done' | 'elsewhere' | 'outside' | 'closed';

/**
 * Checks a change without affecting another release: only an issue without a milestone is linked, and only an issue of
 * this release is unlinked.
 */
export function checkScopeChange(change: ScopeChange, issue: ScopedIssue, milestoneGithubId: number): ScopeChangeCheck {
  if (isApplied(change, issue, milestoneGithubId)) return 'done';
  if (issue.milestone?.githubId === milestoneGithubId) return 'needed';
  if ('assignee' in change) return 'outside';
  if (issue.milestone !== null) return 'elsewhere';
  return issue.state === 'open' ? 'needed' : 'closed';
}

export const SCOPE_RIGHTS = ['yes', 'no', 'unknown'] as const;
export type ScopeRight = (typeof SCOPE_RIGHTS)[number];

const MAY_TRIAGE: readonly PermissionFact['level'][] = ['triage', 'write', 'maintain', 'admin'];

/**
 * Returns whether a user with this permission may change the scope of the release. The permission is null if it is not
 * known. GitHub decides again at each change. A custom role may include triage although its base permission is lower.
 */
export function scopeRight(permission: PermissionFact | null, isShipped: boolean): ScopeRight {
  if (isShipped) return 'no';
  if (permission === null) return 'unknown';
  if (MAY_TRIAGE.includes(permission.level)) return 'yes';
  return permission.isCustomRole ? 'unknown' : 'no';
}

/** Returns whether the issue is already in the requested state. */
export function isApplied(change: ScopeChange, issue: ScopedIssue, milestoneGithubId: number): boolean {
  if (change.action === 'unlink') return issue.milestone === null;
  return issue.milestone?.githubId === milestoneGithubId && hasDesiredAssignee(change, issue);
}

/** Returns whether a list of the milestone's issues already shows the change. */
export function reflectsChange(change: ScopeChange, issues: readonly IssueFact[]): boolean {
  const issue = issues.find(({ number }) => number === change.number);
  if (change.action === 'unlink') return issue === undefined;
  return issue !== undefined && hasDesiredAssignee(change, issue);
}

/** Returns the issues of the milestone with the change applied, for a list that does not show it yet. */
export function withChange(
  issues: readonly IssueFact[],
  { action, number }: ScopeChange,
  changed: ScopedIssue,
): readonly IssueFact[] {
  if (action === 'unlink') return issues.filter((known) => known.number !== number);
  const { title, state, assignees, labels, url } = changed;
  const issue = { number, title, state, assignees, labels, url };
  return issues.some((known) => known.number === number)
    ? issues.map((known) => (known.number === number ? issue : known))
    : [...issues, issue];
}

/** GitHub compares logins without regard to case. */
function hasDesiredAssignee(change: ScopeChange, { assignees }: IssueFact): boolean {
  if (!('assignee' in change)) return true;
  const owns = assignees.some((login) => login.toLowerCase() === change.assignee.toLowerCase());
  return owns === (change.action === 'assign');
}
