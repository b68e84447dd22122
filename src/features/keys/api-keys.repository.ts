import { Injectable } from '@nestjs/common';
import type { TenantTransaction } from '../../database/database.js';
import type { KeyScope } from '../../domain/keys/key-scope.js';

/** An API key as the workspace's people see it: all of it but its secret. */
export interface ApiKey {
  readonly id: string;
  readonly name: string;
  /** The leading part of the secret. */
  readonly prefix: string;
  readonly scopes: readonly KeyScope[];
  /**
   * Names of the repositories that it is confined to, as far as whoever looks may know of them; null is every repository
   * of the workspace.
   */
  readonly repos: readonly string[] | null;
  readonly createdAt: Date;
  /** Null never ends. */
  readonly expiresAt: Date | null;
  readonly lastUsedAt: Date | null;
}

interface ApiKeyRow {
  readonly id: string;
  readonly name: string;
  readonly prefix: string;
  readonly scopes: readonly KeyScope[];
  readonly repos: readonly string[] | null;
  readonly created_at: Date;
  readonly expires_at: Date | null;
  readonly last_used_at: Date | null;
}

/** What is kept of a new key besides what is shown of it. */
interface ApiKeySecret {
  readonly secretHash: Buffer;
  readonly repositoryIds: readonly string[] | null;
  readonly createdBy: string;
}

export interface NamedRepository {
  readonly id: string;
  readonly name: string;
}

/** The API keys of a workspace. A revoked one stays, so that what it did can be told apart, but is listed no more. */
@Injectable()
export class ApiKeysRepository {
  async add(tx: TenantTransaction, key: ApiKey, { secretHash, repositoryIds, createdBy }: ApiKeySecret): Promise<void> {
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
        repositoryIds,
        createdBy,
        key.createdAt,
        key.expiresAt,
      ],
    );
  }

  /** How many keys are not revoked, asked before one is added: of two at once the second waits, and is counted after. */
  async lockAndCount(tx: TenantTransaction): Promise<number> {
    await tx.query(`select pg_advisory_xact_lock(hashtextextended($1, 0))`, [`${tx.orgId} api keys`]);
    const [row] = await tx.query<{ readonly keys: string }>(
      'select count(*) as keys from api_key where revoked_at is null',
    );
    return Number(row?.keys);
  }

  /** Every key that is not revoked, the newest first. */
  async list(tx: TenantTransaction): Promise<readonly ApiKey[]> {
    const rows = await tx.query<ApiKeyRow>(
      `select k.id, k.name, k.prefix, k.scopes, k.created_at, k.expires_at, k.last_used_at,
         case when k.repository_ids is not null then
           array(select r.name from repository r where r.id = any (k.repository_ids) order by r.lower_name, r.id)
         end as repos
       from api_key k where k.revoked_at is null order by k.created_at desc, k.id desc`,
      [],
    );
    return rows.map((row) => ({
      id: row.id,
      name: row.name,
      prefix: row.prefix,
      scopes: row.scopes,
      repos: row.repos,
      createdAt: row.created_at,
      expiresAt: row.expires_at,
      lastUsedAt: row.last_used_at,
    }));
  }

  /** The name of the key that was revoked now; null where the workspace has no such key that is not revoked already. */
  async revoke(tx: TenantTransaction, id: string, at: Date): Promise<string | null> {
    const [revoked] = await tx.query<{ readonly name: string }>(
      `with revoked as (
         update api_key set revoked_at = $2 where id = $1 and revoked_at is null returning name)
       select name from revoked`,
      [id, at],
    );
    return revoked?.name ?? null;
  }

  /**
   * The repository that each label names, by id, `name` or `owner/name`; null where it names none, or, as while a rename
   * is under way, more than one.
   */
  async findRepositories(
    tx: TenantTransaction,
    labels: readonly string[],
  ): Promise<ReadonlyMap<string, NamedRepository | null>> {
    const rows = await tx.query<{ readonly label: string; readonly ids: string[]; readonly names: string[] }>(
      `select wanted.label, array_agg(r.id) filter (where r.id is not null) as ids, array_agg(r.name) as names
       from (select distinct label from unnest($1::text[]) label) wanted
       cross join organization o
       left join repository r on r.removed_at is null and lower(wanted.label) in
         (r.id::text, r.lower_name, lower(o.login) || '/' || r.lower_name)
       group by wanted.label`,
      [labels],
    );
    return new Map(rows.map(({ label, ids, names }) => [label, onlyOne(ids ?? [], names)]));
  }
}

const onlyOne = ([id, another]: readonly string[], [name]: readonly string[]): NamedRepository | null =>
  id !== undefined && another === undefined && name !== undefined ? { id, name } : null;
