import type { RepositoryRef } from '../github/transport/repository-ref.js';

/** The repository of an organization whose `sdlc.yaml` is the default of all others, where the app may read it. */
export interface OrganizationDefault {
  readonly ref: RepositoryRef;
  readonly branch: string;
  /** It is private and the repository below it is public: who reads the one's problems may not read the other. */
  readonly untold: boolean;
}

/** A repository of a workspace as the service knows it. */
export interface GovernedRepository {
  readonly id: string;
  readonly githubId: number;
  readonly org: string;
  readonly name: string;
  readonly defaultBranch: string;
  readonly private: boolean;
  readonly managed: boolean;
  readonly removed: boolean;
  /** How the host is asked about it; null while no installation of the app reaches it. */
  readonly ref: RepositoryRef | null;
  /** The repository whose `sdlc.yaml` is the organization's default; null where there is none, or where it is this one. */
  readonly organizationDefault: OrganizationDefault | null;
}
