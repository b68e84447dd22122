import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../../config/clock.js';
import type { TenantTransaction } from '../../../database/database.js';
import type { SetupStep } from '../../../domain/repository/bootstrap.js';
import { EventsRepository } from '../../../events/events.repository.js';
import { JobsService } from '../../../jobs/jobs.service.js';

/** How far the set-up of a repository has come. */
export interface RepositorySetup {
  readonly repositoryId: string;
  /** The id of this bootstrap. A closed one may be followed by another. */
  readonly attempt: string;
  readonly step: SetupStep;
  readonly begunAt: Date;
  /** Null until the pull request is known, and if there was nothing to propose. */
  readonly pull: { readonly number: number; readonly url: string } | null;
  /** Why it was closed; null otherwise. */
  readonly detail: string | null;
}

interface NewBootstrap {
  readonly repositoryId: string;
  readonly requestedBy: number;
  readonly tookPlace: boolean;
}

type Attempt = Pick<RepositorySetup, 'repositoryId' | 'attempt'>;

/** Stores how far the set-ups of repositories have come, and announces each step. */
@Injectable()
export class RepositorySetupsService {
  constructor(
    private readonly events: EventsRepository,
    private readonly clock: Clock,
    private readonly jobs: JobsService,
  ) {}

  /** Null if no bootstrap of the repository was ever started. */
  async find(tx: TenantTransaction, repositoryId: string): Promise<RepositorySetup | null> {
    const [row] = await tx.query<RepositorySetup>(
      `select repository_id as "repositoryId", attempt, step, begun_at as "begunAt", detail,
         case when pull_number is not null then jsonb_build_object('number', pull_number, 'url', pull_url) end as pull
       from repository_setup where repository_id = $1`,
      [repositoryId],
    );
    return row ?? null;
  }

  async markProtectionPending(tx: TenantTransaction, repositoryId: string): Promise<void> {
    await this.setProtectionStep(tx, repositoryId, ['merged', 'protection_failed'], 'protection_pending');
  }

  /** A complete set-up stays complete. `repository_protection` has the current state of the branch protection. */
  async markProtectionResult(
    tx: TenantTransaction,
    repositoryId: string,
    outcome: 'complete' | 'failed',
  ): Promise<void> {
    const from: readonly SetupStep[] = ['merged', 'protection_pending', 'protection_failed'];
    await this.setProtectionStep(tx, repositoryId, from, outcome === 'complete' ? 'complete' : 'protection_failed');
  }

  private async setProtectionStep(
    tx: TenantTransaction,
    repositoryId: string,
    from: readonly SetupStep[],
    to: SetupStep,
  ): Promise<void> {
    const moved = await tx.query(
      `update repository_setup set step = $3, changed_at = $4
       where repository_id = $1 and step = any($2::text[]) and step <> $3 returning repository_id`,
      [repositoryId, from, to, this.clock.now()],
    );
    if (moved.length > 0) await this.events.append(tx, { type: 'repo.updated', repositoryId });
  }

  /** Returns null if another bootstrap of the repository is in progress or done. Waits for a concurrent one. */
  async create(
    tx: TenantTransaction,
    { repositoryId, requestedBy, tookPlace }: NewBootstrap,
  ): Promise<RepositorySetup | null> {
    const attempt = randomUUID();
    const begunAt = this.clock.now();
    const begun = await tx.query(
      `insert into repository_setup (org_id, repository_id, attempt, step, requested_by, begun_at, took_place, changed_at)
       values ($1, $2, $3, 'opening', $4, $5, $6, $5)
       on conflict (org_id, repository_id) do update set attempt = excluded.attempt, step = excluded.step,
         requested_by = excluded.requested_by, begun_at = excluded.begun_at, took_place = excluded.took_place,
         pull_number = null, pull_url = null, detail = null, changed_at = excluded.changed_at
         where repository_setup.step = 'closed'
       returning repository_id`,
      [tx.orgId, repositoryId, attempt, requestedBy, begunAt, tookPlace],
    );
    return begun.length === 0 ? null : { repositoryId, attempt, step: 'opening', begunAt, pull: null, detail: null };
  }

  async setPullRequest(
    tx: TenantTransaction,
    attempt: Attempt,
    pull: { readonly number: number; readonly url: string },
  ): Promise<boolean> {
    return this.setStep(tx, attempt, ['opening'], 'pr_open', { number: pull.number, url: pull.url });
  }

  async markMerged(tx: TenantTransaction, attempt: Attempt): Promise<boolean> {
    return this.setStep(tx, attempt, ['opening', 'pr_open'], 'merged');
  }

  /**
   * Closes the bootstrap if it is still at the given step. Returns whether it had reserved a place in the quota; null if it is
   * at another step now.
   */
  async markClosed(
    tx: TenantTransaction,
    { step, ...attempt }: RepositorySetup,
    detail: string,
  ): Promise<{ readonly tookPlace: boolean } | null> {
    if (!(await this.setStep(tx, attempt, [step], 'closed', { detail }))) return null;
    const [row] = await tx.query<{ readonly tookPlace: boolean }>(
      'select took_place as "tookPlace" from repository_setup where repository_id = $1',
      [attempt.repositoryId],
    );
    return row ?? null;
  }

  private async setStep(
    tx: TenantTransaction,
    { repositoryId, attempt }: Attempt,
    from: readonly SetupStep[],
    to: SetupStep,
    {
      number = null,
      url = null,
      detail = null,
    }: { number?: number | null; url?: string | null; detail?: string | null } = {},
  ): Promise<boolean> {
    const moved = await tx.query(
      `update repository_setup set step = $4, pull_number = coalesce($5, pull_number), pull_url = coalesce($6, pull_url),
         detail = $7, changed_at = $8
       where repository_id = $1 and attempt = $2 and step = any($3::text[]) returning repository_id`,
      [repositoryId, attempt, from, to, number, url, detail, this.clock.now()],
    );
    if (moved.length > 0) await this.events.append(tx, { type: 'repo.updated', repositoryId });
    return moved.length > 0;
  }

  /** Does nothing if no bootstrap is in progress. */
  async enqueueContinuation(tx: TenantTransaction, repositoryId: string): Promise<void> {
    const inProgress = await tx.query(
      `select from repository_setup where repository_id = $1 and step in ('opening', 'pr_open', 'merged')`,
      [repositoryId],
    );
    if (inProgress.length > 0) await this.jobs.enqueue(tx, 'continue-bootstrap', { orgId: tx.orgId, repositoryId });
  }
}
