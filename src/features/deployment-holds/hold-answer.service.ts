import { Injectable, Logger } from '@nestjs/common';
import { AppCredentialsProvider } from '../../config/app-credentials.js';
import { Clock } from '../../config/clock.js';
import { sha256 } from '../../crypto/digests.js';
import { Database } from '../../database/database.js';
import type { OrgId } from '../../database/ids.js';
import { decideHold } from '../../domain/history/deployment-hold.js';
import { isSameEnvironment } from '../../domain/policy/policy.js';
import type { PendingEnvironment } from '../../github/api/deployment-reviews.js';
import type { WorkflowRun } from '../../github/api/workflow-runs.js';
import { GitHubGateway } from '../../github/github-gateway.js';
import type { Markdown } from '../../github/markdown.js';
import { GitHubError } from '../../github/transport/github-error.js';
import type { RepositoryRef } from '../../github/transport/token-scope.js';
import { JobHandler } from '../../jobs/job-handlers.js';
import type { JobPayload } from '../../jobs/job.js';
import { JobsService } from '../../jobs/jobs.service.js';
import { type Repository, RepositoriesRepository } from '../../workspaces/repositories.repository.js';
import { ReleaseRefreshService } from '../releases/evaluation/release-refresh.service.js';
import { ObservationsRepository } from '../releases/facts/observations.repository.js';
import { DeploymentHoldsRepository, type WaitingHold } from './deployment-holds.repository.js';
import { approvalComment, readAnswerMarker, rejectionComment, reportComment } from './hold-comments.js';
import { type HoldCandidate, HoldGateService } from './hold-gate.service.js';

/** The seconds until the next check of a hold that could not be answered. */
const RETRY_SECONDS = 60;
/** GitHub fails a job that waited for 30 days. */
const LONGEST_WAIT_MS = 30 * 86_400_000;

/** Errors after which GitHub certainly did not accept an answer. */
const WITHOUT_EFFECT: ReadonlySet<GitHubError['kind']> = new Set([
  'forbidden',
  'not_found',
  'rate_limited',
  'unauthorized',
]);

/** A hold of a repository that can be read. */
interface ReadableHold {
  readonly orgId: OrgId;
  readonly repository: Repository;
  readonly ref: RepositoryRef;
  readonly hold: WaitingHold;
}

interface Answer {
  readonly state: 'approved' | 'rejected';
  readonly comment: Markdown;
  /** The release and the decision of an approval. */
  readonly basis: { readonly releaseId: string; readonly decisionId: string } | null;
  /** When the gate closes, in milliseconds since the epoch; null for a rejection. */
  readonly openUntil: number | null;
}

/**
 * Answers deployments that wait for the protection rule: one answer for all jobs of a run that wait for an environment. The jobs of
 * a hold run one after the other.
 */
@Injectable()
export class HoldAnswerService {
  private readonly logger = new Logger(HoldAnswerService.name);

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
    private readonly clock: Clock,
  ) {}

  /** Checks the hold once, and enqueues the next check while it waits. */
  @JobHandler('answer-hold')
  async answer({ orgId, repositoryId, holdId }: JobPayload<'answer-hold'>): Promise<void> {
    const { hold, repository } = await this.database.inTenant(orgId, async (tx) => ({
      hold: await this.holds.findWaiting(tx, holdId),
      repository: await this.repos.find(tx, repositoryId),
    }));
    if (!hold || !repository) return;
    const nextCheckAt = await this.checkOrRetry(orgId, hold, repository);
    if (nextCheckAt === null) return;
    const delaySeconds = Math.max(1, (nextCheckAt.getTime() - this.clock.now().getTime()) / 1000);
    const payload = { orgId, repositoryId, holdId, isLater: true } as const;
    await this.database.inTenant(orgId, (tx) => this.jobs.enqueue(tx, 'answer-hold', payload, { delaySeconds }));
  }

  /**
   * Returns when to check again; null if the hold ended. After an error of GitHub the pause is constant, because the gate may open
   * soon and a retried job would wait longer each time.
   */
  private async checkOrRetry(orgId: OrgId, hold: WaitingHold, repository: Repository): Promise<Date | null> {
    try {
      return await this.check(orgId, hold, repository);
    } catch (error) {
      if (!(error instanceof GitHubError)) throw error;
      this.logger.warn(`The deployment of run ${hold.runId} of ${repository.name} still waits: ${error.message}`);
      const now = this.clock.now();
      const seconds = Math.max(RETRY_SECONDS, error.retryAfterSeconds(now, RETRY_SECONDS));
      return new Date(now.getTime() + seconds * 1000);
    }
  }

  private async check(orgId: OrgId, hold: WaitingHold, repository: Repository): Promise<Date | null> {
    const { ref } = repository;
    const isOver = this.clock.earliestNow().getTime() - hold.requestedAt.getTime() > LONGEST_WAIT_MS;
    if (repository.removed || isOver) return this.endWithoutAnswer(orgId, hold);
    // The app is suspended or not installed. In the meantime, only GitHub can start the deployment.
    if (!ref) return this.inAMinute();
    const readable: ReadableHold = { orgId, repository, ref, hold };
    const { value: run } = await this.github.workflowRuns.find(ref, hold.runId);
    if (!run) return this.endWithoutAnswer(orgId, hold);
    const pending = await this.findPending(readable);
    if (hold.sentAt !== null && (await this.endByListedAnswer(readable))) return null;
    if (hold.runAttempt !== null && run.attempt !== hold.runAttempt) return this.restart(readable, pending !== null);
    if (!pending || run.isCompleted) return this.endWithoutAnswer(orgId, hold);
    await this.database.inTenant(orgId, (tx) => this.holds.setRun(tx, hold.id, run));
    return this.decide(readable, run, pending);
  }

  private inAMinute(): Date {
    return new Date(this.clock.now().getTime() + RETRY_SECONDS * 1000);
  }

  private async endWithoutAnswer(orgId: OrgId, { id }: WaitingHold): Promise<null> {
    await this.database.inTenant(orgId, (tx) => this.holds.end(tx, id, { state: 'gone' }, this.clock.now()));
    return null;
  }

  private async findPending({ ref, hold }: ReadableHold): Promise<PendingEnvironment | null> {
    const { value: pending } = await this.github.deploymentReviews.listPending(ref, hold.runId);
    return pending.find(({ environment }) => isSameEnvironment(environment, hold.environment)) ?? null;
  }

  /** Ends the hold by the answer that GitHub lists. Returns false if GitHub lists no answer for this hold. */
  private async endByListedAnswer({ orgId, ref, hold }: ReadableHold): Promise<boolean> {
    const { value: reviews } = await this.github.deploymentReviews.list(ref, hold.runId);
    // A user may copy a comment, so only those of the app count.
    const login = `${this.credentials.current()?.slug}[bot]`;
    for (const { state, comment, login: by } of reviews) {
      const own = by === login ? readAnswerMarker(comment, hold.id) : undefined;
      if (!own || (state !== 'approved' && state !== 'rejected')) continue;
      const { decisionId } = own;
      await this.database.inTenant(orgId, (tx) => this.holds.end(tx, hold.id, { state, decisionId }, this.clock.now()));
      return true;
    }
    return false;
  }

  /** The run was started again: the jobs of the former attempt do not wait any more. */
  private async restart({ orgId, hold }: ReadableHold, isWaiting: boolean): Promise<null> {
    await this.database.inTenant(orgId, async (tx) => {
      const now = this.clock.now();
      await this.holds.end(tx, hold.id, { state: 'gone' }, now);
      const holdId = isWaiting ? await this.holds.restart(tx, hold.id, now) : null;
      const { repositoryId } = hold;
      if (holdId !== null) await this.jobs.enqueue(tx, 'answer-hold', { orgId, repositoryId, holdId });
    });
    return null;
  }

  private async decide(readable: ReadableHold, run: WorkflowRun, pending: PendingEnvironment): Promise<Date | null> {
    const { orgId, repository, hold } = readable;
    await this.refresh.readPolicy(orgId, repository);
    const policy = await this.database.inTenant(orgId, (tx) => this.observations.find(tx, repository.id));
    const isFromFork = run.headRepositoryId !== repository.githubId;
    const { candidate, candidates } = isFromFork
      ? { candidate: null, candidates: [] }
      : await this.gates.find(orgId, repository.id, { sha: run.headSha, environment: hold.environment });
    // A rejection cannot be undone, so it must not come too early.
    const now = this.clock.earliestNow();
    const answer = decideHold({
      now,
      requestedAt: hold.requestedAt,
      environment: hold.environment,
      sha: run.headSha,
      isFromFork,
      event: run.event,
      awaitsReviewers: pending.awaitsReviewers,
      awaitsTimer: pending.timerEndsAt !== null && this.github.clock.toLocalRange(pending.timerEndsAt).latest > now,
      isManaged: repository.managed,
      policy,
      release: candidate,
      candidates,
    });
    if (answer.kind === 'approve' && candidate) return this.approve(readable, run, candidate);
    if (answer.kind === 'reject') {
      const comment = rejectionComment(answer.reasons, hold.id);
      return this.send(readable, { state: 'rejected', comment, basis: null, openUntil: null });
    }
    if (answer.kind !== 'wait') return this.inAMinute();
    await this.report(readable, answer.reasons);
    return answer.nextCheckAt;
  }

  /** Sends the approval if the gate is still open, with the release locked. */
  private async approve(
    readable: ReadableHold,
    { headSha }: WorkflowRun,
    candidate: HoldCandidate,
  ): Promise<Date | null> {
    const { orgId, hold } = readable;
    const opened = await this.database.inTenant(orgId, (tx) =>
      this.gates.confirm(tx, candidate, { sha: headSha, environment: hold.environment }),
    );
    if (!opened) return this.inAMinute();
    const { releaseId, version } = candidate;
    const { decisionId, openUntil } = opened;
    const comment = approvalComment({ version, decisionId }, hold.id);
    return this.send(readable, { state: 'approved', comment, basis: { releaseId, decisionId }, openUntil });
  }

  /**
   * Sends the answer. The attempt is saved first, so that an answer that took effect is found after a lost response or a crash,
   * and no answer is sent twice.
   */
  private async send(readable: ReadableHold, { state, comment, basis, openUntil }: Answer): Promise<Date | null> {
    const { orgId, ref, hold } = readable;
    const { id, runId, environment } = hold;
    await this.database.inTenant(orgId, (tx) => this.holds.beginAnswer(tx, id, basis, this.clock.now()));
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
      return this.resolve(readable, error, sent);
    }
    const end = { state, decisionId: basis?.decisionId ?? null };
    await this.database.inTenant(orgId, (tx) => this.holds.end(tx, id, end, this.clock.now()));
    return null;
  }

  /** Reads from GitHub whether an answer that GitHub did not confirm took effect. */
  private async resolve(readable: ReadableHold, error: GitHubError, sent: boolean): Promise<Date | null> {
    const { orgId, hold } = readable;
    if (!sent || WITHOUT_EFFECT.has(error.kind)) {
      await this.database.inTenant(orgId, (tx) => this.holds.cancelAnswer(tx, hold.id, hold.sentAt));
      throw error;
    }
    this.logger.warn(`The answer about run ${hold.runId} is not confirmed: ${error.message}`);
    if (await this.endByListedAnswer(readable)) return null;
    return (await this.findPending(readable)) ? this.inAMinute() : this.endWithoutAnswer(orgId, hold);
  }

  /** Shows on the page of the run why the deployment waits. */
  private async report({ orgId, ref, hold }: ReadableHold, reasons: readonly string[]): Promise<void> {
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
