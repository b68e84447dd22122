import type { Pull } from '../state/pull.js';
import type { MergeMethod } from '../state/pull-merge.js';
import { commitView, fileChangeView } from '../views/commit-view.js';
import { pullDetail, pullListItem } from '../views/pull-view.js';
import { invalid, notFound } from './api-error.js';
import type { RepositoryCall } from './call.js';
import { refuseLong } from './length-limits.js';
import { created, repositoryRoute, ok, type Route } from './route.js';

export const pullRoutes: readonly Route[] = [
  repositoryRoute('GET', '/pulls', 'pull_requests:read', (call) => call.page(matching(call), pullListItem)),
  repositoryRoute('POST', '/pulls', 'pull_requests:write', (call) => {
    refuseLong('PullRequest', call.fields);
    const pull = call.repository.pulls.open({
      head: branchNamed(call.requiredText('head')),
      base: call.requiredText('base'),
      title: call.requiredText('title'),
      body: call.text('body') ?? null,
      author: call.actor,
      draft: call.fields['draft'] === true,
    });
    return created(pullDetail(pull));
  }),
  repositoryRoute('GET', '/pulls/:number', 'pull_requests:read', (call) => ok(pullDetail(pullOf(call)))),
  repositoryRoute('PATCH', '/pulls/:number', 'pull_requests:write', (call) => {
    refuseLong('PullRequest', call.fields);
    edit(call, pullOf(call));
    return ok(pullDetail(pullOf(call)));
  }),
  repositoryRoute('GET', '/pulls/:number/commits', 'pull_requests:read', (call) =>
    call.page(pullOf(call).comparison()?.commits ?? [], (sha) => commitView(call.repository, sha)),
  ),
  repositoryRoute('GET', '/pulls/:number/files', 'pull_requests:read', (call) => {
    const pull = pullOf(call);
    return call.page(pull.comparison()?.files ?? [], (change) => fileChangeView(call.repository, pull.headSha, change));
  }),
  repositoryRoute('PUT', '/pulls/:number/merge', 'contents:write', (call) => {
    const [expectedHead, title, message] = [call.text('sha'), call.text('commit_title'), call.text('commit_message')];
    const sha = call.repository.pulls.merge(pullOf(call), {
      by: call.actor,
      method: (call.text('merge_method') ?? 'merge') as MergeMethod,
      ...(expectedHead !== undefined && { expectedHead }),
      ...(title !== undefined && { title }),
      ...(message !== undefined && { message }),
    });
    return ok({ sha, merged: true, message: 'Pull Request successfully merged' });
  }),
  repositoryRoute('POST', '/pulls/:number/requested_reviewers', 'pull_requests:write', (call) => {
    const pull = pullOf(call);
    const teams = call.texts('team_reviewers').map((slug) => call.repository.owner.findTeam(slug));
    const users = call.texts('reviewers').map((login) => call.state.accounts.findUser(login));
    const canRead = users.every((user) => user && call.repository.roleOf(user) !== 'none');
    if (teams.includes(null) || !canRead) {
      throw invalid({ code: 'custom', message: 'Reviews may only be requested from collaborators.' });
    }
    for (const team of teams) if (team) call.repository.pulls.requestTeam(pull, team, call.actor);
    for (const user of users) if (user) call.repository.pulls.requestReviewer(pull, user, call.actor);
    return created(pullListItem(pull));
  }),
];

export function pullOf(call: RepositoryCall): Pull {
  const pull = call.repository.pulls.find(call.number('number'));
  if (!pull) throw notFound();
  return pull;
}

/** Newest first. A `head` filter without its owner is ignored, as on GitHub. */
function matching(call: RepositoryCall): readonly Pull[] {
  const [state, head, base] = [call.query('state') ?? 'open', call.query('head'), call.query('base')];
  const pulls = call.repository.pulls
    .list()
    .filter(
      (pull) =>
        (state === 'all' || pull.issue.state === state) &&
        (!head?.includes(':') || head === `${call.repository.owner.login}:${pull.headRef}`) &&
        (base === undefined || pull.baseRef === base),
    );
  return call.query('direction') === 'asc' ? pulls : pulls.toReversed();
}

function edit(call: RepositoryCall, pull: Pull): void {
  const { issues, pulls } = call.repository;
  const [title, body, state, base] = ['title', 'body', 'state', 'base'].map((name) => call.text(name));
  if (title !== undefined || body !== undefined) {
    const edits = { ...(title !== undefined && { title }), ...(body !== undefined && { body }) };
    issues.edit(pull.issue, edits, call.actor);
  }
  if (base !== undefined && base !== pull.baseRef) pulls.changeBase(pull, base, call.actor);
  if (state === 'closed') pulls.close(pull, call.actor);
  if (state === 'open' && pull.issue.state === 'closed') pulls.reopen(pull, call.actor);
}

function branchNamed(head: string): string {
  return head.replace(/^[^:]+:/, '');
}
