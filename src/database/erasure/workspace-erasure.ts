import type { Client } from 'pg';
import { withDedicatedClient } from '../dedicated-client.js';
import { listTables } from '../dump/table-list.js';
import { type OrgId, toOrgId } from '../ids.js';
import { JOB_TABLE } from '../job-tables.js';
import { asOwner } from '../dump/owner-access.js';

/** A workspace that may be erased. */
export interface ErasableWorkspace {
  readonly orgId: OrgId;
  readonly login: string;
  readonly githubId: number;
  /** The time when the app was uninstalled, from the audit log; null while the app is installed or suspended. */
  readonly uninstalledAt: Date | null;
  /** Whether an erasure has begun. A begun erasure can only be continued. */
  readonly begun: boolean;
  /** The last entry of its audit log. */
  readonly auditHead: { readonly sequence: number; readonly hash: string } | null;
}

/** The number of deleted rows of each table. */
export type RowCounts = Readonly<Record<string, number>>;

const BATCH = 5_000;

/**
 * Deletes everything of one workspace. Acts as the owner, because the runtime role may not delete append-only rows. The policy of the
 * tenant applies, so rows of other workspaces cannot be changed. The owner can read some of them, for the lookups.
 */
export class WorkspaceErasure {
  private constructor(private readonly client: Client) {}

  static open<T>(url: string, work: (erasure: WorkspaceErasure) => Promise<T>): Promise<T> {
    return withDedicatedClient(url, (client) => work(new WorkspaceErasure(client)));
  }

  /** Finds a workspace by its login, also after its erasure began. */
  async find(login: string): Promise<ErasableWorkspace | null> {
    const found = await asOwner(this.client, null, async () => {
      const { rows } = await this.client.query<{ orgId: string }>(
        `select org_id as "orgId" from list_organizations() where lower(login) = lower($1)`,
        [login],
      );
      if (rows.length > 1) throw new Error(`${rows.length} workspaces had the login "${login}". Name one by its id.`);
      return rows[0]?.orgId ?? null;
    });
    return found === null ? null : this.read(toOrgId(found));
  }

  async read(orgId: OrgId): Promise<ErasableWorkspace> {
    return asOwner(this.client, orgId, async () => {
      const { rows } = await this.client.query<ErasableWorkspace>(
        `select org_id as "orgId", login, abs(github_id)::float8 as "githubId", github_id < 0 as begun,
           case when installation_id is null then coalesce(
             (select max(at) from audit_entry where org_id = $1 and action = 'installation.unlinked'), created_at) end
             as "uninstalledAt",
           (select jsonb_build_object('sequence', sequence, 'hash', hash) from audit_entry where org_id = $1
             order by sequence desc limit 1) as "auditHead"
         from organization where org_id = $1`,
        [orgId],
      );
      const [workspace] = rows;
      if (!workspace) throw new Error(`There is no workspace ${orgId}.`);
      return workspace;
    });
  }

  /** Counts the rows of the workspace in each table that has any. */
  async count(orgId: OrgId): Promise<RowCounts> {
    return asOwner(this.client, orgId, async () => {
      const counts: Record<string, number> = {};
      for (const table of await this.tables()) {
        const { rows } = await this.client.query<{ count: string }>(`select count(*) from ${table} where org_id = $1`, [
          orgId,
        ]);
        if (rows[0]?.count !== '0') counts[table] = Number(rows[0]?.count);
      }
      return counts;
    });
  }

  /**
   * Detaches the workspace from its GitHub organization, so that no lookup finds it. A later installation creates a new workspace.
   * Throws if the app was installed in the meantime. Deletes the jobs and the deliveries of the workspace.
   */
  async begin(orgId: OrgId): Promise<RowCounts> {
    return asOwner(this.client, orgId, async () => {
      const { rowCount } = await this.client.query(
        `update organization set github_id = -abs(github_id), login = 'erased-' || left(org_id::text, 8),
           suspended_at = null, granted_permissions = null
         where org_id = $1 and installation_id is null`,
        [orgId],
      );
      if (rowCount !== 1) throw new Error('The app is installed. Uninstall it before the workspace is erased.');
      const deliveries = await this.client.query<{ guid: string }>(
        `delete from webhook_delivery where repository_github_id in (select github_id from repository where org_id = $1)
           or installation_id in (select (data ->> 'installationId')::bigint from audit_entry
             where org_id = $1 and action in ('installation.linked', 'installation.unlinked') and data ? 'installationId')
         returning guid`,
        [orgId],
      );
      const jobs = await this.client.query(
        `delete from ${JOB_TABLE} where payload ->> 'orgId' = $1 or payload ->> 'guid' = any($2)`,
        [orgId, deliveries.rows.map(({ guid }) => guid)],
      );
      return { jobs: jobs.rowCount ?? 0, webhook_delivery: deliveries.rowCount ?? 0 };
    });
  }

  /** Yields the report files outside the database, so that they are deleted before the rows that name them. */
  async *listFiles(orgId: OrgId): AsyncGenerator<string> {
    for (let after = ''; ;) {
      const page = await asOwner(this.client, orgId, async () => {
        const { rows } = await this.client.query<{ sha256: string; location: string }>(
          `select sha256, location from report_content where org_id = $1 and location is not null and sha256 > $2
           order by sha256 limit $3`,
          [orgId, after, BATCH],
        );
        return rows;
      });
      for (const { location } of page) yield location;
      const last = page.at(-1);
      if (last === undefined || page.length < BATCH) return;
      after = last.sha256;
    }
  }

  /** Deletes all rows of the workspace in short transactions. Can be repeated after an interruption. */
  async deleteRows(orgId: OrgId): Promise<RowCounts> {
    const counts: Record<string, number> = {};
    const tables = await asOwner(this.client, orgId, () => this.tables());
    // Triggers add rows to tables that were emptied before, so a second round finds them.
    for (let deleted = 1; deleted > 0;) {
      deleted = 0;
      for (const table of tables.toReversed()) {
        for (let rows = BATCH; rows === BATCH;) {
          rows = await this.deleteBatch(orgId, table);
          deleted += rows;
          if (rows > 0) counts[table] = (counts[table] ?? 0) + rows;
        }
      }
    }
    return counts;
  }

  /** Returns the ids of the members. */
  async listMembers(orgId: OrgId): Promise<readonly number[]> {
    return asOwner(this.client, orgId, async () => {
      const { rows } = await this.client.query<{ id: number }>(
        'select person::float8 as id from member where org_id = $1',
        [orgId],
      );
      return rows.map(({ id }) => id);
    });
  }

  /** Deletes the accounts and sessions of these users, unless they are members of another workspace. */
  async deleteAccounts(orgId: OrgId, userIds: readonly number[]): Promise<RowCounts> {
    return asOwner(this.client, null, async () => {
      const { rows } = await this.client.query<{ id: string }>(
        `select id::text from unnest($1::bigint[]) as id
         where not exists (select from member where person = id and org_id <> $2)`,
        [userIds, orgId],
      );
      const ids = rows.map(({ id }) => id);
      const sessions = await this.client.query('delete from session where user_id = any($1::bigint[])', [ids]);
      const accounts = await this.client.query('delete from user_account where github_id = any($1::bigint[])', [ids]);
      await this.client.query('update session set workspace_id = null where workspace_id = $1', [orgId]);
      await this.client.query('update user_account set last_workspace_id = null where last_workspace_id = $1', [orgId]);
      return { session: sessions.rowCount ?? 0, user_account: accounts.rowCount ?? 0 };
    });
  }

  private async deleteBatch(orgId: OrgId, table: string): Promise<number> {
    return asOwner(this.client, orgId, async () => {
      const { rowCount } = await this.client.query(
        `delete from ${table} where ctid = any(array(select ctid from ${table} where org_id = $1 limit ${BATCH}))`,
        [orgId],
      );
      return rowCount ?? 0;
    });
  }

  private async tables(): Promise<readonly string[]> {
    return (await listTables(this.client)).filter(({ tenant }) => tenant).map(({ name }) => name);
  }
}
