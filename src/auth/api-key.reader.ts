import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import type { OrgId } from '../database/ids.js';
import type { ApiKeyRecord } from './api-key-record.js';

/** Finds API keys before their workspace is known. */
@Injectable()
export class ApiKeyReader {
  constructor(private readonly database: Database) {}

  /** The key with this hash, live or not; null where there is none. */
  async findByHash(secretHash: Buffer): Promise<ApiKeyRecord | null> {
    const [row] = await this.database.lookup<ApiKeyRow>(
      'find_api_key',
      'select org_id, id, scopes, repository_ids, expires_at, revoked_at, last_used_at from find_api_key($1)',
      [secretHash],
    );
    return row
      ? {
          orgId: row.org_id,
          keyId: row.id,
          scopes: row.scopes,
          repositoryIds: row.repository_ids,
          expiresAt: row.expires_at,
          revokedAt: row.revoked_at,
          lastUsedAt: row.last_used_at,
        }
      : null;
  }
}

interface ApiKeyRow {
  readonly org_id: OrgId;
  readonly id: string;
  readonly scopes: ApiKeyRecord['scopes'];
  readonly repository_ids: readonly string[] | null;
  readonly expires_at: Date | null;
  readonly revoked_at: Date | null;
  readonly last_used_at: Date | null;
}
