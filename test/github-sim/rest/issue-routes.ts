import type { Issue } from '../state/issues.js';
import type { Milestone } from '../state/milestones.js';
import type { User } from '../state/user.js';
import { issueView, timelineView } from '../views/issue-view.js';
import { userView } from '../views/user-view.js';
import { ApiError, invalid, notFound } from './api-error.js';
import type { RepositoryCall } from './call.js';
import { refuseLong } from './length-limits.js';
import { created, repositoryRoute, type Method, ok, type RepositoryRoute, type Route } from './route.js';

export const issueRoutes: readonly Route[] = [
  repositoryRoute('GET', '/assignees', 'issues|pull_requests:read', (call) =>
    call.page(call.repository.assignableUsers(), userView),
  ),
  repositoryRoute('GET', '/issues', 'issues|pull_requests:read', (call) => call.page(matching(call), issueView)),
  repositoryRoute('POST', '/issues', 'issues:write', (call) => {
    refuseLong('Issue', call.fields);
    const issue = call.repository.issues.create({
      title: call.requiredText('title'),
      body: call.text('body') ?? null,
      author: call.actor,
      milestone: milestoneOf(call) ?? null,
      labels: labelsOf(call),
      assignees: users(call, 'assignees'),
    });
    return created(issueView(issue));
  }),
  repositoryRoute('GET', '/issues/:number', 'issues|pull_requests:read', (call) => ok(issueView(issueOf(call)))),
  triaging('PATCH', '/issues/:number', (call) => {
    refuseLong('Issue', call.fields);
    edit(call, issueOf(call));
    return ok(issueView(issueOf(call)));
  }),
  triaging('POST', '/issues/:number/assignees', (call) => {
    const issue = issueOf(call);
    for (const user of users(call, 'assignees')) call.repository.issues.assign(issue, user, call.actor);
    return created(issueView(issue));
  }),
  triaging('DELETE', '/issues/:number/assignees', (call) => {
    const issue = issueOf(call);
    for (const user of users(call, 'assignees')) call.repository.issues.unassign(issue, user, call.actor);
    return ok(issueView(issue));
  }),
  repositoryRoute('GET', '/issues/:number/timeline', 'issues|pull_requests:read', (call) =>
    call.page(timelineView(issueOf(call)), (event) => event),
  ),
];

/** A route that requires the role `triage` of a user. */
function triaging(method: Method, path: string, handle: RepositoryRoute['handle']): RepositoryRoute {
  return repositoryRoute(method, path, 'issues|pull_requests:write', handle, 'triage');
}

function issueOf(call: RepositoryCall): Issue {
  const issue = call.repository.issues.find(call.number('number'));
  if (!issue) throw notFound();
  return issue;
}

/** The issues that match the query, newest first, which is GitHub's default order. */
function matching(call: RepositoryCall): readonly Issue[] {
  const [state, milestone, assignee] = [call.query('state') ?? 'open', call.query('milestone'), call.query('assignee')];
  const creator = call.query('creator');
  const labels = (call.query('labels') ?? '').split(',').filter((name) => name !== '');
  if (milestone !== undefined && /^\d+$/.test(milestone) && !call.repository.milestones.find(Number(milestone))) {
    throw invalid({ field: 'milestone', code: 'missing' });
  }
  const issues = call.repository.issues
    .list()
    .filter(
      (issue) =>
        (state === 'all' || issue.state === state) &&
        hasMilestone(issue, milestone) &&
        (creator === undefined || issue.author.login === creator) &&
        (assignee === undefined || [...issue.assignees.values()].some(({ login }) => login === assignee)) &&
        labels.every((name) => issue.labels.has(name)),
    );
  return call.query('direction') === 'asc' ? issues : issues.toReversed();
}

function hasMilestone(issue: Issue, requested: string | undefined): boolean {
  if (requested === undefined) return true;
  if (requested === 'none') return issue.milestone === null;
  return requested === '*' ? issue.milestone !== null : issue.milestone?.number === Number(requested);
}

function edit(call: RepositoryCall, issue: Issue): void {
  const { issues } = call.repository;
  const [title, body, state] = [call.text('title'), call.text('body'), call.text('state')];
  if (title !== undefined || body !== undefined) {
    issues.edit(issue, { ...(title !== undefined && { title }), ...(body !== undefined && { body }) }, call.actor);
  }
  const milestone = milestoneOf(call);
  if (milestone !== undefined) issues.setMilestone(issue, milestone, call.actor);
  if (call.fields['labels'] !== undefined) replaceLabels(call, issue);
  if (call.fields['assignees'] !== undefined) replaceAssignees(call, issue);
  if (state === 'closed') close(call, issue);
  if (state === 'open') reopen(call, issue);
}

function close({ repository, actor }: RepositoryCall, issue: Issue): void {
  if (issue.pull) repository.pulls.close(issue.pull, actor);
  else repository.issues.close(issue, actor);
}

function reopen({ repository, actor }: RepositoryCall, issue: Issue): void {
  if (issue.pull) repository.pulls.reopen(issue.pull, actor);
  else repository.issues.reopen(issue, actor);
}

function replaceLabels(call: RepositoryCall, issue: Issue): void {
  const requested = labelsOf(call);
  for (const name of issue.labels.keys()) {
    if (!requested.includes(name)) call.repository.issues.removeLabel(issue, name, call.actor);
  }
  for (const name of requested) call.repository.issues.addLabel(issue, name, call.actor);
}

function replaceAssignees(call: RepositoryCall, issue: Issue): void {
  const requested = users(call, 'assignees');
  for (const user of issue.assignees.values()) {
    if (!requested.includes(user)) call.repository.issues.unassign(issue, user, call.actor);
  }
  for (const user of requested) call.repository.issues.assign(issue, user, call.actor);
}

function labelsOf(call: RepositoryCall): readonly string[] {
  const labels = (call.fields['labels'] ?? []) as readonly (string | { readonly name: string })[];
  return labels.map((label) => (typeof label === 'string' ? label : label.name));
}

/** Users by login. GitHub silently omits users who cannot be assigned. */
function users(call: RepositoryCall, field: string): readonly User[] {
  const found = call.texts(field).map((login) => call.state.accounts.findUser(login));
  return found.filter((user) => user !== null && call.repository.roleOf(user) !== 'none') as readonly User[];
}

function milestoneOf(call: RepositoryCall): Milestone | null | undefined {
  const number = call.fields['milestone'];
  if (number === undefined || number === null) return number;
  const milestone = call.repository.milestones.find(Number(number));
  if (!milestone) throw new ApiError(422, 'Validation Failed', [{ field: 'milestone', code: 'invalid' }]);
  return milestone;
}
