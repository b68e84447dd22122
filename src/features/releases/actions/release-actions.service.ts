import { Injectable } from '@nestjs/common';
import type { Member, PersonalKeyCaller } from '../../../auth/caller.js';
import { Clock } from '../../../config/clock.js';
import { Database, type TenantTransaction, type Viewer } from '../../../database/database.js';
import { getTraits } from '../../../domain/facts/condition-catalogue.js';
import { releaseNotFound, appNotInstalled } from '../../../http/errors/domain-error.js';
import { JobsService } from '../../../jobs/jobs.service.js';
import { RepositoriesRepository } from '../../../workspaces/repositories.repository.js';
import { AuditLogService } from '../../audit/audit-log.service.js';
import { LiveRefreshService, type RefreshStatus } from '../details/live-refresh.service.js';
import { type ReleaseEvaluation, ReleaseEvaluationService } from '../evaluation/release-evaluation.service.js';
import { EvidencePullsRepository } from '../records/evidence-pulls.repository.js';
import { ReleasesQueries } from '../records/releases.queries.js';
import { ReleasesRepository } from '../records/releases.repository.js';
import {
  releaseCancelled,
  notEvidencing,
  evidencePullBeingOpened,
  evidencePullStateUnknown,
  evidencePullNotClosed,
  releaseAlreadyShipped,
} from '../releases.errors.js';

/**
 * Starts releases, refreshes them from GitHub regardless of the age of their facts, and reopens evidence pull requests that were
 * closed without a merge.
 */
@Injectable()
export class ReleaseActionsService {
  constructor(
    private readonly database: Database,
    private readonly releaseQueries: ReleasesQueries,
    private readonly evaluations: ReleaseEvaluationService,
    private readonly releases: ReleasesRepository,
    private readonly audit: AuditLogService,
    private readonly clock: Clock,
    private readonly repos: RepositoriesRepository,
    private readonly live: LiveRefreshService,
    private readonly jobs: JobsService,
    private readonly pulls: EvidencePullsRepository,
  ) {}

  /** Does nothing if the release was started before. Evaluates the release at once, by stored facts. */
  async start(caller: Member | PersonalKeyCaller, releaseId: string): Promise<void> {
    const { viewer, orgId, user } = caller;
    await this.releaseQueries.assertReadable(viewer, releaseId);
    await this.database.inTenant(orgId, async (tx) => {
      const evaluation = await this.evaluations.evaluateLocked(tx, releaseId);
      if (!evaluation) throw releaseNotFound();
      const { release, verdict } = evaluation;
      if (release.record.shipped) throw releaseAlreadyShipped();
      if (verdict.cancelled) throw releaseCancelled();
      if (!(await this.releases.markStarted(tx, releaseId, user.login, this.clock.now()))) return;
      await this.evaluations.evaluateAndSave(tx, releaseId, { cause: 'start', actor: user.login });
      await this.jobs.enqueue(tx, 'refresh-release', { orgId, releaseId, cause: 'start' });
      await this.audit.append(tx, {
        actor: { type: 'person', id: user.id, login: user.login },
        action: 'release.started',
        subject: release.record.version,
        data: {
          milestoneId: releaseId,
          repositoryId: release.repositoryId,
          // So that the actions of a lost key can be found.
          ...('keyId' in caller && { keyId: caller.keyId }),
        },
        repositoryIds: [release.repositoryId],
      });
    });
  }

  /**
   * Enqueues a job; a second call while the job waits has no effect. Throws `not_found` if the viewer cannot read the release,
   * and `conflict` if the app cannot reach the repository.
   */
  async enqueueRefresh(viewer: Viewer, releaseId: string): Promise<void> {
    await this.releaseQueries.assertReadable(viewer, releaseId);
    const { orgId } = viewer;
    await this.database.inTenant(orgId, async (tx) => {
      const repository = await this.repos.findByRelease(tx, releaseId);
      if (!repository) throw releaseNotFound();
      if (!repository.ref) throw appNotInstalled();
      await this.jobs.enqueue(tx, 'force-refresh-release', { orgId, releaseId });
    });
  }

  /**
   * Once it returns, another pull request is opened even if the process stops. GitHub is read first to check that there is a pull
   * request to reopen.
   */
  async reopenEvidencePull(member: Member, releaseId: string): Promise<void> {
    await this.releaseQueries.assertReadable(member.viewer, releaseId);
    const verification = await this.live.refresh(member.orgId, releaseId);
    await this.database.inTenant(member.orgId, async (tx) => {
      const evaluation = await this.evaluations.evaluateLocked(tx, releaseId);
      if (!evaluation) throw releaseNotFound();
      await this.reopen(tx, member, evaluation, getClosedPullNumber(evaluation, verification));
    });
  }

  /** The evaluation enqueues the job that opens the new pull request, as it does whenever there is none. */
  private async reopen(
    tx: TenantTransaction,
    { user }: Member,
    { release }: ReleaseEvaluation,
    number: number,
  ): Promise<void> {
    await this.pulls.markAbandoned(tx, release.id, number, this.clock.now());
    await this.evaluations.evaluateAndSave(tx, release.id, { cause: 'evidence-pr', actor: user.login });
    await this.audit.append(tx, {
      actor: { type: 'person', id: user.id, login: user.login },
      action: 'evidence_pull.reopened',
      subject: release.record.version,
      data: { milestoneId: release.id, repositoryId: release.repositoryId, closedNumber: number },
      repositoryIds: [release.repositoryId],
    });
  }
}

/** Returns the number of the pull request that was closed without a merge. Throws if there is none to reopen. */
function getClosedPullNumber({ release, verdict }: ReleaseEvaluation, { status, isReached }: RefreshStatus): number {
  const { shipped, evidencePull } = release.record;
  if (shipped) throw releaseAlreadyShipped();
  if (verdict.cancelled) throw releaseCancelled();
  if (verdict.stage !== 'EVIDENCING') throw notEvidencing(verdict.stage);
  if (!isReached) throw appNotInstalled();
  const codes = verdict.unmet.map(({ code }) => code);
  if (codes.includes('evidence_pull_closed') && evidencePull) return evidencePull.number;
  if (codes.some((code) => getTraits(code).isClearedByEvidencePull)) throw evidencePullBeingOpened();
  throw status === 'verified' ? evidencePullNotClosed() : evidencePullStateUnknown();
}
