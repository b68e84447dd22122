import { Injectable, Logger } from '@nestjs/common';
import { sha256 } from '../../../crypto/digests.js';
import { Database } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import type { Sha } from '../../../domain/facts/facts.js';
import type { CheckReport } from '../../../github/api/checks.js';
import { GitHubGateway } from '../../../github/github-gateway.js';
import { GitHubError } from '../../../github/transport/github-error.js';
import type { RepositoryRef } from '../../../github/transport/token-scope.js';
import { JobHandler } from '../../../jobs/job-handlers.js';
import type { JobPayload } from '../../../jobs/job.js';
import { JobsService } from '../../../jobs/jobs.service.js';
import { type Repository, RepositoriesRepository } from '../../../workspaces/repositories.repository.js';
import { ChangeAnalysisService } from './change-analysis.service.js';
import { buildMergeCheckReport, type MergeCheckReport } from './merge-check-report.js';

const CHECK_NAME = 'Shipgate';

/** Publishes the check `Shipgate` on pull requests and merge groups of managed repositories. */
@Injectable()
export class MergeCheckService {
  private readonly logger = new Logger(MergeCheckService.name);
  /** Installations that do not allow checks and were logged. */
  private readonly loggedInstallations = new Set<number>();

  constructor(
    private readonly analysis: ChangeAnalysisService,
    private readonly jobs: JobsService,
    private readonly github: GitHubGateway,
    private readonly repos: RepositoriesRepository,
    private readonly database: Database,
  ) {}

  /** Analyzes the head and publishes the result, unless the same result is already published. */
  @JobHandler('run-merge-check')
  async check({ orgId, repositoryId, headSha: sha, mergeGroup }: JobPayload<'run-merge-check'>): Promise<void> {
    const repository = await this.findManaged(orgId, repositoryId);
    if (!repository?.ref) return;
    const { ref } = repository;
    const findings = await this.analysis.analyze({ orgId, repository, ref }, { sha, mergeGroup });
    if (findings.length > 0) await this.publishIfAllowed(ref, sha, buildMergeCheckReport(findings));
  }

  /** Enqueues the check of every open pull request, because deliveries may be lost and the policy may have changed. */
  @JobHandler('enqueue-merge-checks')
  async enqueueOpenPullRequests({ orgId, repositoryId }: JobPayload<'enqueue-merge-checks'>): Promise<void> {
    const repository = await this.findManaged(orgId, repositoryId);
    if (!repository?.ref) return;
    const { value: open } = await this.github.openPullRequests.list(repository.ref);
    const heads = [...new Set(open.map(({ headSha }) => headSha))];
    await this.database.inTenant(orgId, async (tx) => {
      for (const headSha of heads)
        await this.jobs.enqueue(tx, 'run-merge-check', { orgId, repositoryId, headSha, mergeGroup: null });
    });
  }

  private async findManaged(orgId: OrgId, repositoryId: string): Promise<Repository | null> {
    const repository = await this.database.inTenant(orgId, (tx) => this.repos.find(tx, repositoryId));
    return repository?.managed === true ? repository : null;
  }

  private async publishIfAllowed(ref: RepositoryRef, sha: Sha, report: MergeCheckReport): Promise<void> {
    try {
      await this.publish(ref, sha, report);
      this.loggedInstallations.delete(ref.installationId);
    } catch (error) {
      if (!GitHubError.is(error, 'forbidden')) throw error;
      if (this.loggedInstallations.has(ref.installationId)) return;
      this.loggedInstallations.add(ref.installationId);
      this.logger.warn(
        `Check could not be published at ${ref.owner}/${ref.name}: "checks: write" is not granted, or the repository is archived.`,
      );
    }
  }

  private async publish(ref: RepositoryRef, sha: Sha, report: MergeCheckReport): Promise<void> {
    const externalId = `${sha}:${sha256(JSON.stringify(report))}`;
    const check: CheckReport = { name: CHECK_NAME, externalId, ...report };
    // An earlier attempt may have created it and lost the response.
    const { value: published } = await this.github.checkRuns.findByName(ref, sha, CHECK_NAME);
    if (published === null) await this.github.checkRuns.create(ref, sha, check);
    else if (published.externalId !== externalId) await this.github.checkRuns.update(ref, published.id, check);
  }
}
