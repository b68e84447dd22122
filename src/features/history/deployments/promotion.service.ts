import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../../config/clock.js';
import { Database, type TenantTransaction } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import { GitHubGateway } from '../../../github/github-gateway.js';
import { GitHubError } from '../../../github/transport/github-error.js';
import type { RepositoryRef } from '../../../github/transport/token-scope.js';
import { JobHandlers } from '../../../jobs/job-handlers.js';
import { RepositoriesRepository } from '../../../workspaces/repositories.repository.js';
import { AuditRepository } from '../../audit/audit.repository.js';
import { ReleaseEvaluationService } from '../../releases/evaluation/release-evaluation.service.js';
import { ReleaseRefreshService } from '../../releases/evaluation/release-refresh.service.js';
import { type PromotionClaim, Promotions } from '../../releases/records/promotions.repository.js';

/** What workflows listen to with `on: repository_dispatch`. */
const EVENT = 'shipgate-deploy';

/** Failures after which nobody knows whether the host carried a write out. */
const LEAVES_OPEN = ['unavailable', 'timeout', 'malformed'] as const;

interface Attempt extends PromotionClaim {
  readonly repositoryId: string;
  readonly ref: RepositoryRef;
  readonly version: string;
  /** Until when the gate stands open, in milliseconds since the epoch. */
  readonly openUntil: number;
}

/** Sets deployments off where the policy promotes releases by itself: once for a candidate, and never twice. */
@Injectable()
export class PromotionService implements OnModuleInit {
  private readonly logger = new Logger(PromotionService.name);

  constructor(
    private readonly database: Database,
    private readonly repos: RepositoriesRepository,
    private readonly refresh: ReleaseRefreshService,
    private readonly evaluations: ReleaseEvaluationService,
    private readonly promotions: Promotions,
    private readonly audit: AuditRepository,
    private readonly github: GitHubGateway,
    private readonly handlers: JobHandlers,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.handlers.register('dispatch-deploy', ({ orgId, releaseId }) => this.promote(orgId, releaseId));
  }

  /**
   * Tells the repository's workflows, if the gate stands open by what the host says at this moment. The try is noted before
   * it is made, because GitHub tells nobody which dispatches it took: where it is not known whether it took this one, it is
   * not sent again. Where it certainly did not, this fails, and is tried again.
   */
  async promote(orgId: OrgId, releaseId: string): Promise<void> {
    await this.database.inTenant(orgId, (tx) => this.settleBrokenOff(tx, releaseId));
    const cause = { cause: 'promotion', actor: 'service', promotes: true };
    const evaluation = await this.refresh.refreshAll(orgId, releaseId, cause);
    if (!evaluation || evaluation.verdict.gate.openUntil === null) return;
    const attempt = await this.database.inTenant(orgId, (tx) => this.claim(tx, releaseId));
    if (attempt) await this.send(orgId, attempt);
  }

  /** Judges once more, with the release held, and takes the candidate's one try. */
  private async claim(tx: TenantTransaction, releaseId: string): Promise<Attempt | null> {
    const judgement = await this.evaluations.evaluateLocked(tx, releaseId);
    const repository = await this.repos.findByRelease(tx, releaseId);
    if (!judgement || !repository?.ref) return null;
    const { release, verdict } = judgement;
    const { candidateSha, gate } = verdict;
    if (candidateSha === null || gate.openUntil === null) return null;
    if (!(await this.promotions.claim(tx, releaseId, verdict, this.clock.now()))) return null;
    const { id: repositoryId, ref } = repository;
    return { repositoryId, ref, releaseId, version: release.record.version, candidateSha, openUntil: gate.openUntil };
  }

  private async send(orgId: OrgId, attempt: Attempt): Promise<void> {
    const { ref, version, candidateSha, openUntil } = attempt;
    let sent = false;
    const onSend = (): void => {
      // The call may have waited for its turn.
      if (this.clock.now().getTime() >= openUntil)
        throw new Error(`The gate of ${version} closed before the dispatch.`);
      sent = true;
    };
    try {
      await this.github.deployments.dispatch(ref, EVENT, { version, commit: candidateSha }, { onSend });
    } catch (error) {
      if (!sent || !GitHubError.is(error, ...LEAVES_OPEN)) {
        await this.database.inTenant(orgId, (tx) => this.promotions.release(tx, attempt));
        throw error;
      }
      this.logger.warn(error.message);
      await this.database.inTenant(orgId, (tx) => this.settle(tx, attempt, 'unknown'));
      return;
    }
    await this.database.inTenant(orgId, (tx) => this.settle(tx, attempt, 'sent'));
  }

  /** Jobs of a release run one after the other: what another one left open, it broke off. */
  private async settleBrokenOff(tx: TenantTransaction, releaseId: string): Promise<void> {
    const brokenOff = await this.promotions.listBrokenOff(tx, releaseId);
    for (const claim of brokenOff) await this.settle(tx, claim, 'unknown');
  }

  /** Notes what became of the try, for admins to see as well. */
  private async settle(
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
        `GitHub may have taken the dispatch ${EVENT} of ${version}, or not. It is not sent again: look whether the ` +
          'deployment runs, and start it by hand if it does not.',
      );
    }
    await this.promotions.settle(tx, { releaseId, candidateSha }, outcome);
    await this.audit.append(tx, {
      actor: { type: 'service' },
      action: `promotion.${outcome}`,
      subject: version,
      data: { milestoneId: releaseId, repositoryId, candidateSha },
      repositoryIds: [repositoryId],
    });
  }
}
