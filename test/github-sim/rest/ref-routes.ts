import type { Sha } from '../git/git-object.js';
import type { Repository } from '../state/repository.js';
import type { BranchChange } from '../state/rulesets.js';
import { nodeId } from '../views/wire.js';
import { ApiError, notFound } from './api-error.js';
import type { RepositoryCall } from './call.js';
import { created, repositoryRoute, noContent, ok, type Route } from './route.js';

export const refRoutes: readonly Route[] = [
  repositoryRoute('GET', '/git/matching-refs/*', 'contents:read', (call) => {
    const prefix = `refs/${call.param('*')}`;
    const names = [...call.repository.git.refs.keys()].filter((name) => name.startsWith(prefix)).sort();
    return call.page(names, (name) => refView(call.repository, name, call.repository.git.refs.get(name) ?? ''));
  }),
  repositoryRoute('GET', '/git/ref/*', 'contents:read', (call) => {
    const name = `refs/${call.param('*')}`;
    return ok(refView(call.repository, name, existing(call, name)));
  }),
  repositoryRoute('POST', '/git/refs', 'contents:write', (call) => {
    const [name, sha] = [call.requiredText('ref'), call.requiredText('sha')];
    if (!/^refs\/(heads|tags)\/[^\s~^:?*[\\]+$/.test(name)) throw new ApiError(422, `${name} is not a valid ref name.`);
    if (!call.repository.git.store.hasCommit(sha)) throw new ApiError(422, 'Object does not exist');
    if (call.repository.git.refs.has(name)) throw new ApiError(422, 'Reference already exists');
    admit(call, name, 'made');
    move(call, name, sha);
    return created(refView(call.repository, name, sha));
  }),
  repositoryRoute('PATCH', '/git/refs/*', 'contents:write', (call) => {
    const name = `refs/${call.param('*')}`;
    const sha = call.requiredText('sha');
    const { git } = call.repository;
    if (!git.refs.has(name)) throw new ApiError(422, 'Reference does not exist');
    if (!git.store.hasCommit(sha)) throw new ApiError(422, 'Object does not exist');
    const isForward = git.ancestry.isAncestor(existing(call, name), sha);
    if (call.fields['force'] !== true && !isForward) throw new ApiError(422, 'Update is not a fast forward');
    admit(call, name, isForward ? 'moved' : 'forced');
    move(call, name, sha);
    return ok(refView(call.repository, name, sha));
  }),
  repositoryRoute('DELETE', '/git/refs/*', 'contents:write', (call) => {
    const name = `refs/${call.param('*')}`;
    if (!call.repository.git.refs.has(name)) throw new ApiError(422, 'Reference does not exist');
    const branch = branchOf(name);
    admit(call, name, 'deleted');
    if (branch === null) call.repository.git.refs.delete(name);
    else call.repository.deleteBranch(branch, call.actor);
    return noContent;
  }),
];

function existing(call: RepositoryCall, name: string): Sha {
  const sha = call.repository.git.refs.get(name);
  if (sha === undefined) throw notFound();
  return sha;
}

function admit(call: RepositoryCall, name: string, to: BranchChange): void {
  const branch = branchOf(name);
  if (branch !== null) call.repository.rulesets.admitPush(branch, to);
}

function move(call: RepositoryCall, name: string, sha: Sha): void {
  const branch = branchOf(name);
  if (branch === null) call.repository.git.refs.set(name, sha);
  else call.repository.setBranch(branch, sha, call.actor);
}

function branchOf(name: string): string | null {
  return name.startsWith('refs/heads/') ? name.slice('refs/heads/'.length) : null;
}

function refView(repository: Repository, ref: string, sha: Sha) {
  return {
    ref,
    node_id: nodeId('Ref', `${repository.id}:${ref}`),
    url: `${repository.apiUrl}/git/${ref}`,
    object: { sha, type: 'commit', url: `${repository.apiUrl}/git/commits/${sha}` },
  };
}
