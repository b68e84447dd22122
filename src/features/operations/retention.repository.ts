import { Injectable } from '@nestjs/common';
import { Database, type TenantTransaction } from '../../database/database.js';
import type { OrgId } from '../../database/ids.js';
import { WorkspacesQueries } from '../../workspaces/workspaces.queries.js';
import { JOB_TABLE } from '../../database/job-tables.js';

/** The number of deleted jobs of one name. */
export interface DeletedJobs {
  readonly name: string;
  readonly jobs: number;
}

/** The numbers of rows that retention deleted of releases that were never deployed. */
export interface ArchivedReleases {
  readonly releases: number;
  readonly reports: number;
  readonly decisions: number;
}

const BATCH = 1_000;
/** A release has up to some hundred uploads. */
const RELEASES_AT_ONCE = 10;

/** Deletes expired rows and failed jobs. Tenant tables are cleaned one workspace after the other, because of row-level security. */
@Injectable()
export class RetentionRepository {
  constructor(
    private readonly database: Database,
    private readonly workspaces: WorkspacesQueries,
  ) {}

  async deleteOldDeliveries(before: Date): Promise<void> {
    await this.database.queryWithoutTenant('delete_old_deliveries', 'select delete_old_deliveries($1)', [before]);
  }

  async deleteOldRateWindows(before: Date): Promise<void> {
    await this.database.queryWithoutTenant(
      'delete_old_rate_limit_windows',
      'select delete_old_rate_limit_windows($1)',
      [before],
    );
  }

  async deleteOldSessions({ usedBefore, loginsBefore }: { usedBefore: Date; loginsBefore: Date }): Promise<void> {
    await this.database.queryWithoutTenant('delete_old_sessions', 'select delete_old_sessions($1, $2)', [
      usedBefore,
      loginsBefore,
    ]);
  }

  /**
   * Deletes old observations that no existing release uses. Decisions contain their own inputs. Policies stay, because repositories
   * without releases need them, too.
   */
  async deleteOldObservations(before: Date): Promise<void> {
    await this.inEachTenant(async (tx) => {
      await tx.query(
        `delete from observation o where o.observed_at < $1 and o.kind <> 'policy' and not exists (
           select 1 from release r where r.repository_id = o.repository_id and r.deleted_at is null
             and r.used_facts @> array[o.kind || ':' || o.key])`,
        [before],
      );
    });
  }

  async deleteOldUploadKeys({
    tokenUsesBefore,
    keysBefore,
  }: {
    tokenUsesBefore: Date;
    keysBefore: Date;
  }): Promise<void> {
    await this.inEachTenant(async (tx) => {
      await tx.query('delete from identity_token_use where used_at < $1', [tokenUsesBefore]);
      await tx.query('delete from upload_idempotency_key where created_at < $1', [keysBefore]);
    });
  }

  /** Deletes invites that were accepted or withdrawn, or that expired before this time. The audit log records them. */
  async deleteEndedInvites(before: Date): Promise<void> {
    await this.inEachTenant(async (tx) => {
      await tx.query('delete from invite where coalesce(accepted_at, revoked_at, expires_at) < $1', [before]);
    });
  }

  /** Deletes the accounts of users who are in no workspace and have no session. */
  async deleteUnusedAccounts(before: Date): Promise<number> {
    for (let total = 0; ;) {
      const [row] = await this.database.queryWithoutTenant<{ readonly deleted: number }>(
        'delete_unused_accounts',
        'select delete_unused_accounts($1, $2) as deleted',
        [before, BATCH],
      );
      total += row?.deleted ?? 0;
      if ((row?.deleted ?? 0) < BATCH) return total;
    }
  }

  /**
   * Deletes the report contents and the repetitive decisions of releases that were never deployed and did not change since the
   * given time. A batch is one transaction. Returns the numbers of deleted rows.
   */
  async archiveUnshippedReleases(before: Date): Promise<ArchivedReleases> {
    const total = { releases: 0, reports: 0, decisions: 0 };
    for (const { orgId } of await this.workspaces.list()) {
      for (let releases = RELEASES_AT_ONCE; releases === RELEASES_AT_ONCE;) {
        const [batch] = await this.database.inTenant(orgId, async (tx) => {
          const archived = await tx.query<ArchivedReleases>('select * from archive_unshipped_releases($1, $2)', [
            before,
            RELEASES_AT_ONCE,
          ]);
          await deleteArchivedCoverage(tx);
          return archived;
        });
        releases = batch?.releases ?? 0;
        total.releases += releases;
        total.reports += batch?.reports ?? 0;
        total.decisions += batch?.decisions ?? 0;
      }
    }
    return total;
  }

  /** Lists every workspace, also those whose app is uninstalled. */
  async listWorkspaces(): Promise<readonly OrgId[]> {
    return (await this.workspaces.list()).map(({ orgId }) => orgId);
  }

  /** Merges the count rows of each repository and of the storage into one row each. Concurrent rows are not changed. */
  async compactCounts(): Promise<void> {
    await this.inEachTenant(async (tx) => {
      await tx.query(
        `with taken as (
           delete from repository_count_change where repository_id in (
             select repository_id from repository_count_change group by repository_id having count(*) > 1)
           returning *)
         insert into repository_count_change (org_id, repository_id, blocked, awaiting, passing, evidenced, recorded)
         select org_id, repository_id, sum(blocked), sum(awaiting), sum(passing), sum(evidenced), sum(recorded)
         from taken group by org_id, repository_id`,
      );
      await tx.query(
        `with taken as (
           delete from storage_usage_change where (select count(*) from storage_usage_change) > 1 returning *)
         insert into storage_usage_change (org_id, bytes) select org_id, sum(bytes) from taken group by org_id`,
      );
    });
  }

  /**
   * Merges old hints into one that concerns everything: a read that began before it is rejected. Uses the clock of the database,
   * because the clock of a process may be wrong.
   */
  async mergeHints(): Promise<void> {
    await this.inEachTenant(async (tx) => {
      await tx.query(
        `with old as (
           delete from fact_hint where hinted_at < now() - interval '1 hour' and num_nonnulls(repository_id, kind) > 0
           returning number)
         insert into fact_hint as known (org_id, number) select $1, max(number) from old having count(*) > 0
         on conflict (org_id, repository_id, kind, key) do update set number = greatest(known.number, excluded.number)`,
        [tx.orgId],
      );
    });
  }

  private async inEachTenant(work: (tx: TenantTransaction) => Promise<void>): Promise<void> {
    // Includes workspaces whose app is uninstalled. Otherwise their data would stay forever.
    for (const { orgId } of await this.workspaces.list()) await this.database.inTenant(orgId, work);
  }

  /**
   * Deletes jobs that failed before this time in every attempt, and returns their numbers. A job that a later one replaced
   * (`GIVEN_UP`) has no use after an hour. The job of a pending delivery stays until the delivery is processed or a dead letter,
   * because it shows that no job retries the delivery. Uses a private table of the job library: its public `complete_jobs` would
   * also delete a job that was added again in the meantime.
   */
  async deleteFailedJobs(before: Date): Promise<readonly DeletedJobs[]> {
    return this.database.queryWithoutTenant<DeletedJobs>(
      'delete_failed_jobs',
      `with deleted as (
         delete from ${JOB_TABLE} job using graphile_worker.jobs named
         where named.id = job.id and job.attempts >= job.max_attempts and job.locked_at is null
           and job.updated_at < case when named.key is null then now() - interval '1 hour' else $1 end
           and (named.task_identifier <> 'process-webhook' or not exists (
             select from get_delivery(job.payload ->> 'guid') delivery where delivery.status = 'pending'))
         returning named.task_identifier as name, named.key)
       select name, count(*)::integer as jobs from deleted where key is not null group by name order by name`,
      [before],
    );
  }
}

/** Deletes the covered lines and the provenance bundles of the releases that this transaction archived. The counts of their runs stay. */
async function deleteArchivedCoverage(tx: TenantTransaction): Promise<void> {
  await tx.query(
    `with deleted as (
       delete from evidence_coverage where evidence_id in (
         select e.id from evidence e join release r on r.org_id = e.org_id and r.id = e.release_id
         where r.archived_at = now())
       returning org_id, octet_length(files) as bytes)
     insert into storage_usage_change (org_id, bytes) select org_id, -sum(bytes) from deleted group by org_id`,
  );
  await tx.query(
    `with archived as (
       select b.org_id, b.artifact_id, b.sha256, octet_length(b.bytes) as bytes
       from artifact_bundle b join artifact a on a.org_id = b.org_id and a.id = b.artifact_id
       join release r on r.org_id = a.org_id and r.id = a.release_id
       where r.archived_at = now() and b.bytes is not null),
     emptied as (
       update artifact_bundle b set bytes = null from archived
       where b.artifact_id = archived.artifact_id and b.sha256 = archived.sha256 returning archived.org_id, archived.bytes)
     insert into storage_usage_change (org_id, bytes) select org_id, -sum(bytes) from emptied group by org_id`,
  );
  await tx.query(
    `update run_coverage set files = null where files is not null and release_id in (
       select id from release where archived_at = now())`,
  );
}
