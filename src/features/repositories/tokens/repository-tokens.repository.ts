import { Injectable } from '@nestjs/common';
import { Database, type TenantTransaction } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import type { EncryptedToken } from './token-encryption.service.js';

/** Stores the latest token of each repository, encrypted. */
@Injectable()
export class RepositoryTokensRepository {
  constructor(private readonly database: Database) {}

  async save(tx: TenantTransaction, repositoryId: string, token: EncryptedToken, receivedAt: Date): Promise<void> {
    await tx.query(
      `insert into repository_token (org_id, repository_id, encrypted_token, encrypted_key, received_at)
       values ($1, $2, $3, $4, $5)
       on conflict (org_id, repository_id) do update set encrypted_token = excluded.encrypted_token,
         encrypted_key = excluded.encrypted_key, received_at = excluded.received_at`,
      [tx.orgId, repositoryId, token.encryptedToken, token.encryptedKey, receivedAt],
    );
  }

  async find(tx: TenantTransaction, repositoryId: string): Promise<EncryptedToken | null> {
    const [token] = await tx.query<EncryptedToken>(
      `select encrypted_token as "encryptedToken", encrypted_key as "encryptedKey" from repository_token
       where repository_id = $1`,
      [repositoryId],
    );
    return token ?? null;
  }

  /** Lists those of the repositories that have a token received between these times. */
  async listHolders(
    tx: TenantTransaction,
    repositoryIds: readonly string[],
    after: Date,
    until: Date,
  ): Promise<readonly string[]> {
    const rows = await tx.query<{ readonly id: string }>(
      `select repository_id as id from repository_token
       where repository_id = any($1::uuid[]) and received_at > $2 and received_at <= $3`,
      [repositoryIds, after, until],
    );
    return rows.map(({ id }) => id);
  }

  async delete(tx: TenantTransaction, repositoryId: string): Promise<void> {
    await tx.query('delete from repository_token where repository_id = $1', [repositoryId]);
  }

  /** Deletes the tokens of the workspace that were not received between these times. */
  async deleteReceivedOutside(tx: TenantTransaction, after: Date, until: Date): Promise<void> {
    await tx.query('delete from repository_token where received_at <= $1 or received_at > $2', [after, until]);
  }

  /** Deletes the tokens of repositories that the app cannot access any more: removed ones, or all if it is uninstalled or suspended. */
  async deleteUnreachable(tx: TenantTransaction): Promise<void> {
    await tx.query(
      `delete from repository_token t using repository r, organization o
       where r.id = t.repository_id and o.org_id = t.org_id
         and (r.removed_at is not null or o.installation_id is null or o.suspended_at is not null)`,
    );
  }

  /** Lists the workspaces that have a token. */
  async listWorkspaces(): Promise<readonly OrgId[]> {
    const rows = await this.database.queryWithoutTenant<{ readonly org_id: OrgId }>(
      'list_workspaces_with_tokens',
      `select org_id from list_workspaces_with_tokens('infinity')`,
      [],
    );
    return rows.map(({ org_id: orgId }) => orgId);
  }
}
