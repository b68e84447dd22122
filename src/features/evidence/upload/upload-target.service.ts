import { Inject, Injectable } from '@nestjs/common';
import { type CiCaller, canUploadTo } from '../../../auth/caller.js';
import { KeyedQueue } from '../../../concurrency/keyed-queue.js';
import { withinDeadline } from '../../../concurrency/single-flight.js';
import { ENVIRONMENT, type Environment } from '../../../config/environment.js';
import { Database, type TenantTransaction } from '../../../database/database.js';
import { canUploadFromEvent, type CommitSource } from '../../../domain/evidence/evidence.js';
import { DomainError } from '../../../http/errors/domain-error.js';
import { type Repository, RepositoriesRepository } from '../../../workspaces/repositories.repository.js';
import { lookupKey } from '../../releases/discovery/lookup-budget.service.js';
import { ReleaseDiscoveryService } from '../../releases/discovery/release-discovery.service.js';
import { ReleaseEvaluationService } from '../../releases/evaluation/release-evaluation.service.js';
import { ReleaseRefreshService } from '../../releases/evaluation/release-refresh.service.js';
import { ObservationsRepository } from '../../releases/facts/observations.repository.js';
import { versionNotFound } from '../../releases/releases.errors.js';
import { ReleasesQueries } from '../../releases/records/releases.queries.js';
import { uploadActor } from './upload-content.js';

/** How long an upload without a commit waits for GitHub until it is bound by stored facts, in milliseconds. */
const ANSWER_MS = 5_000;

/** The target that an upload names. */
export interface Address {
  readonly org: string | null;
  readonly repository: string;
  readonly version: string;
  readonly commitSha: string | null;
  readonly runUrl: string | null;
}

/** The number of refreshes for uploads of one workspace at once. Each may wait for its release with a connection to the database. */
const REFRESHED_AT_ONCE = 2;

/** The target of an upload. */
export interface Destination {
  readonly repository: Repository;
  readonly releaseId: string;
  /** The commit of the evidence, and the source that named it. */
  readonly commit: { readonly sha: string; readonly source: CommitSource };
  /** The URL of the run. */
  readonly runUrl: string | null;
}

/** Finds the release of an upload, if the credential can upload for it. */
@Injectable()
export class UploadTargetService {
  private readonly refreshes = new KeyedQueue(REFRESHED_AT_ONCE);

  constructor(
    private readonly database: Database,
    private readonly observations: ObservationsRepository,
    private readonly repos: RepositoriesRepository,
    private readonly releases: ReleasesQueries,
    private readonly discovery: ReleaseDiscoveryService,
    private readonly refresh: ReleaseRefreshService,
    private readonly evaluations: ReleaseEvaluationService,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /** An upload whose `signal` aborts does not wait for its turn to read facts. */
  async findTarget(
    repository: Repository,
    caller: CiCaller,
    address: Address,
    signal: AbortSignal,
  ): Promise<Destination> {
    const releaseId = await this.releaseFor(caller, repository, address.version);
    const commit = await this.commitFor(caller, address, releaseId, signal);
    return { repository, releaseId, commit, runUrl: this.toRunUrl(caller, repository, address) };
  }

  /** Returns the repository that the upload names. Throws `not_found` also for a repository that the credential cannot upload for. */
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
          'The workspace has no such repository, or this credential cannot upload evidence for it.',
        );
      }
      if (
        caller.kind === 'identity_token' &&
        !canUploadFromEvent(caller.event, await this.evidenceEvents(tx, repository.id))
      ) {
        throw new DomainError(
          'forbidden',
          `Runs of the event "${caller.event}" cannot upload evidence. The policy can allow it in evidence_events.`,
        );
      }
      return repository;
    });
  }

  private async evidenceEvents(tx: TenantTransaction, repositoryId: string): Promise<readonly string[]> {
    return (await this.observations.find(tx, repositoryId))?.evidenceEvents ?? [];
  }

  /** Returns the release of this version. Reads the milestones from GitHub once if it is not stored, because it may be new. */
  private async releaseFor(caller: CiCaller, repository: Repository, version: string): Promise<string> {
    const { orgId } = caller;
    const find = (): Promise<string | null> =>
      this.database.inTenant(orgId, (tx) => this.releases.findByVersion(tx, repository.id, version));
    const known = await find();
    if (known !== null) return known;
    const isFound = await this.discovery.findOrDiscover(orgId, repository.id, version, lookupKey(caller));
    const found = isFound ? await find() : null;
    if (found === null) throw versionNotFound();
    return found;
  }

  /**
   * Returns the commit of the evidence. An upload with an API key and without a commit gets the current candidate, or else the head of the
   * development branch.
   */
  private async commitFor(
    caller: CiCaller,
    upload: Address,
    releaseId: string,
    signal: AbortSignal,
  ): Promise<Destination['commit']> {
    if (caller.kind === 'identity_token') return { sha: caller.sha, source: 'token' };
    if (upload.commitSha !== null) return { sha: upload.commitSha, source: 'stated' };
    const { orgId } = caller;
    const cause = { cause: 'evidence', actor: uploadActor(caller) };
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]);
    const refreshed = this.refreshes.run(orgId, () => this.refresh.refresh(orgId, releaseId, cause), deadline);
    await withinDeadline(refreshed, deadline);
    signal.throwIfAborted();
    const evaluation = await this.database.inTenant(orgId, (tx) => this.evaluations.evaluate(tx, releaseId));
    const { candidateSha = null, developmentHead = null } = evaluation?.verdict ?? {};
    if (candidateSha !== null) return { sha: candidateSha, source: 'candidate' };
    if (developmentHead !== null) return { sha: developmentHead, source: 'branch_head' };
    throw new DomainError('unprocessable', 'The release has no candidate commit yet. Send commit_sha.');
  }

  /** Returns the URL of the run that the token proves, or else the URL that the upload states. */
  private toRunUrl(caller: CiCaller, { org, name }: Repository, { runUrl }: Address): string | null {
    if (caller.kind === 'api_key') return runUrl;
    return `${this.environment.githubUrl}/${org}/${name}/actions/runs/${caller.runId}/attempts/${caller.runAttempt}`;
  }
}
