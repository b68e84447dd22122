import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { AppCredentialsProvider } from '../../config/app-credentials.js';
import { Clock } from '../../config/clock.js';
import { sha256 } from '../../crypto/digests.js';
import { Database } from '../../database/database.js';
import type { OrgId } from '../../database/ids.js';
import { judgeHold } from '../../domain/history/deployment-hold.js';
import { isSameEnvironment } from '../../domain/policy/policy.js';
import type { PendingEnvironment } from '../../github/api/deployment-reviews.js';
import type { WorkflowRun } from '../../github/api/workflow-runs.js';
import { GitHubGateway } from '../../github/github-gateway.js';
import type { Markdown } from '../../github/markdown.js';
import { GitHubError } from '../../github/transport/github-error.js';
import type { RepositoryRef } from '../../github/transport/token-scope.js';
import { JobHandlers } from '../../jobs/job-handlers.js';
import type { JobPayload } from '../../jobs/job.js';
import { JobsService } from '../../jobs/jobs.service.js';
import { type Repository, RepositoriesRepository } from '../../workspaces/repositories.repository.js';
import { ReleaseRefreshService } from '../releases/evaluation/release-refresh.service.js';
import { ObservationsRepository } from '../releases/facts/observations.repository.js';
import { DeploymentHoldsRepository, type WaitingHold } from './deployment-holds.repository.js';
import { approvalComment, readVerdictMarker, rejectionComment, reportComment } from './hold-comments.js';
import { type HeldCandidate, HoldGateService } from './hold-gate.service.js';

/** How many seconds later a deployment is looked at again that GitHub or a permission kept from being judged. */
const RETRY_SECONDS = 60;
/** GitHub fails a job that waited for 30 days. */
const LONGEST_WAIT_MS = 30 * 86_400_000;

/** Errors after which GitHub certainly did not take a verdict. */
const WITHOUT_EFFECT: ReadonlySet<GitHubError['kind']> = new Set([
  'forbidden',
  'not_found',
  'rate_limited',
  'unauthorized',
]);

/** A hold with what GitHub says about it now. */
interface Look {
  readonly orgId: OrgId;
  readonly repository: Repository;
  readonly ref: RepositoryRef;
  readonly hold: WaitingHold;
}

interface Verdict {
  readonly state: 'approved' | 'rejected';
  readonly comment: Markdown;
  /** The release and the decision of an approval. */
  readonly basis: { readonly releaseId: string; readonly decisionId: string } | null;
  /** When the gate closes, in milliseconds since the epoch; null for a rejection. */
  readonly openUntil: number | null;
}

/**
 * Settles deployments that wait for the protection rule: sends one verdict for all jobs of a run that wait for an environment. The
 * jobs of a hold run one after the other.
 */
@Injectable()
export class HoldSettlementService implements OnModuleInit {
  private readonly logger = new Logger(HoldSettlementService.name);

  constructor(
    private readonly database: Database,
    private readonly holds: DeploymentHoldsRepository,
    private readonly gates: HoldGateService,
    private readonly repos: RepositoriesRepository,
    private readonly observations: ObservationsRepository,
    private readonly refresh: ReleaseRefreshService,
    private readonly github: GitHubGateway,
    private readonly credentials: AppCredentialsProvider,
    private readonly jobs: JobsService,
    private readonly handlers: JobHandlers,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.handlers.register('settle-hold', (payload) => this.settle(payload));
  }

  /** Looks at the hold once, and enqueues the next look while it waits. */
  async settle({ orgId, repositoryId, holdId }: JobPayload<'settle-hold'>): Promise<void> {
    const { hold, repository } = await this.database.inTenant(orgId, async (tx) => ({
      hold: await this.holds.findWaiting(tx, holdId),
      repository: await this.repos.find(tx, repositoryId),
    }));
    if (!hold || !repository) return;
    const lookAgainAt = await this.lookOrRetry(orgId, hold, repository);
    if (lookAgainAt === null) return;
    const delaySeconds = Math.max(1, (lookAgainAt.getTime() - this.clock.now().getTime()) / 1000);
    const payload = { orgId, repositoryId, holdId, isLater: true } as const;
    await this.database.inTenant(orgId, (tx) => this.jobs.enqueue(tx, 'settle-hold', payload, { delaySeconds }));
  }

  /** Returns when to look again if GitHub did not answer. A separate job with a constant pause looks then: the gate may open soon. */
  private async lookOrRetry(orgId: OrgId, hold: WaitingHold, repository: Repository): Promise<Date | null> {
    try {
      return await this.look(orgId, hold, repository);
    } catch (error) {
      if (!(error instanceof GitHubError)) throw error;
      this.logger.warn(`The deployment of run ${hold.runId} of ${repository.name} still waits: ${error.message}`);
      const now = this.clock.now();
      const seconds = Math.max(RETRY_SECONDS, error.retryAfterSeconds(now, RETRY_SECONDS));
      return new Date(now.getTime() + seconds * 1000);
    }
  }

  /** Returns when to look again; null if the hold is settled. */
  private async look(orgId: OrgId, hold: WaitingHold, repository: Repository): Promise<Date | null> {
    const { ref } = repository;
    const isOver = this.clock.now().getTime() - hold.requestedAt.getTime() > LONGEST_WAIT_MS;
    if (repository.removed || isOver) return this.end(orgId, hold, 'gone');
    // The app is suspended or not installed. Only GitHub may let the deployment go meanwhile.
    if (!ref) return this.inAMinute();
    const look: Look = { orgId, repository, ref, hold };
    const { value: run } = await this.github.workflowRuns.find(ref, hold.runId);
    if (!run) return this.end(orgId, hold, 'gone');
    const pending = await this.findPending(look);
    if (hold.sentAt !== null && (await this.settleByOwnVerdict(look))) return null;
    if (hold.runAttempt !== null && run.attempt !== hold.runAttempt) return this.restart(look, pending !== null);
    if (!pending || run.isCompleted) return this.end(orgId, hold, 'gone');
    await this.database.inTenant(orgId, (tx) => this.holds.setRun(tx, hold.id, run));
    return this.judge(look, run, pending);
  }

  private inAMinute(): Date {
    return new Date(this.clock.now().getTime() + RETRY_SECONDS * 1000);
  }

  private async end(orgId: OrgId, { id }: WaitingHold, state: 'gone'): Promise<null> {
    await this.database.inTenant(orgId, (tx) => this.holds.settle(tx, id, { state }, this.clock.now()));
    return null;
  }

  private async findPending({ ref, hold }: Look): Promise<PendingEnvironment | null> {
    const { value: pending } = await this.github.deploymentReviews.listPending(ref, hold.runId);
    return pending.find(({ environment }) => isSameEnvironment(environment, hold.environment)) ?? null;
  }

  /** Settles the hold by the verdict that GitHub lists. Returns false if it lists none of this hold. */
  private async settleByOwnVerdict({ orgId, ref, hold }: Look): Promise<boolean> {
    const { value: reviews } = await this.github.deploymentReviews.list(ref, hold.runId);
    // A person may copy a comment, so only those of the app count.
    const login = `${this.credentials.current()?.slug}[bot]`;
    for (const { state, comment, login: by } of reviews) {
      const own = by === login ? readVerdictMarker(comment, hold.id) : undefined;
      if (!own || (state !== 'approved' && state !== 'rejected')) continue;
      const { decisionId } = own;
      await this.database.inTenant(orgId, (tx) =>
        this.holds.settle(tx, hold.id, { state, decisionId }, this.clock.now()),
      );
      return true;
    }
    return false;
  }

  /** The run was started again: the jobs of the former attempt do not wait any more. */
  private async restart({ orgId, hold }: Look, isWaiting: boolean): Promise<null> {
    await this.database.inTenant(orgId, async (tx) => {
      const now = this.clock.now();
      await this.holds.settle(tx, hold.id, { state: 'gone' }, now);
      const holdId = isWaiting ? await this.holds.restart(tx, hold.id, now) : null;
      const { repositoryId } = hold;
      if (holdId !== null) await this.jobs.enqueue(tx, 'settle-hold', { orgId, repositoryId, holdId });
    });
    return null;
  }

  private async judge(look: Look, run: WorkflowRun, pending: PendingEnvironment): Promise<Date | null> {
    const { orgId, repository, hold } = look;
    await this.refresh.readPolicy(orgId, repository);
    const policy = await this.database.inTenant(orgId, (tx) => this.observations.find(tx, repository.id));
    const isFromFork = run.headRepositoryId !== repository.githubId;
    const { candidate, candidates } = isFromFork
      ? { candidate: null, candidates: [] }
      : await this.gates.find(orgId, repository.id, run.headSha);
    const now = this.clock.now();
    const judgement = judgeHold({
      now,
      requestedAt: hold.requestedAt,
      environment: hold.environment,
      sha: run.headSha,
      isFromFork,
      awaitsReviewers: pending.awaitsReviewers,
      awaitsTimer: pending.timerEndsAt !== null && this.github.clock.toLocalRange(pending.timerEndsAt).latest > now,
      isManaged: repository.managed,
      policy,
      release: candidate,
      candidates,
    });
    if (judgement.answer === 'approve' && candidate) return this.approve(look, run, candidate);
    if (judgement.answer === 'reject') {
      const comment = rejectionComment(judgement.reasons, hold.id);
      return this.decide(look, { state: 'rejected', comment, basis: null, openUntil: null });
    }
    if (judgement.answer !== 'wait') return this.inAMinute();
    await this.report(look, judgement.reasons);
    return judgement.lookAgainAt;
  }

  /** Sends the approval if the gate is still open, with the release locked. */
  private async approve(look: Look, { headSha }: WorkflowRun, candidate: HeldCandidate): Promise<Date | null> {
    const { orgId, hold } = look;
    const opened = await this.database.inTenant(orgId, (tx) => this.gates.confirm(tx, candidate, headSha));
    if (!opened) return this.inAMinute();
    const { releaseId, version } = candidate;
    const { decisionId, openUntil } = opened;
    const comment = approvalComment({ version, decisionId }, hold.id);
    return this.decide(look, { state: 'approved', comment, basis: { releaseId, decisionId }, openUntil });
  }

  /**
   * Sends the verdict. It is saved before that it is sent, so that a verdict that took effect is found after a lost response or a
   * crash, and none is sent twice.
   */
  private async decide(look: Look, { state, comment, basis, openUntil }: Verdict): Promise<Date | null> {
    const { orgId, ref, hold } = look;
    const { id, runId, environment } = hold;
    await this.database.inTenant(orgId, (tx) => this.holds.beginVerdict(tx, id, basis, this.clock.now()));
    let sent = false;
    const onSend = (): void => {
      // The call may have waited in the queue.
      if (openUntil !== null && this.clock.now().getTime() >= openUntil) {
        throw new GitHubError('unavailable', 'The gate closed before the approval was sent.');
      }
      sent = true;
    };
    try {
      await this.github.deploymentReviews.decide(ref, runId, { environment, state, comment }, { onSend });
    } catch (error) {
      if (!(error instanceof GitHubError)) throw error;
      return this.resolve(look, error, sent);
    }
    const settled = { state, decisionId: basis?.decisionId ?? null };
    await this.database.inTenant(orgId, (tx) => this.holds.settle(tx, id, settled, this.clock.now()));
    return null;
  }

  /** Finds out by reading what became of a verdict that GitHub did not confirm. */
  private async resolve(look: Look, error: GitHubError, sent: boolean): Promise<Date | null> {
    const { orgId, hold } = look;
    if (!sent || WITHOUT_EFFECT.has(error.kind)) {
      await this.database.inTenant(orgId, (tx) => this.holds.cancelVerdict(tx, hold.id, hold.sentAt));
      throw error;
    }
    this.logger.warn(`The verdict about run ${hold.runId} is not confirmed: ${error.message}`);
    if (await this.settleByOwnVerdict(look)) return null;
    return (await this.findPending(look)) ? this.inAMinute() : this.end(orgId, hold, 'gone');
  }

  /** Tells on the page of the run why the deployment waits. */
  private async report({ orgId, ref, hold }: Look, reasons: readonly string[]): Promise<void> {
    const digest = sha256(JSON.stringify(reasons));
    const now = this.clock.now();
    const mayReport = await this.database.inTenant(orgId, (tx) => this.holds.reserveReport(tx, hold.id, digest, now));
    if (!mayReport) return;
    const { runId, environment } = hold;
    try {
      await this.github.deploymentReviews.report(ref, runId, { environment, comment: reportComment(reasons) });
    } catch (error) {
      if (!(error instanceof GitHubError)) throw error;
      // Nothing depends on a report.
      this.logger.warn(`The reasons why run ${runId} waits were not reported: ${error.message}`);
    }
  }
}
