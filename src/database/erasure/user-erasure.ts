import { type Client, escapeLiteral } from 'pg';
import { withDedicatedClient } from '../dedicated-client.js';
import { listTables } from '../dump/table-list.js';
import type { OrgId } from '../ids.js';
import { asOwner } from '../dump/owner-access.js';
import type { RowCounts } from './workspace-erasure.js';

/** The tables with rows of a user that are deleted, each with the column of the user's id. */
const OF_USER = [
  ['public.repository_access', 'person'],
  ['public.member', 'person'],
  ['public.personal_key', 'person'],
  ['public.invite', 'person'],
] as const;
/** Tables with the content of files, which are not searched for the user. */
const FILES: ReadonlySet<string> = new Set(
  ['report_content', 'report_content_block', 'test_results'].map((name) => `public.${name}`),
);

/** Deletes the account of a user, with everything that belongs to the user and to no release. */
export class UserErasure {
  private constructor(
    private readonly client: Client,
    private readonly userId: number,
  ) {}

  static open<T>(url: string, userId: number, work: (erasure: UserErasure) => Promise<T>): Promise<T> {
    return withDedicatedClient(url, (client) => work(new UserErasure(client, userId)));
  }

  /** Returns the user's login; null if there is no account. */
  async findLogin(): Promise<string | null> {
    return asOwner(this.client, null, async () => {
      const { rows } = await this.client.query<{ login: string }>(
        'select login from user_account where github_id = $1',
        [this.userId],
      );
      return rows[0]?.login ?? null;
    });
  }

  async listWorkspaces(): Promise<readonly OrgId[]> {
    return asOwner(this.client, null, async () => {
      const { rows } = await this.client.query<{ orgId: OrgId }>('select org_id as "orgId" from list_organizations()');
      return rows.map(({ orgId }) => orgId);
    });
  }

  /** Counts the rows of the user in a workspace. */
  async count(orgId: OrgId): Promise<RowCounts> {
    return this.each(orgId, (table, column) => `select from ${table} where org_id = $1 and ${column} = $2`);
  }

  /** Deletes the rows of the user in a workspace, and the avatar from the unmet conditions that name the user. */
  async deleteRows(orgId: OrgId): Promise<RowCounts> {
    await asOwner(this.client, orgId, () =>
      this.client.query(
        `update release set blockers = replace(blockers::text, to_json(avatar_url)::text, 'null')::jsonb
         from user_account
         where org_id = $1 and github_id = $2 and strpos(blockers::text, to_json(avatar_url)::text) > 0`,
        [orgId, this.userId],
      ),
    );
    return this.each(orgId, (table, column) => `delete from ${table} where org_id = $1 and ${column} = $2`);
  }

  /** Deletes the sessions and the account. */
  async deleteAccount(): Promise<RowCounts> {
    return asOwner(this.client, null, async () => {
      const sessions = await this.client.query('delete from session where user_id = $1', [this.userId]);
      const accounts = await this.client.query('delete from user_account where github_id = $1', [this.userId]);
      return { 'public.session': sessions.rowCount ?? 0, 'public.user_account': accounts.rowCount ?? 0 };
    });
  }

  /** Counts the rows of a workspace that have the login as a whole word in any column: the records of releases and the audit log. */
  async countRecords(orgId: OrgId, login: string): Promise<RowCounts> {
    // Logins have letters, digits and hyphens.
    const pattern = escapeLiteral(`(^|[^a-z0-9-])${login.toLowerCase()}($|[^a-z0-9-])`);
    return asOwner(this.client, orgId, async () => {
      const counts: Record<string, number> = {};
      for (const { name, tenant } of await listTables(this.client)) {
        if (!tenant || FILES.has(name)) continue;
        const { rowCount } = await this.client.query(
          `select from ${name} t where org_id = $1 and lower(t::text) ~ ${pattern}`,
          [orgId],
        );
        if (rowCount) counts[name] = rowCount;
      }
      return counts;
    });
  }

  private async each(orgId: OrgId, statement: (table: string, column: string) => string): Promise<RowCounts> {
    return asOwner(this.client, orgId, async () => {
      const counts: Record<string, number> = {};
      for (const [table, column] of OF_USER) {
        const { rowCount } = await this.client.query(statement(table, column), [orgId, this.userId]);
        if (rowCount) counts[table] = rowCount;
      }
      return counts;
    });
  }
}
