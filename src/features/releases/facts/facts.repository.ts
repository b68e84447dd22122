import { Injectable } from '@nestjs/common';
import { Clock } from '../../../config/clock.js';
import type { TenantTransaction } from '../../../database/database.js';
import { factId, type FactKey, isOfJobs, type Observation } from '../../../domain/facts/facts.js';
import { EventsRepository } from '../../../events/events.repository.js';
import { JobsService } from '../../../jobs/jobs.service.js';
import { RepositoryQuotaRepository } from '../../../workspaces/repository-quota.repository.js';
import type { FactHint, FactNumber } from './fact-hints.repository.js';
import { type NumberedObservation, ObservationsRepository, type RecordedFacts } from './observations.repository.js';

/** Stores the latest evidence pull request and its state with each release, because a list cannot run ten thousand sub-queries. */
@Injectable()
export class PullStateRepository {
  /** Updates the releases that wait for one of these facts. Shipped releases are in no list of reviews. */
  async updatePullStates(tx: TenantTransaction, repositoryId: string, facts: readonly FactKey[]): Promise<void> {
    const numbers = facts.filter(({ kind }) => kind === 'pull').map(({ key }) => Number(key));
    if (numbers.length === 0) return;
    const releases = await tx.query<{ readonly id: string }>(
      // Every transaction that locks several releases uses this order, to prevent deadlocks.
      `select id from release where shipped_at is null and deleted_at is null and id in (
         select release_id from evidence_pull_request where repository_id = $1 and number = any($2::integer[]))
       order by id for no key update`,
      [repositoryId, numbers],
    );
    const ids = releases.map(({ id }) => id);
    if (ids.length > 0) await this.updatePullState(tx, ids);
  }

  /** An earlier statement locks the releases, so that this one sees the writes of the previous lock holder. */
  async updatePullState(tx: TenantTransaction, releaseIds: readonly string[]): Promise<void> {
    await tx.queryPrepared(
      'update_pull_states',
      `update release set pull_number = latest.number, pull_state = latest.state, pull_seen_at = latest.observed_at
       from (
         select r.id, pull.number, seen.state, seen.observed_at from release r
         left join lateral (
           select p.number from evidence_pull_request p where p.release_id = r.id and p.abandoned_at is null
           order by p.opened_at desc, p.number desc limit 1) pull on true
         left join lateral (
           select coalesce(o.value ->> 'state', 'closed') as state, o.observed_at from observation o
           where o.repository_id = r.repository_id and o.kind = 'pull' and o.key = pull.number::text limit 1) seen on true
         where r.id = any($1::uuid[])) latest
       where release.id = latest.id and (release.pull_number, release.pull_state, release.pull_seen_at)
         is distinct from (latest.number, latest.state, latest.observed_at)`,
      [releaseIds],
    );
  }
}

/** Saves observations and invalidates every verdict that used a changed fact. */
@Injectable()
export class FactsRepository {
  constructor(
    private readonly observations: ObservationsRepository,
    private readonly quota: RepositoryQuotaRepository,
    private readonly events: EventsRepository,
    private readonly pullStates: PullStateRepository,
    private readonly clock: Clock,
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
    const isManagedNow = policy?.status === 'valid' && (await this.quota.reserve(tx, repositoryId));
    if (isManagedNow) await this.jobs.enqueue(tx, 'check-workflow-files', { orgId: tx.orgId, repositoryId });
    const invalidated = isManagedNow
      ? await this.invalidateAll(tx, repositoryId)
      : await this.invalidateDependents(tx, repositoryId, [...changed, ...refused]);
    await this.pullStates.updatePullStates(tx, repositoryId, observations);
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
    const [other] = await tx.query<{ readonly installation_id: string }>(
      'select installation_id from organization where installation_id is not null and reads_actions <> $1',
      [jobs.value.granted],
    );
    if (!other) return;
    const installationId = Number(other.installation_id);
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
    const invalidated = await this.invalidateDependents(tx, repositoryId, facts);
    await this.pullStates.updatePullStates(tx, repositoryId, facts);
    await this.enqueueRefreshes(tx, invalidated, cause, delaySeconds);
  }

  /** Invalidates a shipped release and the other releases of the repository, which are compared with the last shipped one. */
  async invalidateAfterShipping(tx: TenantTransaction, repositoryId: string, releaseId: string): Promise<void> {
    const others = await this.invalidateAll(tx, repositoryId, { exceptId: releaseId });
    await this.enqueueRefreshes(tx, [releaseId, ...others], 'deployment');
  }

  /** Invalidates all releases of a repository because its own state changed. This concerns shipped ones too. */
  async invalidateRepository(
    tx: TenantTransaction,
    repositoryId: string,
    cause: string,
    { ofShipped }: { readonly ofShipped: boolean },
  ): Promise<void> {
    await this.enqueueRefreshes(tx, await this.invalidateAll(tx, repositoryId, { ofShipped }), cause);
  }

  /**
   * Locks the releases first and reads the facts that they used only then: an evaluation that runs now may have used the old
   * value.
   */
  private async invalidateDependents(
    tx: TenantTransaction,
    repositoryId: string,
    facts: readonly FactKey[],
  ): Promise<readonly string[]> {
    if (facts.length === 0) return [];
    return toIds(
      await tx.queryPrepared<{ readonly id: string }>(
        'invalidate_dependents',
        `with locked as (
           select id, consulted from release
           where repository_id = $1 and deleted_at is null and (shipped_at is null or consulted && $2::text[])
           order by id for no key update)
         update release set valid_until = '-infinity', invalidated_at = coalesce(invalidated_at, $3) from locked
         where release.id = locked.id and locked.consulted && $2::text[] returning release.id`,
        [repositoryId, facts.map(factId), this.clock.earliestNow()],
      ),
    );
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
    const waiting = await tx.query<{ readonly id: string }>(
      `select id from release where repository_id = $1 and stage = 'EVIDENCING' and not evidence_approved
         and shipped_at is null and cancelled_at is null and deleted_at is null order by id`,
      [repositoryId],
    );
    return new Set([...invalidated, ...toIds(waiting)]);
  }

  /** Invalidates the active releases, and the shipped ones only if `ofShipped` is set. */
  private async invalidateAll(
    tx: TenantTransaction,
    repositoryId: string,
    { exceptId = null, ofShipped = false }: { readonly exceptId?: string | null; readonly ofShipped?: boolean } = {},
  ): Promise<readonly string[]> {
    return toIds(
      await tx.query<{ readonly id: string }>(
        `update release set valid_until = '-infinity', invalidated_at = coalesce(invalidated_at, $4) where id in (
           select id from release where repository_id = $1 and deleted_at is null and (shipped_at is null or $3)
             and id is distinct from $2::uuid
           order by id for no key update) returning id`,
        [repositoryId, exceptId, ofShipped, this.clock.earliestNow()],
      ),
    );
  }
}

/** Whether a change of the fact may change a review. */
const isOfReview = ({ kind }: FactKey): boolean => kind === 'reviews' || kind === 'pull';

/** Whether a change of the fact may change who can review. */
const isOfReviewer = ({ kind }: FactKey): boolean => kind === 'permission' || kind === 'team';

const toIds = (rows: readonly { readonly id: string }[]): readonly string[] => rows.map(({ id }) => id);
