import type { CiCaller } from './caller.js';

/** A repository of the caller's own workspace. */
export interface GovernedRepository {
  readonly id: string;
  readonly githubId: number;
}

/** A run uploads for the repository that it runs in; a key for those that it is confined to, where it is. */
export const canUploadTo = (caller: CiCaller, { id, githubId }: GovernedRepository): boolean =>
  caller.kind === 'identity_token' ? caller.repositoryGithubId === githubId : isWithin(caller.repositoryIds, id);

/** A run may ask for any repository of its workspace: a deploy workflow often lives apart from what it deploys. */
export const canReadGate = (caller: CiCaller, { id }: Pick<GovernedRepository, 'id'>): boolean =>
  caller.kind === 'identity_token' || isWithin(caller.repositoryIds, id);

/**
 * Whether the caller is told in words what keeps a release of a private repository back: its own runs, and keys that were
 * confined to repositories with this one among them. Any other credential of the workspace knows who must act, and no more.
 */
export const mayReadDetailsOf = (caller: CiCaller, { id, githubId }: GovernedRepository): boolean =>
  caller.kind === 'identity_token'
    ? caller.repositoryGithubId === githubId
    : caller.repositoryIds !== null && caller.repositoryIds.includes(id);

const isWithin = (repositoryIds: readonly string[] | null, id: string): boolean =>
  repositoryIds === null || repositoryIds.includes(id);
