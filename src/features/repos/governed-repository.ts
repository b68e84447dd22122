import type { RepositoryRef } from '../../github/repository-ref.js';
import type { OrganizationDefault } from '../policy/policy-observer.service.js';

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
