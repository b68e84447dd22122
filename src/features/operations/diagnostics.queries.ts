import { Injectable } from '@nestjs/common';
import { Database, type Viewer } from '../../database/database.js';
import { DatabaseSetupError } from '../../database/database-setup.error.js';
import { listPendingMigrations } from '../../database/migrate.js';
import { assertTenantIsolation } from '../../database/tenancy-check.js';

export interface ServerDiagnosis {
  /** The version of Postgres. */
  readonly version: string;
  /** The database role of the service. */
  readonly role: string;
}

export interface QueueDiagnosis {
  /** Jobs that are due now. */
  readonly due: number;
  readonly running: number;
  /** Jobs with a later start. */
  readonly later: number;
  /** Jobs that failed in every attempt. */
  readonly givenUp: number;
}

export interface WorkspaceDiagnosis {
  /** Null where the app is not installed. */
  readonly installationId: number | null;
  /** Repositories that the viewer may read. */
  readonly repositories: number;
  readonly oldestObservationAt: Date | null;
  readonly newestObservationAt: Date | null;
}

interface WorkspaceRow {
  readonly installation_id: string | null;
  readonly repositories: string;
  readonly oldest: Date | null;
  readonly newest: Date | null;
}

/** What the database tells of itself, of the queue and of one workspace. */
@Injectable()
export class DiagnosticsQueries {
  constructor(private readonly database: Database) {}

  async describeServer(): Promise<ServerDiagnosis> {
    const { rows } = await this.database.pool.query<ServerDiagnosis>(
      `select current_setting('server_version') as version, current_user as role`,
    );
    return rows[0]!;
  }

  /** Lists the problems that let the role of the service bypass row-level security. */
  async findTenancyProblems(): Promise<readonly string[]> {
    try {
      await assertTenantIsolation(this.database.pool);
      return [];
    } catch (error) {
      if (!(error instanceof DatabaseSetupError)) throw error;
      return error.problems;
    }
  }

  listPendingMigrations(): Promise<readonly string[]> {
    return listPendingMigrations(this.database.pool);
  }

  /** Counts the jobs of all workspaces together, because jobs are not separated by workspace. */
  async measureQueue(): Promise<QueueDiagnosis> {
    const { rows } = await this.database.pool.query<Record<keyof QueueDiagnosis, string>>(
      `select
         count(*) filter (where locked_at is null and run_at <= now() and attempts < max_attempts) as due,
         count(*) filter (where locked_at is not null) as running,
         count(*) filter (where locked_at is null and run_at > now() and attempts < max_attempts) as later,
         count(*) filter (where locked_at is null and attempts >= max_attempts) as "givenUp"
       from graphile_worker._private_jobs`,
    );
    const { due, running, later, givenUp } = rows[0]!;
    return { due: Number(due), running: Number(running), later: Number(later), givenUp: Number(givenUp) };
  }

  async describeWorkspace(viewer: Viewer): Promise<WorkspaceDiagnosis> {
    const [row] = await this.database.asViewer(viewer, (tx) =>
      tx.query<WorkspaceRow>(
        `select o.installation_id,
           (select count(*) from repository r where r.removed_at is null) as repositories,
           seen.oldest, seen.newest
         from organization o
         cross join (
           select min(s.observed_at) as oldest, max(s.observed_at) as newest
           from observation s join repository r on r.id = s.repository_id and r.removed_at is null
         ) seen`,
      ),
    );
    return {
      installationId: row?.installation_id ? Number(row.installation_id) : null,
      repositories: Number(row?.repositories ?? 0),
      oldestObservationAt: row?.oldest ?? null,
      newestObservationAt: row?.newest ?? null,
    };
  }
}
