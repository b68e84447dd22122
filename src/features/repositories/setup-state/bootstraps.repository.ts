import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../../config/clock.js';
import type { TenantTx } from '../../../database/database.js';
import type { SetupStep } from '../../../domain/repository/setup-state.js';
import { EventsRecorder } from '../../../events/events.recorder.js';
import type { RepositorySetup } from './repository-setup.js';

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
    private readonly events: EventsRecorder,
    private readonly clock: Clock,
  ) {}

  /** Begins one. Of two at once one does: the other waits here until it is known, and is answered null. */
  async begin(tx: TenantTx, { repositoryId, requestedBy, tookPlace }: NewBootstrap): Promise<RepositorySetup | null> {
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
  async opened(
    tx: TenantTx,
    attempt: Attempt,
    pull: { readonly number: number; readonly url: string },
  ): Promise<boolean> {
    return this.move(tx, attempt, ['opening'], 'pr_open', { number: pull.number, url: pull.url });
  }

  /** What it proposed is in the repository. */
  async merged(tx: TenantTx, attempt: Attempt): Promise<boolean> {
    return this.move(tx, attempt, ['opening', 'pr_open'], 'merged');
  }

  /**
   * It came to nothing, where it still is at the step at which that was found out. Answers whether it had taken a place of
   * the plan; null where it went on meanwhile.
   */
  async closed(
    tx: TenantTx,
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
    tx: TenantTx,
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
    if (moved.length > 0) await this.events.emit(tx, { type: 'repo.updated', repositoryId });
    return moved.length > 0;
  }
}
