import { Injectable } from '@nestjs/common';
import { Database, type TenantTransaction, type Viewer } from '../../database/database.js';
import { DomainError } from '../../http/errors/domain-error.js';
import { RepositoriesRepository, type Repository } from '../../workspaces/repositories.repository.js';
import { ReleasesQueries } from '../releases/records/releases.queries.js';
import { nearestNames } from './nearest-names.js';

/** The names by which a caller of a tool identifies a release. */
interface ReleaseName {
  /** As `name` or `owner/name`. */
  readonly repo: string;
  readonly version: string;
}

/** Finds repositories and releases by the names in the arguments of a tool. An unknown name is answered with those that are alike. */
@Injectable()
export class NamedReleasesService {
  constructor(
    private readonly database: Database,
    private readonly repos: RepositoriesRepository,
    private readonly releases: ReleasesQueries,
  ) {}

  /** Throws `not_found` if the viewer cannot read such a repository. */
  async getRepository(viewer: Viewer, repo: string): Promise<Repository> {
    return this.get(viewer, repo, (tx) => this.repos.findByName(tx, repo));
  }

  /**
   * Returns the repository, or the one that had the name last before it was removed: what is stored of it stays. Throws `not_found` if the
   * viewer cannot read such a repository.
   */
  async getStoredRepository(viewer: Viewer, repo: string): Promise<Repository> {
    return this.get(viewer, repo, (tx) => this.repos.findPresentOrRemovedByName(tx, repo));
  }

  /** Returns the id of the release. Throws `not_found` if the viewer cannot read the repository, or if it has no such release. */
  async getReleaseId(viewer: Viewer, { repo, version }: ReleaseName): Promise<string> {
    return this.getReleaseIdIn(viewer, await this.getRepository(viewer, repo), version);
  }

  /** Returns the id of the release, also in a removed repository. Throws `not_found` as `getReleaseId` does. */
  async getStoredReleaseId(viewer: Viewer, { repo, version }: ReleaseName): Promise<string> {
    return this.getReleaseIdIn(viewer, await this.getStoredRepository(viewer, repo), version);
  }

  /** Returns the id of a release of this repository. Throws `not_found` if there is no such release. */
  async getReleaseIdIn(viewer: Viewer, { id, name }: Repository, version: string): Promise<string> {
    const [found, known] = await this.database.asViewer(viewer, async (tx) => {
      const releaseId = await this.releases.findByVersion(tx, id, version);
      return [releaseId, releaseId === null ? await this.releases.listNewestVersions(tx, id) : []];
    });
    if (found !== null) return found;
    throw new DomainError(
      'not_found',
      `The repository ${name} has no release ${version}.${didYouMean(nearestNames(version, known))}`,
    );
  }

  private async get(
    viewer: Viewer,
    repo: string,
    find: (tx: TenantTransaction) => Promise<Repository | null>,
  ): Promise<Repository> {
    const [found, known] = await this.database.asViewer(viewer, async (tx) => {
      const repository = await find(tx);
      return [repository, repository ? [] : await this.repos.listNames(tx)];
    });
    if (found) return found;
    const near = nearestNames(repo.slice(repo.indexOf('/') + 1), known);
    throw new DomainError(
      'not_found',
      `The workspace has no repository ${repo}, or you cannot read it.${didYouMean(near)}`,
    );
  }
}

const didYouMean = (near: readonly string[]): string =>
  near.length === 0 ? '' : ` Did you mean ${near.join(' or ')}?`;
