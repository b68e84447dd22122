import { Inject, Injectable } from '@nestjs/common';
import type { CiCaller } from '../../../auth/caller.js';
import { canUploadTo } from '../../../auth/ci-permissions.js';
import { ENVIRONMENT, type Environment } from '../../../config/environment.js';
import { Database, type TenantTransaction } from '../../../database/database.js';
import { canUploadFromEvent } from '../../../domain/evidence/evidence.js';
import { DomainError } from '../../../http/errors/domain-error.js';
import { type Repository, RepositoriesRepository } from '../../../workspaces/repositories.repository.js';
import { askerOf } from '../../releases/discovery/look-up-budget.service.js';
import { ReleaseDiscoveryService } from '../../releases/discovery/release-discovery.service.js';
import { ReleaseRefreshService } from '../../releases/evaluation/release-refresh.service.js';
import { ObservationsRepository } from '../../releases/facts/observations.repository.js';
import { ReleasesQueries } from '../../releases/records/releases.queries.js';
import { uploadActor } from './upload-content.js';

/** Where an upload says it belongs. */
export interface Address {
  readonly org: string | null;
  readonly repository: string;
  readonly version: string;
  readonly commitSha: string | null;
  readonly runUrl: string | null;
}

/** Where an upload belongs. */
export interface Destination {
  readonly repository: Repository;
  readonly releaseId: string;
  /** The commit that the evidence speaks of, and who named it. */
  readonly commit: { readonly sha: string; readonly source: 'token' | 'body' | 'observed' };
  /** Where the run can be looked at. */
  readonly runUrl: string | null;
}

/** Finds the release that an upload is for, if its credential may upload there. */
@Injectable()
export class UploadTargetService {
  constructor(
    private readonly database: Database,
    private readonly policies: ObservationsRepository,
    private readonly repos: RepositoriesRepository,
    private readonly releases: ReleasesQueries,
    private readonly discovery: ReleaseDiscoveryService,
    private readonly refresh: ReleaseRefreshService,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  async findTarget(repository: Repository, caller: CiCaller, address: Address): Promise<Destination> {
    const releaseId = await this.releaseFor(caller, repository, address.version);
    const commit = await this.commitFor(caller, address, releaseId);
    return { repository, releaseId, commit, runUrl: this.runUrlOf(caller, repository, address) };
  }

  /** The repository that the upload names. One that the credential may not upload for is answered, and asked for, as one that is not there. */
  async repositoryFor(caller: CiCaller, upload: Address): Promise<Repository> {
    return this.database.inTenant(caller.orgId, async (tx) => {
      const named = await this.repos.findByName(tx, upload.repository);
      const repository = named && canUploadTo(caller, named) ? named : null;
      const org = repository?.org ?? (await this.repos.orgLogin(tx));
      if (upload.org !== null && upload.org.toLowerCase() !== org.toLowerCase()) {
        throw new DomainError('forbidden', 'org is not the organization of this credential.');
      }
      if (!repository) {
        throw new DomainError(
          'not_found',
          'The workspace has no such repository, or this credential may not upload evidence for it.',
        );
      }
      if (
        caller.kind === 'identity_token' &&
        !canUploadFromEvent(caller.event, await this.evidenceEvents(tx, repository.id))
      ) {
        throw new DomainError('forbidden', `Runs of the event "${caller.event}" may not upload evidence.`);
      }
      return repository;
    });
  }

  private async evidenceEvents(tx: TenantTransaction, repositoryId: string): Promise<readonly string[]> {
    return (await this.policies.find(tx, repositoryId))?.evidenceEvents ?? [];
  }

  /** The release of this version; the host is asked once, because the sync may not have seen the milestone yet. */
  private async releaseFor(caller: CiCaller, repository: Repository, version: string): Promise<string> {
    const { orgId } = caller;
    const find = (): Promise<string | null> =>
      this.database.inTenant(orgId, (tx) => this.releases.findByVersion(tx, repository.id, version));
    const known = await find();
    if (known !== null) return known;
    const isFound = await this.discovery.findOrDiscover(orgId, repository.id, version, askerOf(caller));
    const found = isFound ? await find() : null;
    if (found === null) throw new DomainError('not_found', 'The repository has no release of this version.');
    return found;
  }

  /** Which commit the evidence speaks of. A key's upload that names none is bound to what would ship now. */
  private async commitFor(caller: CiCaller, upload: Address, releaseId: string): Promise<Destination['commit']> {
    if (caller.kind === 'identity_token') return { sha: caller.sha, source: 'token' };
    if (upload.commitSha !== null) return { sha: upload.commitSha, source: 'body' };
    const { evaluation } = await this.refresh.refresh(caller.orgId, releaseId, {
      cause: 'evidence',
      actor: uploadActor(caller),
    });
    const sha = evaluation?.verdict.candidateSha ?? evaluation?.verdict.developmentHead;
    if (!sha)
      throw new DomainError('unprocessable', 'No commit is known that this could be evidence of; send commit_sha.');
    return { sha, source: 'observed' };
  }

  /** A token's upload has the run that the token proves, and no address that somebody names beside it. */
  private runUrlOf(caller: CiCaller, { org, name }: Repository, { runUrl }: Address): string | null {
    if (caller.kind === 'api_key') return runUrl;
    return `${this.environment.githubUrl}/${org}/${name}/actions/runs/${caller.runId}/attempts/${caller.runAttempt}`;
  }
}
