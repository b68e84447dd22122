import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Member } from '../../../auth/caller.js';
import { Clock } from '../../../config/clock.js';
import { Database, type TenantTransaction, type Viewer } from '../../../database/database.js';
import { releaseNotFound, appNotInstalled } from '../../../http/errors/domain-error.js';
import { JobHandlers } from '../../../jobs/job-handlers.js';
import { JobsService } from '../../../jobs/jobs.service.js';
import { RepositoriesRepository } from '../../../workspaces/repositories.repository.js';
import { AuditRepository } from '../../audit/audit.repository.js';
import { LiveRefreshService, type RefreshStatus } from '../details/live-refresh.service.js';
import { RefreshRequests } from '../evaluation/refresh-requests.repository.js';
import { type ReleaseEvaluation, ReleaseEvaluationService } from '../evaluation/release-evaluation.service.js';
import { EvidencePullsRepository } from '../records/evidence-pulls.repository.js';
import { ReleasesQueries } from '../records/releases.queries.js';
import {
  releaseCancelled,
  notEvidencing,
  evidencePullBeingOpened,
  evidencePullStateUnknown,
  evidencePullNotClosed,
  releaseAlreadyShipped,
} from './release-actions.errors.js';

/** Writes down by whom releases were started. */
@Injectable()
export class ReleaseStarts {
  /** False where it was started before: the first start stands. */
  async record(tx: TenantTransaction, releaseId: string, login: string, now: Date): Promise<boolean> {
    const started = await tx.query(
      `update release set started_at = $2, started_by = $3, updated_at = $2 where id = $1 and started_at is null
       returning id`,
      [releaseId, now, login],
    );
    return started.length > 0;
  }
}

/** Conditions that the service clears by itself: it is about to open or to rewrite the pull request. */
const UNDER_WAY: readonly string[] = [
  'evidence_pull_pending',
  'evidence_pull_outdated',
  'evidence_pull_merged_unapproved',
];

/** Lets people say that work on a release has begun. Has releases read from GitHub anew, whatever the age of what is known of them. Has evidence pull requests opened again that somebody closed without a merge. */
@Injectable()
export class ReleaseActionsService implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly visible: ReleasesQueries,
    private readonly evaluations: ReleaseEvaluationService,
    private readonly starts: ReleaseStarts,
    private readonly refreshes: RefreshRequests,
    private readonly audit: AuditRepository,
    private readonly clock: Clock,
    private readonly repos: RepositoriesRepository,
    private readonly live: LiveRefreshService,
    private readonly jobs: JobsService,
    private readonly handlers: JobHandlers,
    private readonly pulls: EvidencePullsRepository,
  ) {}

  /** Whoever starts a release that was started before changes nothing. It is thought over at once, by what is known. */
  async start({ viewer, orgId, person }: Member, releaseId: string): Promise<void> {
    await this.visible.assertReadable(viewer, releaseId);
    await this.database.inTenant(orgId, async (tx) => {
      const judgement = await this.evaluations.evaluateLocked(tx, releaseId);
      if (!judgement) throw releaseNotFound();
      const { release, verdict } = judgement;
      if (release.record.shipped) throw releaseAlreadyShipped();
      if (verdict.cancelled) throw releaseCancelled();
      if (!(await this.starts.record(tx, releaseId, person.login, this.clock.now()))) return;
      await this.evaluations.evaluateAndSave(tx, releaseId, { cause: 'start', actor: person.login });
      await this.refreshes.askFor(tx, [releaseId], 'start');
      await this.audit.append(tx, {
        actor: { type: 'person', id: person.id, login: person.login },
        action: 'release.started',
        subject: release.record.version,
        data: { milestoneId: releaseId, repositoryId: release.repositoryId },
        repositoryIds: [release.repositoryId],
      });
    });
  }

  onModuleInit(): void {
    this.handlers.register('read-release', ({ orgId, releaseId }) =>
      this.live.refreshOrThrow(orgId, releaseId, 'refresh'),
    );
  }

  /**
   * By a job; asking twice while it waits is asking once. Refuses with `not_found` what the viewer may not read, and with
   * `conflict` what the app does not reach.
   */
  async enqueueRefresh(viewer: Viewer, releaseId: string): Promise<void> {
    await this.visible.assertReadable(viewer, releaseId);
    const { orgId } = viewer;
    await this.database.inTenant(orgId, async (tx) => {
      const repository = await this.repos.findByRelease(tx, releaseId);
      if (!repository) throw releaseNotFound();
      if (!repository.ref) throw appNotInstalled();
      await this.jobs.enqueue(tx, 'read-release', { orgId, releaseId });
    });
  }

  /**
   * Once it returns, another pull request is opened whatever happens to the service. Whether there is anything to open
   * again is judged by what GitHub says now.
   */
  async reopenEvidencePull(member: Member, releaseId: string): Promise<void> {
    await this.visible.assertReadable(member.viewer, releaseId);
    const verification = await this.live.refresh(member.orgId, releaseId);
    await this.database.inTenant(member.orgId, async (tx) => {
      const judgement = await this.evaluations.evaluateLocked(tx, releaseId);
      if (!judgement) throw releaseNotFound();
      await this.replace(tx, member, judgement, closedPullOf(judgement, verification));
    });
  }

  /** The job that opens the other one is asked for by the verdict, as whenever there is none. */
  private async replace(
    tx: TenantTransaction,
    { person }: Member,
    { release }: ReleaseEvaluation,
    number: number,
  ): Promise<void> {
    await this.pulls.markAbandoned(tx, release.id, number, this.clock.now());
    await this.evaluations.evaluateAndSave(tx, release.id, { cause: 'evidence-pr', actor: person.login });
    await this.audit.append(tx, {
      actor: { type: 'person', id: person.id, login: person.login },
      action: 'evidence_pull.reopened',
      subject: release.record.version,
      data: { milestoneId: release.id, repositoryId: release.repositoryId, closedNumber: number },
      repositoryIds: [release.repositoryId],
    });
  }
}

/** The number of the pull request that was closed unmerged; throws where there is none to be opened again. */
function closedPullOf({ release, verdict }: ReleaseEvaluation, { status, isReached }: RefreshStatus): number {
  const { shipped, evidencePull } = release.record;
  if (shipped) throw releaseAlreadyShipped();
  if (verdict.cancelled) throw releaseCancelled();
  if (verdict.stage !== 'EVIDENCING') throw notEvidencing(verdict.stage);
  if (!isReached) throw appNotInstalled();
  const codes = verdict.unmet.map(({ code }) => code);
  if (codes.includes('evidence_pull_closed') && evidencePull) return evidencePull.number;
  if (codes.some((code) => UNDER_WAY.includes(code))) throw evidencePullBeingOpened();
  throw status === 'verified' ? evidencePullNotClosed() : evidencePullStateUnknown();
}
