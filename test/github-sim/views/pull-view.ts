import type { Pull } from '../state/pull.js';
import type { Repository } from '../state/repository.js';
import { issueCore } from './issue-view.js';
import { repositoryView } from './repository-view.js';
import { teamListItem, teamView } from './team-view.js';
import { userView } from './user-view.js';
import { isoDateOrNull } from './wire.js';

/** The pull request in an event about a review. */
export function pullSimpleView(pull: Pull) {
  const { issue, repository, number } = pull;
  const url = `${repository.apiUrl}/pulls/${number}`;
  const issueUrl = `${repository.apiUrl}/issues/${number}`;
  const htmlUrl = `${repository.htmlUrl}/pull/${number}`;
  const links = {
    html: htmlUrl,
    issue: issueUrl,
    comments: `${issueUrl}/comments`,
    review_comments: `${url}/comments`,
    review_comment: `${repository.apiUrl}/pulls/comments{/number}`,
    commits: `${url}/commits`,
    statuses: `${repository.apiUrl}/statuses/${pull.headSha}`,
  };
  return {
    ...issueCore(issue),
    url,
    html_url: htmlUrl,
    diff_url: `${htmlUrl}.diff`,
    patch_url: `${htmlUrl}.patch`,
    issue_url: issueUrl,
    commits_url: links.commits,
    review_comments_url: links.review_comments,
    review_comment_url: links.review_comment,
    comments_url: links.comments,
    statuses_url: links.statuses,
    merged_at: isoDateOrNull(pull.mergedAt),
    merge_commit_sha: pull.mergeCommitSha,
    requested_reviewers: pull.requestedReviewers.map(userView),
    requested_teams: pull.requestedTeams.map((team) => teamView(team)),
    draft: pull.draft,
    head: sideView(pull.fork ?? repository, pull.headRef, pull.headSha),
    base: sideView(repository, pull.baseRef, pull.baseSha),
    _links: {
      self: { href: url },
      ...Object.fromEntries(Object.entries(links).map(([name, href]) => [name, { href }])),
    },
    auto_merge: null,
  };
}

/** The pull request in a `pull_request` event, with the computed fields. */
export function pullView(pull: Pull) {
  const comparison = pull.comparison();
  const isOpen = pull.issue.state === 'open';
  const mergeable = isOpen ? pull.isMergeable() : null;
  return {
    ...pullSimpleView(pull),
    merged: pull.mergedAt !== null,
    mergeable,
    rebaseable: mergeable,
    mergeable_state: mergeable === null ? 'unknown' : mergeable ? 'clean' : 'dirty',
    merged_by: pull.mergedBy && userView(pull.mergedBy),
    comments: 0,
    review_comments: 0,
    maintainer_can_modify: false,
    commits: comparison?.commits.length ?? 0,
    additions: 0,
    deletions: 0,
    changed_files: comparison?.files.length ?? 0,
  };
}

/** `pull-request-simple`: the pull request in lists of the REST API, with teams in the form of the API. */
export function pullListItem(pull: Pull) {
  return { ...pullSimpleView(pull), requested_teams: pull.requestedTeams.map(teamListItem) };
}

/** `pull-request`. */
export function pullDetail(pull: Pull) {
  return { ...pullView(pull), requested_teams: pull.requestedTeams.map(teamListItem) };
}

function sideView(repository: Repository, ref: string, sha: string) {
  const { owner } = repository;
  return { label: `${owner.login}:${ref}`, ref, sha, user: userView(owner), repo: repositoryView(repository) };
}
