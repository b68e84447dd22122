import type { TreeFile } from '../git/object-store.js';
import type { Repository } from '../state/repository.js';
import { commitView } from '../views/commit-view.js';
import { ApiError, invalid, notFound } from './api-error.js';
import type { Answer, RepositoryCall } from './call.js';
import { inRepository, ok, type Route } from './route.js';

export const contentRoutes: readonly Route[] = [
  inRepository('GET', '/contents/*', 'contents:read', read),
  inRepository('PUT', '/contents/*', 'contents:write', write),
];

function read(call: RepositoryCall): Answer {
  const { git, defaultBranch } = call.repository;
  const path = call.param('*').replace(/\/$/, '');
  const ref = call.query('ref') ?? defaultBranch;
  const commit = git.resolve(ref);
  if (commit === null) {
    throw call.query('ref') === undefined ? notFound() : new ApiError(404, `No commit found for the ref ${ref}`);
  }
  const files = git.filesAt(commit);
  const file = files.get(path);
  if (!file) return ok(folder(call.repository, files, path, ref));
  const content = git.store.blob(file.sha);
  if (String(call.headers['accept'] ?? '').includes('raw')) {
    return { status: 200, body: content, headers: { 'content-type': 'application/vnd.github.raw; charset=utf-8' } };
  }
  const encoded = `${content.toString('base64').replaceAll(/.{60}/g, '$&\n')}\n`;
  return ok({ ...entryView(call.repository, path, file, ref), content: encoded, encoding: 'base64' });
}

function folder(repository: Repository, files: ReadonlyMap<string, TreeFile>, path: string, ref: string): object[] {
  const prefix = path === '' ? '' : `${path}/`;
  const inside = [...files].filter(([name]) => name.startsWith(prefix));
  if (inside.length === 0) throw notFound();
  const direct = inside.filter(([name]) => !name.slice(prefix.length).includes('/'));
  return direct.map(([name, file]) => entryView(repository, name, file, ref));
}

function write(call: RepositoryCall): Answer {
  const { repository } = call;
  const path = call.param('*');
  const branch = call.text('branch') ?? repository.defaultBranch;
  const head = repository.git.branchHead(branch);
  if (head === null && repository.git.refs.size > 0) throw new ApiError(404, `Branch ${branch} not found`);
  const before = head === null ? undefined : repository.git.filesAt(head).get(path);
  const sent = call.text('sha');
  if (before && sent === undefined) throw new ApiError(422, `Invalid request.\n\n"sha" wasn't supplied.`);
  if (sent !== undefined && sent !== before?.sha) throw new ApiError(409, `${path} does not match ${sent}`);
  const content = call.text('content');
  if (content === undefined) throw invalid({ field: 'content', code: 'missing_field' });
  const sha = repository.commit({
    branch,
    files: { [path]: Buffer.from(content, 'base64') },
    message: call.requiredText('message'),
    author: call.actor,
  });
  const file = repository.git.filesAt(sha).get(path);
  if (!file) throw notFound();
  const { commit, ...around } = commitView(repository, sha);
  const body = { content: entryView(repository, path, file, branch), commit: { ...around, ...commit } };
  return { status: before ? 200 : 201, body };
}

function entryView(repository: Repository, path: string, file: TreeFile, ref: string) {
  const { apiUrl, htmlUrl, git } = repository;
  const url = `${apiUrl}/contents/${path}?ref=${encodeURIComponent(ref)}`;
  const gitUrl = `${apiUrl}/git/blobs/${file.sha}`;
  const html = `${htmlUrl}/blob/${ref}/${path}`;
  return {
    name: path.split('/').at(-1) ?? path,
    path,
    sha: file.sha,
    size: git.store.blob(file.sha).length,
    url,
    html_url: html,
    git_url: gitUrl,
    download_url: `${htmlUrl}/raw/${ref}/${path}`,
    type: 'file',
    _links: { self: url, git: gitUrl, html },
  };
}
