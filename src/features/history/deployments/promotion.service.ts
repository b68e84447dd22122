import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../../config/clock.js';
import { Database, type TenantTransaction } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import { GitHubGateway } from '../../../github/github-gateway.js';
import { GitHubError } from '../../../github/transport/github-error.js';
import type { RepositoryRef } from '../../../github/transport/token-scope.js';
import { JobHandler } from '../../../jobs/job-handlers.js';
import type { JobPayload } from '../../../jobs/job.js';
import { RepositoriesRepository } from '../../../workspaces/repositories.repository.js';
import { AuditLogService } from '../../audit/audit-log.service.js';
import { ReleaseEvaluationService } from '../../releases/evaluation/release-evaluation.service.js';
import { ReleaseRefreshService } from '../../releases/evaluation/release-refresh.service.js';
import { type PromotionClaim, PromotionsRepository } from '../../releases/records/promotions.repository.js';

/** The event type for `on: repository_dispatch` in workflows. */
const EVENT = 'shipgate-deploy';

/** Errors after which it is unknown whether GitHub executed a write. */
const UNKNOWN_RESULT = ['unavailable', 'timeout', 'malformed'] as const;

interface Attempt extends PromotionClaim {
  readonly repositoryId: string;
  readonly ref: RepositoryRef;
  readonly version: string;
  /** When the gate closes, in milliseconds since the epoch. */
  readonly openUntil: number;
}

/** Starts the deploy workflow of releases whose policy promotes automatically, at most once per candidate. */
@Injectable()
export class PromotionService {
  private readonly logger = new Logger(PromotionService.name);

  constructor(
    private readonly database: Database,
    private readonly repos: RepositoriesRepository,
    private readonly refresh: ReleaseRefreshService,
    private readonly evaluations: ReleaseEvaluationService,
    private readonly promotions: PromotionsRepository,
    private readonly audit: AuditLogService,
    private readonly github: GitHubGateway,
    private readonly clock: Clock,
  ) {}

  /**
   * Sends the dispatch event to the repository if the gate is open by facts read now. The attempt is saved before the request,
   * because GitHub does not list the dispatches that it accepted. If the result is unknown, the event is not sent again. If
   * GitHub certainly did not accept it, the method throws and the job is retried.
   */
  @JobHandler('dispatch-deployment')
  async promote({ orgId, releaseId }: JobPayload<'dispatch-deployment'>): Promise<void> {
    await this.database.inTenant(orgId, (tx) => this.completeInterrupted(tx, releaseId));
    const cause = { cause: 'promotion', actor: 'service', promotes: true };
    const evaluation = await this.refresh.refreshAll(orgId, releaseId, cause);
    if (!evaluation || evaluation.verdict.gate.openUntil === null) return;
    const attempt = await this.database.inTenant(orgId, (tx) => this.claim(tx, releaseId));
    if (attempt) await this.send(orgId, attempt);
  }

  /** Evaluates once more with the release locked, and reserves the candidate's single attempt. */
  private async claim(tx: TenantTransaction, releaseId: string): Promise<Attempt | null> {
    const evaluation = await this.evaluations.evaluateLocked(tx, releaseId);
    const repository = await this.repos.findByRelease(tx, releaseId);
    if (!evaluation || !repository?.ref) return null;
    const { release, verdict } = evaluation;
    const { candidateSha, gate } = verdict;
    if (candidateSha === null || gate.openUntil === null) return null;
    if (!(await this.promotions.reserve(tx, releaseId, verdict, this.clock.now()))) return null;
    const { id: repositoryId, ref } = repository;
    return { repositoryId, ref, releaseId, version: release.record.version, candidateSha, openUntil: gate.openUntil };
  }

  private async send(orgId: OrgId, attempt: Attempt): Promise<void> {
    const { ref, version, candidateSha, openUntil } = attempt;
    let sent = false;
    const onSend = (): void => {
      // The call may have waited in the queue.
      if (this.clock.now().getTime() >= openUntil)
        throw new Error(`The gate of ${version} closed before the dispatch.`);
      sent = true;
    };
    try {
      await this.github.deployments.dispatch(ref, EVENT, { version, commit: candidateSha }, { onSend });
    } catch (error) {
      if (!sent || !GitHubError.is(error, ...UNKNOWN_RESULT)) {
        await this.database.inTenant(orgId, (tx) => this.promotions.release(tx, attempt));
        throw error;
      }
      this.logger.warn(error.message);
      await this.database.inTenant(orgId, (tx) => this.complete(tx, attempt, 'unknown'));
      return;
    }
    await this.database.inTenant(orgId, (tx) => this.complete(tx, attempt, 'sent'));
  }

  /** Jobs of a release run one after the other, so an attempt without a result was interrupted. */
  private async completeInterrupted(tx: TenantTransaction, releaseId: string): Promise<void> {
    const interrupted = await this.promotions.listUnfinished(tx, releaseId);
    for (const claim of interrupted) await this.complete(tx, claim, 'unknown');
  }

  /** Saves the result of the attempt and writes it to the audit log. */
  private async complete(
    tx: TenantTransaction,
    {
      releaseId,
      candidateSha,
      repositoryId,
      version,
    }: Pick<Attempt, keyof PromotionClaim | 'repositoryId' | 'version'>,
    outcome: 'sent' | 'unknown',
  ): Promise<void> {
    if (outcome === 'unknown') {
      this.logger.warn(
        `It is unknown whether GitHub accepted the dispatch ${EVENT} of ${version}. It is not sent again. Check whether ` +
          'the deployment runs, and start it manually if it does not.',
      );
    }
    await this.promotions.setOutcome(tx, { releaseId, candidateSha }, outcome);
    await this.audit.append(tx, {
      actor: { type: 'service' },
      action: `promotion.${outcome}`,
      subject: version,
      data: { milestoneId: releaseId, repositoryId, candidateSha },
      repositoryIds: [repositoryId],
    });
  }
}
