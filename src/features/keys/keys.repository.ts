import { Injectable } from '@nestjs/common';
import type { TenantTx } from '../../database/database.js';
import type { KeyScope } from '../../domain/keys/key-scope.js';
import type { ApiKey } from './api-key.js';

interface ApiKeyRow {
  readonly id: string;
  readonly name: string;
  readonly prefix: string;
  readonly scopes: readonly KeyScope[];
  readonly repository_ids: readonly string[] | null;
  readonly created_by: string;
  readonly created_at: Date;
  readonly expires_at: Date | null;
  readonly last_used_at: Date | null;
}

/** The API keys of a workspace. A revoked one stays, so that what it did can be told apart, but is listed no more. */
@Injectable()
export class KeysRepository {
  async add(tx: TenantTx, key: ApiKey, secretHash: Buffer): Promise<void> {
    await tx.query(
      `insert into api_key (org_id, id, name, prefix, secret_hash, scopes, repository_ids, created_by, created_at, expires_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
      [
        tx.orgId,
        key.id,
        key.name,
        key.prefix,
        secretHash,
        key.scopes,
        key.repositoryIds,
        key.createdBy,
        key.createdAt,
        key.expiresAt,
      ],
    );
  }

  /** Every key that is not revoked, the newest first. */
  async list(tx: TenantTx): Promise<readonly ApiKey[]> {
    const rows = await tx.query<ApiKeyRow>(
      `select id, name, prefix, scopes, repository_ids, created_by, created_at, expires_at, last_used_at
       from api_key where revoked_at is null order by created_at desc, id desc`,
      [],
    );
    return rows.map((row) => ({
      id: row.id,
      name: row.name,
      prefix: row.prefix,
      scopes: row.scopes,
      repositoryIds: row.repository_ids,
      createdBy: row.created_by,
      createdAt: row.created_at,
      expiresAt: row.expires_at,
      lastUsedAt: row.last_used_at,
    }));
  }

  /** False where the workspace has no such key that is not revoked already. */
  async revoke(tx: TenantTx, id: string, at: Date): Promise<boolean> {
    const rows = await tx.query(
      'with revoked as (update api_key set revoked_at = $2 where id = $1 and revoked_at is null returning id) select id from revoked',
      [id, at],
    );
    return rows.length > 0;
  }

  /** How many of these repositories the workspace has. */
  async countRepositories(tx: TenantTx, ids: readonly string[]): Promise<number> {
    const rows = await tx.query('select id from repository where id = any($1::uuid[]) and removed_at is null', [ids]);
    return rows.length;
  }
}
