import { Injectable } from '@nestjs/common';
import { GIVEN_UP } from '../../database/job-tables.js';
import { Database, type Viewer } from '../../database/database.js';
import { DatabaseSetupError } from '../../database/database-setup.error.js';
import { listPendingMigrations } from '../../database/migrate.js';
import { assertTenantIsolation } from '../../database/tenancy-check.js';
import type { DiagnosticsFreshnessDto, DiagnosticsQueueDto } from './diagnostics.dto.js';

interface ServerDiagnostics {
  /** The version of Postgres. */
  readonly version: string;
  /** The database role of the service. */
  readonly role: string;
}

/** The freshness of a workspace. The installation is null if the app is not installed. */
type WorkspaceDiagnostics = Readonly<DiagnosticsFreshnessDto> & { readonly installationId: number | null };

/** Reads the state of the database, of the job queue and of one workspace. */
@Injectable()
export class DiagnosticsQueries {
  constructor(private readonly database: Database) {}

  async describeServer(): Promise<ServerDiagnostics> {
    const { rows } = await this.database.pool.query<ServerDiagnostics>(
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
  async measureQueue(): Promise<DiagnosticsQueueDto> {
    const { rows } = await this.database.pool.query<DiagnosticsQueueDto>(
      `select
         count(*) filter (where locked_at is null and run_at <= now() and attempts < max_attempts)::int as due,
         count(*) filter (where locked_at is not null)::int as running,
         count(*) filter (where locked_at is null and run_at > now() and attempts < max_attempts)::int as later,
         count(*) filter (where ${GIVEN_UP})::int as "givenUp"
       from graphile_worker.jobs`,
    );
    return rows[0]!;
  }

  /** Returns the freshness of the repositories that the viewer can read, and the installation. */
  async describeWorkspace(viewer: Viewer): Promise<WorkspaceDiagnostics> {
    const [row] = await this.database.asViewer(viewer, (tx) =>
      tx.query<WorkspaceDiagnostics>(
        `select o.installation_id::float8 as "installationId",
           (select count(*)::int from repository r where r.removed_at is null) as repositories,
           seen.oldest as "oldestObservationAt", seen.newest as "newestObservationAt"
         from organization o
         cross join (
           select min(s.observed_at) as oldest, max(s.observed_at) as newest
           from observation s join repository r on r.id = s.repository_id and r.removed_at is null
         ) seen`,
      ),
    );
    return row ?? { installationId: null, repositories: 0, oldestObservationAt: null, newestObservationAt: null };
  }
}
