import type { Sha } from '../git/git-object.js';
import { commitDetail, commitView, fileChangeView } from '../views/commit-view.js';
import { ApiError, notFound } from './api-error.js';
import type { Answer, RepositoryCall } from './call.js';
import { repositoryRoute, ok, type Route } from './route.js';

/** The maximum number of changed files in a comparison of GitHub. */
const FILES_IN_A_COMPARISON = 300;

export const commitRoutes: readonly Route[] = [
  repositoryRoute('GET', '/commits', 'contents:read', (call) => {
    const { git, defaultBranch } = call.repository;
    const from = git.resolve(call.query('sha') ?? defaultBranch);
    if (from === null && call.query('sha') === undefined) throw new ApiError(409, 'Git Repository is empty.');
    if (from === null) throw notFound();
    const path = call.query('path');
    const history = git.ancestry.history(from);
    const listed = path === undefined ? history : history.filter((sha) => git.touches(sha, path));
    return call.page(listed, (sha) => commitView(call.repository, sha));
  }),
  repositoryRoute('GET', '/commits/*', 'contents:read', (call) => {
    const sha = findCommit(call, call.param('*'));
    return ok(commitDetail(call.repository, sha));
  }),
  repositoryRoute('GET', '/compare/*', 'contents:read', compare),
  repositoryRoute('GET', '/branches/*', 'contents:read', (call) => {
    const name = call.param('*');
    const sha = call.repository.git.branchHead(name);
    if (sha === null) throw new ApiError(404, 'Branch not found');
    const { apiUrl, htmlUrl } = call.repository;
    const url = `${apiUrl}/branches/${encodeURIComponent(name)}`;
    return ok({
      name,
      commit: commitView(call.repository, sha),
      _links: { self: url, html: `${htmlUrl}/tree/${name}` },
      protected: call.repository.rulesets.activeRules(name).length > 0,
      protection: { enabled: false, required_status_checks: { enforcement_level: 'off', contexts: [], checks: [] } },
      protection_url: `${url}/protection`,
    });
  }),
];

/** The commit of a name in the path. GitHub returns 422 for a text that looks like a SHA and is none. */
export function findCommit(call: RepositoryCall, name: string): Sha {
  const sha = call.repository.git.resolve(name);
  if (sha !== null) return sha;
  throw new ApiError(422, `No commit found for SHA: ${name}`);
}

function compare(call: RepositoryCall): Answer {
  const { git, apiUrl, htmlUrl } = call.repository;
  const [baseName = '', headName = ''] = call.param('*').split('...');
  const withoutOwner = (name: string) => name.replace(/^[^:/]+:/, '');
  const [base, head] = [git.resolve(withoutOwner(baseName)), git.resolve(withoutOwner(headName))];
  if (base === null || head === null) throw notFound();
  const comparison = git.compare(base, head);
  if (!comparison) throw new ApiError(404, `No common ancestor between ${baseName} and ${headName}.`);
  const html = `${htmlUrl}/compare/${baseName}...${headName}`;
  const isFirstPage = (call.query('page') ?? '1') === '1';
  const files = isFirstPage ? comparison.files.slice(0, FILES_IN_A_COMPARISON) : [];
  return call.page(
    comparison.commits,
    (sha) => commitView(call.repository, sha),
    (commits, total) => ({
      url: `${apiUrl}/compare/${baseName}...${headName}`,
      html_url: html,
      permalink_url: html,
      diff_url: `${html}.diff`,
      patch_url: `${html}.patch`,
      base_commit: commitView(call.repository, base),
      merge_base_commit: commitView(call.repository, comparison.mergeBase),
      status: comparison.status,
      ahead_by: total,
      behind_by: comparison.behindBy,
      total_commits: total,
      commits,
      files: files.map((change) => fileChangeView(call.repository, head, change)),
    }),
  );
}
