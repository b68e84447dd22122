import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../../config/clock.js';
import type { TenantTransaction } from '../../../database/database.js';
import type { SetupStep } from '../../../domain/repository/bootstrap.js';
import { EventsRepository } from '../../../events/events.repository.js';
import { JobsService } from '../../../jobs/jobs.service.js';

/** How far the set-up of a repository went. */
export interface RepositorySetup {
  readonly repositoryId: string;
  /** Names the bootstrap among those that the repository had. */
  readonly attempt: string;
  readonly step: SetupStep;
  readonly begunAt: Date;
  /** Null until its pull request is known, and where there was nothing to propose. */
  readonly pull: { readonly number: number; readonly url: string } | null;
  /** Why it came to nothing; null where it did not. */
  readonly detail: string | null;
}

interface SetupRow {
  readonly repository_id: string;
  readonly attempt: string;
  readonly step: SetupStep;
  readonly begun_at: Date;
  readonly pull_number: number | null;
  readonly pull_url: string | null;
  readonly detail: string | null;
}

/** How far the set-ups of repositories went. */
@Injectable()
export class RepositorySetupsRepository {
  /** Null where the repository was never bootstrapped. */
  async find(tx: TenantTransaction, repositoryId: string): Promise<RepositorySetup | null> {
    const [row] = await tx.query<SetupRow>(
      `select repository_id, attempt, step, begun_at, pull_number, pull_url, detail
       from repository_setup where repository_id = $1`,
      [repositoryId],
    );
    return row ? setupOf(row) : null;
  }
}

const setupOf = (row: SetupRow): RepositorySetup => ({
  repositoryId: row.repository_id,
  attempt: row.attempt,
  step: row.step,
  begunAt: row.begun_at,
  pull: row.pull_number === null || row.pull_url === null ? null : { number: row.pull_number, url: row.pull_url },
  detail: row.detail,
});

/** Writes down how far the set-up of a repository went from its merge on. One that was never bootstrapped stays as it is. */
@Injectable()
export class SetupProgress {
  constructor(
    private readonly events: EventsRepository,
    private readonly clock: Clock,
  ) {}

  /** Its branches are about to be protected, for the first time or after that failed. */
  async protectionPending(tx: TenantTransaction, repositoryId: string): Promise<void> {
    await this.move(tx, repositoryId, ['merged', 'protection_failed'], 'protection_pending');
  }

  /** Its branches are protected, or cannot be. A set-up that was complete stays so: what holds now is told elsewhere. */
  async protectionSettled(tx: TenantTransaction, repositoryId: string, outcome: 'complete' | 'failed'): Promise<void> {
    const from: readonly SetupStep[] = ['merged', 'protection_pending', 'protection_failed'];
    await this.move(tx, repositoryId, from, outcome === 'complete' ? 'complete' : 'protection_failed');
  }

  private async move(
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
}

interface NewBootstrap {
  readonly repositoryId: string;
  readonly requestedBy: number;
  readonly tookPlace: boolean;
}

/** Which of a repository's bootstraps is meant: one that came to nothing may be followed by another. */
type Attempt = Pick<RepositorySetup, 'repositoryId' | 'attempt'>;

/** The rows of bootstraps, up to their merge. */
@Injectable()
export class BootstrapsRepository {
  constructor(
    private readonly events: EventsRepository,
    private readonly clock: Clock,
  ) {}

  /** Begins one. Of two at once one does: the other waits here until it is known, and is answered null. */
  async begin(
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

  /** Its pull request is there. */
  async setPullRequest(
    tx: TenantTransaction,
    attempt: Attempt,
    pull: { readonly number: number; readonly url: string },
  ): Promise<boolean> {
    return this.move(tx, attempt, ['opening'], 'pr_open', { number: pull.number, url: pull.url });
  }

  /** What it proposed is in the repository. */
  async markMerged(tx: TenantTransaction, attempt: Attempt): Promise<boolean> {
    return this.move(tx, attempt, ['opening', 'pr_open'], 'merged');
  }

  /**
   * It came to nothing, where it still is at the step at which that was found out. Answers whether it had taken a place of
   * the plan; null where it went on meanwhile.
   */
  async markClosed(
    tx: TenantTransaction,
    { step, ...attempt }: RepositorySetup,
    detail: string,
  ): Promise<{ readonly tookPlace: boolean } | null> {
    if (!(await this.move(tx, attempt, [step], 'closed', { detail }))) return null;
    const [row] = await tx.query<{ readonly tookPlace: boolean }>(
      'select took_place as "tookPlace" from repository_setup where repository_id = $1',
      [attempt.repositoryId],
    );
    return row ?? null;
  }

  private async move(
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
}

/** Longer than a request may take to open the pull request itself: only what it left is taken up. */
const AFTER_REQUEST_SECONDS = 60;

/** Asks that a bootstrap which is under way be gone on with. */
@Injectable()
export class BootstrapPursuits {
  constructor(private readonly jobs: JobsService) {}

  /** Once whoever began it has had the time to open its pull request. */
  async askForLater(tx: TenantTransaction, repositoryId: string): Promise<void> {
    await this.jobs.enqueue(
      tx,
      'continue-bootstrap',
      { orgId: tx.orgId, repositoryId },
      { delaySeconds: AFTER_REQUEST_SECONDS },
    );
  }

  /** Adds nothing where none is under way, so that it may be asked at every hint. */
  async askFor(tx: TenantTransaction, repositoryId: string): Promise<void> {
    const underWay = await tx.query(
      `select from repository_setup where repository_id = $1 and step in ('opening', 'pr_open', 'merged')`,
      [repositoryId],
    );
    if (underWay.length > 0) await this.jobs.enqueue(tx, 'continue-bootstrap', { orgId: tx.orgId, repositoryId });
  }
}
