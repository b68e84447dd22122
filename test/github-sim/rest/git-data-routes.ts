import type { Sha, Signature, TreeEntryMode } from '../git/git-object.js';
import type { TreeFile } from '../git/object-store.js';
import type { Repository } from '../state/repository.js';
import { gitCommitView } from '../views/commit-view.js';
import { nodeId } from '../views/wire.js';
import { ApiError, invalid, notAccessible, notFound } from './api-error.js';
import type { RepositoryCall } from './call.js';
import type { Caller } from './caller.js';
import { created, repositoryRoute, ok, type Route } from './route.js';

interface SentEntry {
  readonly path?: string;
  readonly mode?: TreeEntryMode | '040000';
  readonly sha?: Sha | null;
  readonly content?: string;
}

export const gitDataRoutes: readonly Route[] = [
  repositoryRoute('POST', '/git/blobs', 'contents:write', (call) => {
    const encoding = call.text('encoding') === 'base64' ? 'base64' : 'utf8';
    const content = call.text('content');
    if (content === undefined) throw invalid({ field: 'content', code: 'missing_field' });
    const sha = call.repository.git.store.putBlob(Buffer.from(content, encoding));
    return created({ sha, url: `${call.repository.apiUrl}/git/blobs/${sha}` });
  }),
  repositoryRoute('GET', '/git/blobs/:sha', 'contents:read', (call) => {
    const { git, apiUrl } = call.repository;
    const sha = call.param('sha');
    if (!git.store.hasBlob(sha)) throw notFound();
    const content = git.store.blob(sha);
    return ok({
      sha,
      node_id: nodeId('Blob', sha),
      size: content.length,
      url: `${apiUrl}/git/blobs/${sha}`,
      content: content.toString('base64'),
      encoding: 'base64',
    });
  }),
  repositoryRoute('POST', '/git/trees', 'contents:write', (call) =>
    created(treeView(call.repository, writeTree(call), false)),
  ),
  repositoryRoute('GET', '/git/trees/:sha', 'contents:read', (call) => {
    const { git } = call.repository;
    const named = call.param('sha');
    const commit = git.resolve(named);
    const tree = git.store.hasTree(named) ? named : commit && git.store.commit(commit).tree;
    if (!tree) throw notFound();
    return ok(treeView(call.repository, tree, call.query('recursive') !== undefined));
  }),
  repositoryRoute('POST', '/git/commits', 'contents:write', (call) => {
    const { store } = call.repository.git;
    const [tree, parents] = [call.requiredText('tree'), call.texts('parents')];
    if (!store.hasTree(tree)) throw new ApiError(422, 'Tree SHA does not exist');
    if (!parents.every((parent) => store.hasCommit(parent))) throw new ApiError(422, 'Parent SHA does not exist');
    const author = signature(call, 'author') ?? call.actor.signature();
    const committer = signature(call, 'committer') ?? author;
    const sha = store.putCommit({ tree, parents, author, committer, message: call.requiredText('message') });
    return created(gitCommitView(call.repository, sha));
  }),
  repositoryRoute('GET', '/git/commits/:sha', 'contents:read', (call) => {
    if (!call.repository.git.store.hasCommit(call.param('sha'))) throw notFound();
    return ok(gitCommitView(call.repository, call.param('sha')));
  }),
];

/** Writes the sent entries over the base tree. A null SHA removes a path. */
function writeTree(call: RepositoryCall): Sha {
  const { store } = call.repository.git;
  const base = call.text('base_tree');
  const root = base === undefined ? null : treeOf(call.repository, base);
  const files = new Map<string, TreeFile>(root === null ? [] : store.files(root));
  const entries = call.fields['tree'];
  if (!Array.isArray(entries)) throw invalid({ field: 'tree', code: 'missing_field' });
  requireWorkflowAccess(
    call.caller,
    (entries as readonly SentEntry[]).map(({ path = '' }) => path),
  );
  for (const { path = '', mode = '100644', sha, content } of entries as readonly SentEntry[]) {
    if (path === '' || path.startsWith('/')) throw new ApiError(422, 'tree.path contains a malformed path component');
    if (sha === null) files.delete(path);
    else if (mode === '40000' || mode === '040000') addFolder(call, files, path, sha ?? '');
    else {
      const blob = content === undefined ? (sha ?? '') : store.putBlob(Buffer.from(content));
      if (!store.hasBlob(blob)) throw new ApiError(422, 'tree.sha is not a valid blob');
      // A file replaces a folder of its name.
      for (const inner of files.keys()) if (inner.startsWith(`${path}/`)) files.delete(inner);
      files.set(path, { mode, sha: blob });
    }
  }
  return store.putFiles(files);
}

function addFolder(call: RepositoryCall, files: Map<string, TreeFile>, path: string, sha: Sha): void {
  const { store } = call.repository.git;
  if (!store.hasTree(sha)) throw new ApiError(422, 'tree.sha is not a valid tree');
  for (const [inner, file] of store.files(sha)) files.set(`${path}/${inner}`, file);
}

/** GitHub accepts the SHA of a commit in place of a tree. */
function treeOf({ git }: Repository, sha: Sha): Sha {
  if (git.store.hasTree(sha)) return sha;
  if (git.store.hasCommit(sha)) return git.store.commit(sha).tree;
  throw new ApiError(422, 'base_tree is not a valid tree oid');
}

function treeView(repository: Repository, sha: Sha, recursive: boolean) {
  const { store } = repository.git;
  const urlOf = (kind: string, of: Sha) => `${repository.apiUrl}/git/${kind}s/${of}`;
  const entries: object[] = [];
  const collect = (tree: Sha, prefix: string): void => {
    for (const { mode, name, sha: child } of store.tree(tree)) {
      const path = `${prefix}${name}`;
      if (mode === '40000') {
        entries.push({ path, mode: '040000', type: 'tree', sha: child, url: urlOf('tree', child) });
        if (recursive) collect(child, `${path}/`);
      } else {
        const size = store.blob(child).length;
        entries.push({ path, mode, type: 'blob', sha: child, size, url: urlOf('blob', child) });
      }
    }
  };
  collect(sha, '');
  return { sha, url: urlOf('tree', sha), tree: entries, truncated: false };
}

function signature(call: RepositoryCall, field: string): Signature | null {
  const sent = call.fields[field] as { name?: string; email?: string; date?: string } | undefined;
  if (!sent?.name || !sent.email) return null;
  return { name: sent.name, email: sent.email, date: sent.date ? new Date(sent.date) : call.state.now() };
}

const WORKFLOWS = '.github/workflows/';

/**
 * Rejects a write of a workflow file without the permission. An app without the permission gets an error about it, and
 * a classic token without the scope `workflow` gets a 404.
 */
function requireWorkflowAccess(caller: Caller, paths: readonly string[]): void {
  if (!paths.some((path) => path.startsWith(WORKFLOWS))) return;
  if (caller.kind === 'installation' && caller.permissions['workflows'] !== 'write') throw notAccessible();
  if (caller.kind === 'user' && caller.app === null && !caller.scopes.has('workflow')) throw notFound();
}
