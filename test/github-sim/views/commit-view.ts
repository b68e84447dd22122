import type { Sha, Signature } from '../git/git-object.js';
import type { FileMap } from '../git/object-store.js';
import { diffTrees, type FileChange } from '../git/tree-diff.js';
import type { Repository } from '../state/repository.js';
import { userView } from './user-view.js';
import { isoDate, nodeId } from './wire.js';

const UNSIGNED = { verified: false, reason: 'unsigned', signature: null, payload: null, verified_at: null };

/** `commit`: the git commit, with the accounts of its e-mail addresses. */
export function commitView(repository: Repository, sha: Sha) {
  const { tree, parents, author, committer, message } = repository.git.store.commit(sha);
  const { apiUrl, htmlUrl } = repository;
  const url = `${apiUrl}/commits/${sha}`;
  const gitUrl = `${apiUrl}/git/commits/${sha}`;
  return {
    sha,
    node_id: nodeId('Commit', sha),
    commit: {
      author: signatureView(author),
      committer: signatureView(committer),
      message,
      tree: { sha: tree, url: `${apiUrl}/git/trees/${tree}` },
      url: gitUrl,
      comment_count: 0,
      verification: UNSIGNED,
    },
    url,
    html_url: `${htmlUrl}/commit/${sha}`,
    comments_url: `${url}/comments`,
    author: accountView(repository, author),
    committer: accountView(repository, committer),
    parents: parents.map((parent) => parentView(repository, parent)),
  };
}

/** `commit` with its files and their number, as in the response for one commit. */
export function commitDetail(repository: Repository, sha: Sha) {
  const { git } = repository;
  const [parent] = git.store.commit(sha).parents;
  const before: FileMap = parent === undefined ? new Map() : git.filesAt(parent);
  const changes = diffTrees(before, git.filesAt(sha));
  return {
    ...commitView(repository, sha),
    stats: { additions: 0, deletions: 0, total: changes.length },
    files: changes.map((change) => fileChangeView(repository, sha, change)),
  };
}

/** `git-commit`: a commit in the git data API. */
export function gitCommitView(repository: Repository, sha: Sha) {
  const { tree, parents, author, committer, message } = repository.git.store.commit(sha);
  return {
    sha,
    node_id: nodeId('Commit', sha),
    url: `${repository.apiUrl}/git/commits/${sha}`,
    message,
    html_url: `${repository.htmlUrl}/commit/${sha}`,
    author: signatureView(author),
    committer: signatureView(committer),
    tree: { sha: tree, url: `${repository.apiUrl}/git/trees/${tree}` },
    parents: parents.map((parent) => ({
      sha: parent,
      url: `${repository.apiUrl}/git/commits/${parent}`,
      html_url: `${repository.htmlUrl}/commit/${parent}`,
    })),
    verification: UNSIGNED,
  };
}

/** `diff-entry`. A removed file has the SHA of its former blob. */
export function fileChangeView(repository: Repository, head: Sha, { path, status, before, after }: FileChange) {
  const encoded = path.split('/').map(encodeURIComponent).join('/');
  return {
    sha: after ?? before,
    filename: path,
    status,
    additions: 0,
    deletions: 0,
    changes: 0,
    blob_url: `${repository.htmlUrl}/blob/${head}/${encoded}`,
    raw_url: `${repository.htmlUrl}/raw/${head}/${encoded}`,
    contents_url: `${repository.apiUrl}/contents/${encoded}?ref=${head}`,
  };
}

function signatureView({ name, email, date }: Signature) {
  return { name, email, date: isoDate(date) };
}

function accountView(repository: Repository, { email }: Signature) {
  const account = repository.state.accounts.findByEmail(email);
  return account && userView(account);
}

function parentView(repository: Repository, sha: Sha) {
  return { sha, url: `${repository.apiUrl}/commits/${sha}`, html_url: `${repository.htmlUrl}/commit/${sha}` };
}
