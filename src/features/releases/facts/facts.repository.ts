import { Injectable } from '@nestjs/common';
import { Clock } from '../../../config/clock.js';
import type { TenantTransaction } from '../../../database/database.js';
import { factId, type FactKey, isOfJobs, type Observation } from '../../../domain/facts/facts.js';
import { EventsRepository } from '../../../events/events.repository.js';
import { JobsService } from '../../../jobs/jobs.service.js';
import { RepositoryQuotaRepository } from '../../../workspaces/repository-quota.repository.js';
import { RefreshRequests } from '../evaluation/refresh-requests.repository.js';
import type { FactHint, FactNumber } from './fact-hints.repository.js';
import { type NumberedObservation, ObservationsRepository, type RecordedFacts } from './observations.repository.js';

/**
 * Keeps with each release which evidence pull request is its latest and what was observed of that: ten thousand look-ups are
 * too many for a list.
 */
@Injectable()
export class PullStateRepository {
  /** Of the releases that wait for one of these facts. What was shipped is in no list of reviews. */
  async updatePullStates(tx: TenantTransaction, repositoryId: string, facts: readonly FactKey[]): Promise<void> {
    const numbers = facts.filter(({ kind }) => kind === 'pull').map(({ key }) => Number(key));
    if (numbers.length === 0) return;
    const releases = await tx.query<{ readonly id: string }>(
      // Whoever locks several releases does it in this order.
      `select id from release where shipped_at is null and deleted_at is null and id in (
         select release_id from evidence_pull where repository_id = $1 and number = any($2::integer[]))
       order by id for no key update`,
      [repositoryId, numbers],
    );
    const ids = releases.map(({ id }) => id);
    if (ids.length > 0) await this.updatePullState(tx, ids);
  }

  /** The releases are locked by an earlier statement: what another writer left is then seen. */
  async updatePullState(tx: TenantTransaction, releaseIds: readonly string[]): Promise<void> {
    await tx.queryPrepared(
      'keep_observed_pulls',
      `update release set pull_number = latest.number, pull_state = latest.state, pull_seen_at = latest.observed_at
       from (
         select r.id, pull.number, seen.state, seen.observed_at from release r
         left join lateral (
           select p.number from evidence_pull p where p.release_id = r.id and p.abandoned_at is null
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

/** Keeps what the host told, and lets no stored verdict stand on what it replaced. */
@Injectable()
export class FactsRepository {
  constructor(
    private readonly observations: ObservationsRepository,
    private readonly planRoom: RepositoryQuotaRepository,
    private readonly events: EventsRepository,
    private readonly refreshes: RefreshRequests,
    private readonly pulls: PullStateRepository,
    private readonly clock: Clock,
    private readonly jobs: JobsService,
  ) {}

  /**
   * Keeps observations. Each release whose verdict rested on one that changed is thought over before its gate is
   * believed again, by a job unless it is `evaluating`, which is thought over right after. A valid policy makes the
   * repository a managed one while the plan has room. Facts that may have changed while they were read count as too old, and a job
   * reads them again.
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
    const admitted = policy?.status === 'valid' && (await this.planRoom.reserve(tx, repositoryId));
    if (admitted) await this.jobs.enqueue(tx, 'watch-workflows', { orgId: tx.orgId, repositoryId });
    const concerned = admitted
      ? await this.invalidateAll(tx, repositoryId)
      : await this.invalidateDependents(tx, repositoryId, [...changed, ...refused]);
    await this.pulls.updatePullStates(tx, repositoryId, observations);
    for (const milestoneId of await this.listReviews(tx, repositoryId, changed, concerned)) {
      await this.events.append(tx, { type: 'review.updated', repositoryId, milestoneId });
    }
    await this.refreshes.askFor(
      tx,
      concerned.filter((id) => id !== evaluating),
      cause,
    );
    for (const { kind, key } of refused) {
      const fact = factId({ kind, key });
      await this.jobs.enqueue(tx, 'read-fact', { orgId: tx.orgId, repositoryId, fact, cause });
    }
    await this.askForPermissions(tx, observations);
    return recorded;
  }

  /** Has the installation read again where what GitHub says of a run does not go with the permissions that are stored. */
  private async askForPermissions(tx: TenantTransaction, observations: readonly Observation[]): Promise<void> {
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

  /** Lets facts count as too old: they may have changed, and were not read since `before` took its number. */
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
    const concerned = await this.invalidateDependents(tx, repositoryId, facts);
    await this.pulls.updatePullStates(tx, repositoryId, facts);
    await this.refreshes.askFor(tx, concerned, cause, delaySeconds);
  }

  /** Has a release thought over that was shipped, and the repository's others, which are compared with the last that was. */
  async invalidateAfterShipping(tx: TenantTransaction, repositoryId: string, releaseId: string): Promise<void> {
    const others = await this.invalidateAll(tx, repositoryId, { exceptId: releaseId });
    await this.refreshes.askFor(tx, [releaseId, ...others], 'deployment');
  }

  /** Has releases thought over because how the repository itself stands has changed; shipped ones rest on that too. */
  async invalidateRepository(
    tx: TenantTransaction,
    repositoryId: string,
    cause: string,
    { ofShipped }: { readonly ofShipped: boolean },
  ): Promise<void> {
    await this.refreshes.askFor(tx, await this.invalidateAll(tx, repositoryId, { ofShipped }), cause);
  }

  /**
   * Waits for the releases that are being thought over at this moment, and asks only then what they rest on: such a
   * verdict may have read the fact as it was.
   */
  private async invalidateDependents(
    tx: TenantTransaction,
    repositoryId: string,
    facts: readonly FactKey[],
  ): Promise<readonly string[]> {
    if (facts.length === 0) return [];
    return idsOf(
      await tx.queryPrepared<{ readonly id: string }>(
        'doubt_consulting',
        `with locked as (
           select id, consulted from release
           where repository_id = $1 and deleted_at is null and (shipped_at is null or consulted && $2::text[])
           order by id for no key update)
         update release set valid_until = '-infinity', invalidated_at = coalesce(invalidated_at, $3) from locked
         where release.id = locked.id and locked.consulted && $2::text[] returning release.id`,
        [repositoryId, facts.map(factId), this.clock.now()],
      ),
    );
  }

  /** The releases of which a reader of reviews may see another answer: what people may do concerns all that wait for one. */
  private async listReviews(
    tx: TenantTransaction,
    repositoryId: string,
    changed: readonly FactKey[],
    concerned: readonly string[],
  ): Promise<Iterable<string>> {
    if (!changed.some(isOfReviewer)) return changed.some(isOfReview) ? concerned : [];
    const waiting = await tx.query<{ readonly id: string }>(
      `select id from release where repository_id = $1 and stage = 'EVIDENCING' and not evidence_approved
         and shipped_at is null and cancelled_at is null and deleted_at is null order by id`,
      [repositoryId],
    );
    return new Set([...concerned, ...idsOf(waiting)]);
  }

  /** Live releases, of which those that were shipped only where they are meant too. */
  private async invalidateAll(
    tx: TenantTransaction,
    repositoryId: string,
    { exceptId = null, ofShipped = false }: { readonly exceptId?: string | null; readonly ofShipped?: boolean } = {},
  ): Promise<readonly string[]> {
    return idsOf(
      await tx.query<{ readonly id: string }>(
        `update release set valid_until = '-infinity', invalidated_at = coalesce(invalidated_at, $4) where id in (
           select id from release where repository_id = $1 and deleted_at is null and (shipped_at is null or $3)
             and id is distinct from $2::uuid
           order by id for no key update) returning id`,
        [repositoryId, exceptId, ofShipped, this.clock.now()],
      ),
    );
  }
}

/** Whether a reader of reviews may see another answer for it. */
const isOfReview = ({ kind }: FactKey): boolean => kind === 'reviews' || kind === 'pull';

/** Whether somebody may be a reviewer now who was none, or the other way round. */
const isOfReviewer = ({ kind }: FactKey): boolean => kind === 'permission' || kind === 'team';

const idsOf = (rows: readonly { readonly id: string }[]): readonly string[] => rows.map(({ id }) => id);
