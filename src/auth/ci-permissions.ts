import type { Repository } from '../workspaces/repositories.repository.js';
import type { CiCaller } from './caller.js';

/** A repository of the caller's workspace. */
export type RepositoryIds = Pick<Repository, 'id' | 'githubId'>;

/** A run may upload for its own repository. A key may upload for the repositories that it is restricted to, or for all. */
export const canUploadTo = (caller: CiCaller, { id, githubId }: RepositoryIds): boolean =>
  caller.kind === 'identity_token' ? caller.repositoryGithubId === githubId : isWithin(caller.repositoryIds, id);

/** A run may read the gate of every repository of its workspace, because a deploy workflow often has its own repository. */
export const canReadGate = (caller: CiCaller, { id }: Pick<Repository, 'id'>): boolean =>
  caller.kind === 'identity_token' || isWithin(caller.repositoryIds, id);

/**
 * Returns whether the caller may read the messages of the conditions of a private repository: its own runs, and keys that are
 * restricted to repositories that include it. Other credentials of the workspace see only who must act.
 */
export const canReadDetails = (caller: CiCaller, { id, githubId }: RepositoryIds): boolean =>
  caller.kind === 'identity_token'
    ? caller.repositoryGithubId === githubId
    : caller.repositoryIds !== null && caller.repositoryIds.includes(id);

const isWithin = (repositoryIds: readonly string[] | null, id: string): boolean =>
  repositoryIds === null || repositoryIds.includes(id);
