import { Injectable } from '@nestjs/common';
import type { TenantTransaction } from '../../../database/database.js';
import { factId, type FactKey, isOfJobs, type Observation } from '../../../domain/facts/facts.js';
import { EventsRepository } from '../../../events/events.repository.js';
import { JobsService } from '../../../jobs/jobs.service.js';
import { WorkspacesQueries } from '../../../workspaces/workspaces.queries.js';
import { RepositoryQuotaService } from '../../../workspaces/repository-quota.service.js';
import type { FactHint, FactNumber } from './fact-hints.repository.js';
import { type NumberedObservation, ObservationsRepository, type RecordedFacts } from './observations.repository.js';
import { DependentReleasesRepository } from './dependent-releases.repository.js';

/** Saves observations and invalidates every verdict that used a changed fact. */
@Injectable()
export class FactsService {
  constructor(
    private readonly observations: ObservationsRepository,
    private readonly quota: RepositoryQuotaService,
    private readonly events: EventsRepository,
    private readonly releases: DependentReleasesRepository,
    private readonly workspaces: WorkspacesQueries,
    private readonly jobs: JobsService,
  ) {}

  /**
   * Saves observations. A release whose verdict used a changed fact is evaluated by a job before its gate can open again. The
   * release `evaluating` gets no job, because the caller evaluates it next. A valid policy makes the repository a managed one
   * within the plan's limit. Facts that may have changed during the read count as stale, and a job reads them again.
   */
  async saveAndInvalidate(
    tx: TenantTransaction,
    repositoryId: string,
    observations: readonly NumberedObservation[],
    { cause, evaluating = null }: { readonly cause: string; readonly evaluating?: string | null },
  ): Promise<RecordedFacts> {
    const recorded = await this.observations.save(tx, repositoryId, observations);
    const { changed, refused } = recorded;
    const policy = observations.find(({ kind }) => kind === 'policy')?.value as { status?: string } | undefined;
    const isManagedNow = policy?.status === 'valid' && (await this.quota.reserveForPolicy(tx, repositoryId));
    if (isManagedNow) await this.jobs.enqueue(tx, 'check-workflow-files', { orgId: tx.orgId, repositoryId });
    const invalidated = isManagedNow
      ? await this.releases.invalidateAll(tx, repositoryId)
      : await this.releases.invalidateDependents(tx, repositoryId, [...changed, ...refused]);
    await this.releases.updatePullStates(tx, repositoryId, observations);
    for (const milestoneId of await this.listReviews(tx, repositoryId, changed, invalidated)) {
      await this.events.append(tx, { type: 'review.updated', repositoryId, milestoneId });
    }
    await this.enqueueRefreshes(
      tx,
      invalidated.filter((id) => id !== evaluating),
      cause,
    );
    for (const { kind, key } of refused) {
      const fact = factId({ kind, key });
      await this.jobs.enqueue(tx, 'read-fact', { orgId: tx.orgId, repositoryId, fact, cause });
    }
    await this.enqueuePermissionSync(tx, observations);
    return recorded;
  }

  /** Enqueues a read of the installation if GitHub's response about a run contradicts the stored permissions. */
  private async enqueuePermissionSync(tx: TenantTransaction, observations: readonly Observation[]): Promise<void> {
    const jobs = observations.find(isOfJobs);
    if (!jobs) return;
    const installationId = await this.workspaces.findOtherInstallation(tx, jobs.value.granted);
    if (installationId === null) return;
    await this.jobs.enqueue(tx, 'sync-installation', { installationId, changesOnly: true });
  }

  /** A delayed refresh also serves later requests, unless one of them is immediate. */
  private async enqueueRefreshes(
    tx: TenantTransaction,
    releaseIds: readonly string[],
    cause: string,
    delaySeconds = 0,
  ): Promise<void> {
    for (const releaseId of releaseIds) {
      const payload = { orgId: tx.orgId, releaseId, cause };
      await this.jobs.enqueue(tx, 'refresh-release', payload, { delaySeconds, preservesRunAt: delaySeconds > 0 });
    }
  }

  /** Marks facts as stale that may have changed and were not read since the number `before` was taken. */
  async expire(
    tx: TenantTransaction,
    repositoryId: string,
    hints: readonly FactHint[],
    {
      cause,
      before,
      delaySeconds,
    }: { readonly cause: string; readonly before: FactNumber; readonly delaySeconds?: number },
  ): Promise<void> {
    const facts = await this.observations.expire(tx, repositoryId, hints, before);
    const invalidated = await this.releases.invalidateDependents(tx, repositoryId, facts);
    await this.releases.updatePullStates(tx, repositoryId, facts);
    await this.enqueueRefreshes(tx, invalidated, cause, delaySeconds);
  }

  /**
   * Invalidates the verdicts that use the deployments of an environment, because one was reported. Locks their releases, so that an
   * evaluation that runs now ends before the report is stored.
   */
  async invalidateAfterReport(tx: TenantTransaction, repositoryId: string, environment: string): Promise<void> {
    const fact = { kind: 'deployments', key: environment.toLowerCase() } as const;
    await this.enqueueRefreshes(tx, await this.releases.invalidateDependents(tx, repositoryId, [fact]), 'deployment');
  }

  /** Invalidates a shipped release and the other releases of the repository, which are compared with the last shipped one. */
  async invalidateAfterShipping(tx: TenantTransaction, repositoryId: string, releaseId: string): Promise<void> {
    const others = await this.releases.invalidateAll(tx, repositoryId, { exceptId: releaseId });
    await this.enqueueRefreshes(tx, [releaseId, ...others], 'deployment');
  }

  /** Invalidates all releases of a repository because its own state changed. This concerns shipped ones too. */
  async invalidateRepository(
    tx: TenantTransaction,
    repositoryId: string,
    cause: string,
    { ofShipped }: { readonly ofShipped: boolean },
  ): Promise<void> {
    await this.enqueueRefreshes(tx, await this.releases.invalidateAll(tx, repositoryId, { ofShipped }), cause);
  }

  /**
   * Lists the releases whose reviews may have changed. A change of permissions concerns every release that waits for a review.
   */
  private async listReviews(
    tx: TenantTransaction,
    repositoryId: string,
    changed: readonly FactKey[],
    invalidated: readonly string[],
  ): Promise<Iterable<string>> {
    if (!changed.some(isOfReviewer)) return changed.some(isOfReview) ? invalidated : [];
    return new Set([...invalidated, ...(await this.releases.listWaiting(tx, repositoryId))]);
  }
}

/** Whether a change of the fact may change a review. */
const isOfReview = ({ kind }: FactKey): boolean => kind === 'reviews' || kind === 'pull';

/** Whether a change of the fact may change who can review. */
const isOfReviewer = ({ kind }: FactKey): boolean => kind === 'permission' || kind === 'team';
