import type { PersonalToken } from './personal-token.js';

/**
 * A repository through one installation of the app. `id` says which one it is; owner and name only say where it was
 * last seen, so a repository recreated under the same name is never read in its place.
 */
export interface RepositoryRef {
  readonly installationId: number;
  readonly id: number;
  readonly owner: string;
  readonly name: string;
  /** Whose token the calls are made with, where it is not the installation's; what the person may do decides then. */
  readonly as?: PersonalToken;
}
