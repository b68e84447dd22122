import { Injectable } from '@nestjs/common';
import type { TenantTx } from '../../../database/database.js';
import type { SetupStep } from '../../../domain/repository/setup-state.js';
import type { RepositorySetup } from './repository-setup.js';

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
export class RepositorySetups {
  /** Null where the repository was never bootstrapped. */
  async find(tx: TenantTx, repositoryId: string): Promise<RepositorySetup | null> {
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
