import { Injectable } from '@nestjs/common';
import { And, In, LessThanOrEqual, MoreThan } from 'typeorm';
import { Database, type TenantTransaction } from '../../../database/database.js';
import { RepositoryTokenEntity } from '../../../database/entities.js';
import type { OrgId } from '../../../database/ids.js';

/** A token encrypted with its own key, and that key encrypted with the key of the service. */
export interface EncryptedToken {
  readonly encryptedToken: string;
  readonly encryptedKey: string;
}

/** Stores the latest token of each repository, encrypted. */
@Injectable()
export class RepositoryTokensRepository {
  constructor(private readonly database: Database) {}

  async save(tx: TenantTransaction, repositoryId: string, token: EncryptedToken, receivedAt: Date): Promise<void> {
    const received = { ...token, orgId: tx.orgId, repositoryId, receivedAt };
    await tx.manager.upsert(RepositoryTokenEntity, received, ['orgId', 'repositoryId']);
  }

  find(tx: TenantTransaction, repositoryId: string): Promise<EncryptedToken | null> {
    return tx.manager.findOneBy(RepositoryTokenEntity, { repositoryId });
  }

  /** Lists those of the repositories that have a token received between these times. */
  async listHolders(
    tx: TenantTransaction,
    repositoryIds: readonly string[],
    after: Date,
    until: Date,
  ): Promise<readonly string[]> {
    const holders = await tx.manager.find(RepositoryTokenEntity, {
      select: { repositoryId: true },
      where: { repositoryId: In(repositoryIds), receivedAt: And(MoreThan(after), LessThanOrEqual(until)) },
    });
    return holders.map(({ repositoryId }) => repositoryId);
  }

  async delete(tx: TenantTransaction, repositoryId: string): Promise<void> {
    await tx.manager.delete(RepositoryTokenEntity, { repositoryId });
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
