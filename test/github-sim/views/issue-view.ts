import type { Issue, Label } from '../state/issues.js';
import type { Repository } from '../state/repository.js';
import type { User } from '../state/user.js';
import { milestoneView } from './milestone-view.js';
import { repositoryView } from './repository-view.js';
import { userOrGhost, userView } from './user-view.js';
import { isoDate, isoDateOrNull, nodeId } from './wire.js';

export function labelView(repository: Repository, { id, name }: Label) {
  return {
    id,
    node_id: nodeId('Label', id),
    url: `${repository.apiUrl}/labels/${encodeURIComponent(name)}`,
    name,
    color: 'ededed',
    default: false,
    description: null,
  };
}

export function authorAssociation(repository: Repository, user: User): 'OWNER' | 'MEMBER' | 'COLLABORATOR' | 'NONE' {
  if (repository.owner.members.has(user.id)) return 'MEMBER';
  return repository.collaborators.has(user.id) ? 'COLLABORATOR' : 'NONE';
}

/** The common fields of issues and pull requests. */
export function issueCore(issue: Issue) {
  const { id, number, repository, title, body, state } = issue;
  const assignees = [...issue.assignees.values()].map(userView);
  return {
    id,
    number,
    title,
    body,
    state,
    locked: false,
    active_lock_reason: null,
    node_id: nodeId(issue.pull ? 'PullRequest' : 'Issue', id),
    user: userView(issue.author),
    labels: [...issue.labels.values()].map((label) => labelView(repository, label)),
    assignee: assignees[0] ?? null,
    assignees,
    milestone: issue.milestone && milestoneView(issue.milestone),
    created_at: isoDate(issue.createdAt),
    updated_at: isoDate(issue.updatedAt),
    closed_at: isoDateOrNull(issue.closedAt),
    author_association: authorAssociation(repository, issue.author),
  };
}

/** `issue`. A pull request in a list of issues has the key `pull_request`. */
export function issueView(issue: Issue) {
  const { number, repository, pull } = issue;
  const url = `${repository.apiUrl}/issues/${number}`;
  const pullHtml = `${repository.htmlUrl}/pull/${number}`;
  return {
    ...issueCore(issue),
    url,
    repository_url: repository.apiUrl,
    labels_url: `${url}/labels{/name}`,
    comments_url: `${url}/comments`,
    events_url: `${url}/events`,
    html_url: pull ? pullHtml : `${repository.htmlUrl}/issues/${number}`,
    comments: 0,
    reactions: reactionsView(url),
    timeline_url: `${url}/timeline`,
    performed_via_github_app: null,
    state_reason: issue.state === 'closed' && !pull ? 'completed' : null,
    ...(pull && {
      draft: pull.draft,
      pull_request: {
        url: `${repository.apiUrl}/pulls/${number}`,
        html_url: pullHtml,
        diff_url: `${pullHtml}.diff`,
        patch_url: `${pullHtml}.patch`,
        merged_at: isoDateOrNull(pull.mergedAt),
      },
    }),
  };
}

/** The timeline of an issue: the mentions of the issue. */
export function timelineView(issue: Issue) {
  return issue.mentionedBy.map(({ source, by, at }) => ({
    event: 'cross-referenced',
    ...(userOrGhost(by) && { actor: userView(by) }),
    created_at: isoDate(at),
    updated_at: isoDate(at),
    source: { type: 'issue', issue: { ...issueView(source), repository: repositoryView(source.repository) } },
  }));
}

function reactionsView(issueUrl: string) {
  return {
    url: `${issueUrl}/reactions`,
    total_count: 0,
    '+1': 0,
    '-1': 0,
    laugh: 0,
    hooray: 0,
    confused: 0,
    heart: 0,
    rocket: 0,
    eyes: 0,
  };
}
