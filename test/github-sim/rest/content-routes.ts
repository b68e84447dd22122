import { posix } from 'node:path';
import type { Sha } from '../git/git-object.js';
import type { TreeFile } from '../git/object-store.js';
import type { Repository } from '../state/repository.js';
import { commitView } from '../views/commit-view.js';
import { ApiError, invalid, notFound } from './api-error.js';
import type { Answer, RepositoryCall } from './call.js';
import { repositoryRoute, ok, type Route } from './route.js';

export const contentRoutes: readonly Route[] = [
  repositoryRoute('GET', '/contents/*', 'contents:read', read),
  repositoryRoute('PUT', '/contents/*', 'contents:write', write),
];

/** The maximum number of entries in GitHub's response for a folder. */
const ENTRIES_OF_A_FOLDER = 1000;

function read(call: RepositoryCall): Answer {
  const { git, defaultBranch } = call.repository;
  const path = call.param('*').replace(/\/$/, '');
  const ref = call.query('ref') ?? defaultBranch;
  const commit = git.resolve(ref);
  if (commit === null) {
    throw call.query('ref') === undefined ? notFound() : new ApiError(404, `No commit found for the ref ${ref}`);
  }
  const files = git.filesAt(commit);
  const file = followed(call.repository, files, path);
  if (!file) return ok(folder(call.repository, commit, path, ref));
  const content = git.store.blob(file.sha);
  if (String(call.headers['accept'] ?? '').includes('raw')) {
    return { status: 200, body: content, headers: { 'content-type': 'application/vnd.github.raw; charset=utf-8' } };
  }
  const encoded = `${content.toString('base64').replaceAll(/.{60}/g, '$&\n')}\n`;
  return ok({ ...entryView(call.repository, path, file, ref), content: encoded, encoding: 'base64' });
}

/** Follows a symbolic link. GitHub returns the target, as if it were at the path of the link. */
function followed({ git }: Repository, files: ReadonlyMap<string, TreeFile>, path: string): TreeFile | undefined {
  const file = files.get(path);
  if (file?.mode !== '120000') return file;
  const target = git.store.blob(file.sha).toString('utf8');
  return files.get(posix.join(posix.dirname(path), target)) ?? file;
}

function folder(repository: Repository, commit: Sha, path: string, ref: string): object[] {
  const files = repository.git.filesAt(commit);
  const prefix = path === '' ? '' : `${path}/`;
  const inside = [...files].filter(([name]) => name.startsWith(prefix));
  if (inside.length === 0) throw notFound();
  const names = [...new Set(inside.map(([name]) => name.slice(prefix.length).split('/')[0] ?? ''))];
  return names.slice(0, ENTRIES_OF_A_FOLDER).map((name) => {
    const file = files.get(`${prefix}${name}`);
    return file
      ? { ...entryView(repository, `${prefix}${name}`, file, ref), type: typeInFolder(file) }
      : folderView(repository, commit, `${prefix}${name}`, ref);
  });
}

/** GitHub's words: "submodules have their type specified as file", for backwards compatibility. */
const typeInFolder = ({ mode }: TreeFile): string => (mode === '120000' ? 'symlink' : 'file');

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
  repository.rulesets.admitPush(branch, head === null ? 'made' : 'moved');
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

function folderView({ apiUrl, htmlUrl, git }: Repository, commit: Sha, path: string, ref: string) {
  const url = `${apiUrl}/contents/${path}?ref=${encodeURIComponent(ref)}`;
  const html = `${htmlUrl}/tree/${ref}/${path}`;
  const sha = treeAt(git, commit, path);
  const gitUrl = `${apiUrl}/git/trees/${sha}`;
  return {
    name: path.split('/').at(-1) ?? path,
    path,
    sha,
    size: 0,
    url,
    html_url: html,
    git_url: gitUrl,
    download_url: null,
    type: 'dir',
    _links: { self: url, git: gitUrl, html },
  };
}

function treeAt({ store }: Repository['git'], commit: Sha, path: string): Sha {
  return path.split('/').reduce((tree, name) => {
    const found = store.tree(tree).find((entry) => entry.name === name);
    if (!found) throw notFound();
    return found.sha;
  }, store.commit(commit).tree);
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
    size: git.store.hasBlob(file.sha) ? git.store.blob(file.sha).length : 0,
    url,
    html_url: html,
    git_url: gitUrl,
    download_url: `${htmlUrl}/raw/${ref}/${path}`,
    type: 'file',
    _links: { self: url, git: gitUrl, html },
  };
}
