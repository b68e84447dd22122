import type { IssueFact } from '../facts/facts.js';

export const SCOPE_ACTIONS = ['assign', 'unassign', 'link', 'unlink'] as const;
export type ScopeAction = (typeof SCOPE_ACTIONS)[number];

/** What somebody wants changed about one issue of a release. */
export type ScopeChange =
  | { readonly action: 'link' | 'unlink'; readonly number: number }
  | { readonly action: 'assign' | 'unassign'; readonly number: number; readonly assignee: string };

/** An issue, and the milestone that it carries. */
export interface ScopedIssue extends IssueFact {
  readonly milestone: { readonly githubId: number; readonly title: string } | null;
}

/**
 * What a change comes to, as the issue stands. `needed`: it is to be made; `done`: it is so already. Otherwise it is refused:
 * the issue has the milestone of another release, or not that of this one, or it is closed.
 */
export type ScopeChangeCheck = 'needed' | 'done' | 'elsewhere' | 'outside' | 'closed';

/** Nothing is taken from another release: an issue is linked where it has no milestone, unlinked from this one alone. */
export function checkScopeChange(change: ScopeChange, issue: ScopedIssue, milestoneGithubId: number): ScopeChangeCheck {
  if (isApplied(change, issue, milestoneGithubId)) return 'done';
  if (issue.milestone?.githubId === milestoneGithubId) return 'needed';
  if ('assignee' in change) return 'outside';
  if (issue.milestone !== null) return 'elsewhere';
  return issue.state === 'open' ? 'needed' : 'closed';
}

/** Whether the issue is as the change wants it. */
export function isApplied(change: ScopeChange, issue: ScopedIssue, milestoneGithubId: number): boolean {
  if (change.action === 'unlink') return issue.milestone === null;
  return issue.milestone?.githubId === milestoneGithubId && isOwnedAsWanted(change, issue);
}

/** Whether the issues of the release's milestone, as somebody saw them, are as the change wants them. */
export function reflectsChange(change: ScopeChange, issues: readonly IssueFact[]): boolean {
  const issue = issues.find(({ number }) => number === change.number);
  if (change.action === 'unlink') return issue === undefined;
  return issue !== undefined && isOwnedAsWanted(change, issue);
}

/** The issues of the milestone after a change of one of them that they do not show yet. */
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
function isOwnedAsWanted(change: ScopeChange, { assignees }: IssueFact): boolean {
  if (!('assignee' in change)) return true;
  const owns = assignees.some((login) => login.toLowerCase() === change.assignee.toLowerCase());
  return owns === (change.action === 'assign');
}
