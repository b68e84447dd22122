import type { Repository } from '../state/repository.js';
import { userView } from './user-view.js';
import { isoDate, nodeId } from './wire.js';

/** The links of a repository by field, as paths below its address. */
const LINKS: Readonly<Record<string, string>> = {
  forks_url: '/forks',
  keys_url: '/keys{/key_id}',
  collaborators_url: '/collaborators{/collaborator}',
  teams_url: '/teams',
  hooks_url: '/hooks',
  issue_events_url: '/issues/events{/number}',
  events_url: '/events',
  assignees_url: '/assignees{/user}',
  branches_url: '/branches{/branch}',
  tags_url: '/tags',
  blobs_url: '/git/blobs{/sha}',
  git_tags_url: '/git/tags{/sha}',
  git_refs_url: '/git/refs{/sha}',
  trees_url: '/git/trees{/sha}',
  statuses_url: '/statuses/{sha}',
  languages_url: '/languages',
  stargazers_url: '/stargazers',
  contributors_url: '/contributors',
  subscribers_url: '/subscribers',
  subscription_url: '/subscription',
  commits_url: '/commits{/sha}',
  git_commits_url: '/git/commits{/sha}',
  comments_url: '/comments{/number}',
  issue_comment_url: '/issues/comments{/number}',
  contents_url: '/contents/{+path}',
  compare_url: '/compare/{base}head',
  merges_url: '/merges',
  archive_url: '/{archive_format}{/ref}',
  downloads_url: '/downloads',
  issues_url: '/issues{/number}',
  pulls_url: '/pulls{/number}',
  milestones_url: '/milestones{/number}',
  notifications_url: '/notifications{?since,all,participating}',
  labels_url: '/labels{/name}',
  releases_url: '/releases{/id}',
  deployments_url: '/deployments',
};

/** A repository in webhooks. */
export function repositoryView(repository: Repository) {
  const { id, name, fullName, apiUrl, htmlUrl, owner } = repository;
  const openIssues = repository.issues.list().filter(({ state }) => state === 'open').length;
  const links = Object.fromEntries(Object.entries(LINKS).map(([field, path]) => [field, `${apiUrl}${path}`]));
  return {
    id,
    node_id: nodeId('Repository', id),
    name,
    full_name: fullName,
    private: repository.private,
    owner: userView(owner),
    html_url: htmlUrl,
    description: null,
    fork: false,
    url: apiUrl,
    ...links,
    created_at: isoDate(repository.createdAt),
    updated_at: isoDate(repository.pushedAt),
    pushed_at: isoDate(repository.pushedAt),
    git_url: htmlUrl.replace(/^https?/, 'git'),
    ssh_url: `git@github.test:${fullName}.git`,
    clone_url: `${htmlUrl}.git`,
    svn_url: htmlUrl,
    homepage: null,
    size: 1,
    stargazers_count: 0,
    watchers_count: 0,
    language: null,
    has_issues: true,
    has_projects: false,
    has_downloads: true,
    has_wiki: false,
    has_pages: false,
    has_discussions: false,
    forks_count: 0,
    mirror_url: null,
    archived: repository.archived,
    disabled: false,
    open_issues_count: openIssues,
    license: null,
    forks: 0,
    open_issues: openIssues,
    watchers: 0,
    default_branch: repository.defaultBranch,
    is_template: false,
    web_commit_signoff_required: false,
    topics: [],
    visibility: repository.private ? 'private' : 'public',
    custom_properties: {},
  };
}

/** `full-repository`. */
export function repositoryDetail(repository: Repository) {
  return { ...repositoryView(repository), network_count: 0, subscribers_count: 0 };
}

/** A repository in an `installation` event. */
export function repositoryReference({ id, name, fullName, private: isPrivate }: Repository) {
  return { id, node_id: nodeId('Repository', id), name, full_name: fullName, private: isPrivate };
}
