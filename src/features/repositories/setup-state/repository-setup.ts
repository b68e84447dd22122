import type { SetupStep } from '../../../domain/repository/setup-state.js';

/** How far the set-up of a repository went. */
export interface RepositorySetup {
  readonly repositoryId: string;
  /** Names the bootstrap among those that the repository had. */
  readonly attempt: string;
  readonly step: SetupStep;
  readonly begunAt: Date;
  /** Null until its pull request is known, and where there was nothing to propose. */
  readonly pull: { readonly number: number; readonly url: string } | null;
  /** Why it came to nothing; null where it did not. */
  readonly detail: string | null;
}
