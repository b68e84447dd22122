import { Injectable } from '@nestjs/common';
import { type CiCaller, canUploadTo } from '../../../auth/caller.js';
import { Database } from '../../../database/database.js';
import { canUploadFromEvent } from '../../../domain/evidence/evidence.js';
import type { Sha } from '../../../domain/facts/facts.js';
import type { ReportedStatus } from '../../../domain/history/reported-deployment.js';
import { isSameEnvironment } from '../../../domain/policy/policy.js';
import { type Repository, RepositoriesRepository } from '../../../workspaces/repositories.repository.js';
import { lookupKey } from '../../releases/discovery/lookup-budget.service.js';
import { ReleaseDiscoveryService } from '../../releases/discovery/release-discovery.service.js';
import { ObservationsRepository } from '../../releases/facts/observations.repository.js';
import { ReleasesQueries } from '../../releases/records/releases.queries.js';
import { versionNotFound } from '../../releases/releases.errors.js';
import {
  type ReportedDeployment,
  ReportedDeploymentsRepository,
} from '../deployments/reported-deployments.repository.js';
import { CommitGateService, type MatchingRelease } from './commit-gate.service.js';
import { CommitReleasesQueries, type CommitRelease, type DigestRelease } from './commit-releases.queries.js';
import {
  commitsDisagree,
  deploymentNotReportable,
  digestNotFound,
  eventCannotDeploy,
  otherCommitReported,
  otherTokenEnvironment,
  releaseHasNoCandidate,
  reportNamesNoCommit,
} from './deployment-reports.errors.js';

/** What a report says about the deployed commit. */
export interface StatedCommit {
  readonly commitSha: Sha | null;
  readonly version: string | null;
  readonly digest: string | null;
}

/** A report of a CI system. */
export interface DeploymentReport extends StatedCommit {
  readonly repo: string;
  readonly environment: string;
  /** The id that the CI system chose. */
  readonly reportedId: string;
  readonly status: ReportedStatus;
  readonly runUrl: string | null;
  readonly statedAt: Date | null;
}

/** The commit of a report. */
export interface ReportedCommit {
  readonly sha: Sha;
  /** The only release that may match; null if each release of the repository may. */
  readonly releaseId: string | null;
  /** The digest that was deployed; null if the report names none. */
  readonly digest: string | null;
}

/** A report whose repository and commit are known. */
export interface Located {
  readonly caller: CiCaller;
  readonly repository: Repository;
  readonly report: DeploymentReport;
  readonly commit: ReportedCommit;
  readonly matching: readonly MatchingRelease[];
  /** Whether the credential may report a governed deployment of the commit. */
  readonly mayGovern: boolean;
}

/** Events whose runs never deploy, whatever the policy says: they may execute code of a pull request. */
const PULL_REQUEST_EVENTS: ReadonlySet<string> = new Set(['pull_request', 'pull_request_target']);

/** Finds the repository and the commit of a report, if the credential may report them. */
@Injectable()
export class DeploymentReportTargetService {
  constructor(
    private readonly database: Database,
    private readonly repos: RepositoriesRepository,
    private readonly observations: ObservationsRepository,
    private readonly versions: ReleasesQueries,
    private readonly releases: CommitReleasesQueries,
    private readonly discovery: ReleaseDiscoveryService,
    private readonly gates: CommitGateService,
    private readonly reports: ReportedDeploymentsRepository,
  ) {}

  /** Throws `not_found` for a repository that the credential may not write to, and `forbidden` for the runs that may not report. */
  async repositoryFor(caller: CiCaller, repo: string, environment: string): Promise<Repository> {
    return this.database.inTenant(caller.orgId, async (tx) => {
      const repository = await this.repos.findByName(tx, repo);
      if (!repository || !canUploadTo(caller, repository)) throw deploymentNotReportable();
      if (caller.kind === 'api_key') return repository;
      const allowed = (await this.observations.find(tx, repository.id))?.evidenceEvents ?? [];
      if (PULL_REQUEST_EVENTS.has(caller.event) || !canUploadFromEvent(caller.event, allowed)) {
        throw eventCannotDeploy(caller.event);
      }
      if (caller.environment === null || !isSameEnvironment(caller.environment, environment)) {
        throw otherTokenEnvironment(environment);
      }
      return repository;
    });
  }

  /** Finds the commit of the report and its releases. Throws the errors of `commitFor`. */
  async locate(caller: CiCaller, repository: Repository, report: DeploymentReport): Promise<Located> {
    const { orgId } = caller;
    const repositoryId = repository.id;
    const deadline = this.gates.createDeadline();
    const lookup = lookupKey(caller);
    const existing = await this.database.inTenant(orgId, (tx) =>
      this.reports.findByReportedId(tx, { ...report, repositoryId }),
    );
    const commit = await this.commitFor(caller, repository, report, { existing, deadline });
    const checked = { repositoryId, ...commit };
    // An end is a fact whatever the gate says now, so it does not wait for GitHub.
    if (report.status === 'started') await this.gates.refreshStale(orgId, checked, deadline);
    const matching = await this.gates.listMatching(orgId, checked, { lookup, deadline });
    const mayGovern = await this.mayGovern(caller, commit, matching, deadline);
    return { caller, repository, report, commit, matching, mayGovern };
  }

  /** The token of a run proves one commit, and so it may govern this commit only. */
  private async mayGovern(
    caller: CiCaller,
    { sha }: ReportedCommit,
    matching: readonly MatchingRelease[],
    deadline: AbortSignal,
  ): Promise<boolean> {
    if (caller.kind === 'api_key' || caller.sha === sha) return true;
    for (const release of matching) {
      const options = { lookup: lookupKey(caller), deadline };
      if (await this.gates.isEquivalent(caller.orgId, release, caller.sha, options)) return true;
    }
    return false;
  }

  /**
   * Returns the commit of a report. Throws `conflict` if the report names several commits, or another one than the reports before it,
   * and `not_found` for an unknown version or digest.
   */
  private async commitFor(
    caller: CiCaller,
    repository: Repository,
    stated: StatedCommit,
    { existing, deadline }: { readonly existing: ReportedDeployment | null; readonly deadline: AbortSignal },
  ): Promise<ReportedCommit> {
    if (stated.commitSha === null && stated.version === null && stated.digest === null) throw reportNamesNoCommit();
    const digest = await this.findDigest(caller, repository.id, stated);
    if (existing) return this.commitOfExisting(caller, repository, stated, { existing, digest });
    if (stated.version === null) return this.commitWithoutVersion(caller, repository, stated, deadline);
    const { orgId } = caller;
    const repositoryId = repository.id;
    const releaseId = await this.getRelease(caller, repositoryId, stated.version);
    await this.gates.refreshStale(orgId, { repositoryId, releaseId, sha: null }, deadline);
    const release = await this.findRelease(caller, repositoryId, releaseId);
    if (!release) throw stated.commitSha === null ? releaseHasNoCandidate() : commitsDisagree();
    const sha = stated.commitSha ?? release.candidateSha;
    const lookup = lookupKey(caller);
    if (!(await this.gates.isEquivalent(orgId, release, sha, { lookup, deadline }))) throw commitsDisagree();
    const ofDigest = await this.findDigest(caller, repositoryId, stated);
    if (ofDigest && !ofDigest.shas.includes(sha)) throw commitsDisagree();
    return { sha, releaseId, digest: stated.digest };
  }

  private async commitWithoutVersion(
    caller: CiCaller,
    { id: repositoryId }: Repository,
    stated: StatedCommit,
    deadline: AbortSignal,
  ): Promise<ReportedCommit> {
    const { commitSha, digest } = stated;
    const known = await this.findDigest(caller, repositoryId, stated);
    if (known) {
      const { releaseId } = known;
      await this.gates.refreshStale(caller.orgId, { repositoryId, releaseId, sha: null }, deadline);
    }
    const ofDigest = await this.findDigest(caller, repositoryId, stated);
    if (ofDigest === null) {
      if (commitSha === null) throw digestNotFound();
      return { sha: commitSha, releaseId: null, digest };
    }
    if (commitSha !== null && !ofDigest.shas.includes(commitSha)) throw commitsDisagree();
    return { sha: commitSha ?? ofDigest.sha, releaseId: ofDigest.releaseId, digest };
  }

  /** Throws `not_found` for a digest that is no artifact of the release. Null if the report names none. */
  private async findDigest(
    { orgId }: CiCaller,
    repositoryId: string,
    { version, digest }: StatedCommit,
  ): Promise<DigestRelease | null> {
    if (digest === null) return null;
    const found = await this.database.inTenant(orgId, (tx) =>
      this.releases.findOfDigest(tx, repositoryId, { version, digest }),
    );
    if (!found) throw digestNotFound();
    return found;
  }

  /** The commit is that of the first report. The candidate may have changed since, so the version need not lead to it any more. */
  private async commitOfExisting(
    caller: CiCaller,
    { id: repositoryId }: Repository,
    { commitSha, version, digest }: StatedCommit,
    { existing, digest: ofDigest }: { readonly existing: ReportedDeployment; readonly digest: DigestRelease | null },
  ): Promise<ReportedCommit> {
    const { commitSha: sha, releaseId } = existing;
    if (ofDigest && !ofDigest.shas.includes(sha)) throw otherCommitReported(sha);
    if (commitSha !== null && commitSha !== sha) {
      const release = releaseId === null ? null : await this.findRelease(caller, repositoryId, releaseId);
      const areEquivalent = [sha, commitSha].every((one) => release?.candidateShas.includes(one) === true);
      if (!areEquivalent) throw otherCommitReported(sha);
    }
    if (version !== null && version !== existing.version) {
      const named = await this.getRelease(caller, repositoryId, version);
      const release = named === releaseId ? null : await this.findRelease(caller, repositoryId, named);
      if (named !== releaseId && release?.candidateShas.includes(sha) !== true) throw otherCommitReported(sha);
    }
    return { sha, releaseId, digest };
  }

  /** Reads the milestones from GitHub once if the version is not stored, because it may be new. */
  private async getRelease(caller: CiCaller, repositoryId: string, version: string): Promise<string> {
    const { orgId } = caller;
    const find = (): Promise<string | null> =>
      this.database.inTenant(orgId, (tx) => this.versions.findByVersion(tx, repositoryId, version));
    const known = await find();
    if (known !== null) return known;
    const isFound = await this.discovery.findOrDiscover(orgId, repositoryId, version, lookupKey(caller));
    const found = isFound ? await find() : null;
    if (found === null) throw versionNotFound();
    return found;
  }

  private async findRelease(
    { orgId }: CiCaller,
    repositoryId: string,
    releaseId: string,
  ): Promise<CommitRelease | null> {
    const [release] = await this.database.inTenant(orgId, (tx) => this.releases.list(tx, { repositoryId, releaseId }));
    return release ?? null;
  }
}
