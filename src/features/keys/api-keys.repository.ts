import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import type { TenantTransaction } from '../../database/database.js';
import { ApiKeyEntity } from '../../database/entities.js';
import type { ApiKeyDto, CredentialDto } from './api-keys.dto.js';

export interface NamedRepository {
  readonly id: string;
  readonly name: string;
}

/** Stores the API keys of a workspace. A revoked key stays stored for the audit log, but is not listed. */
@Injectable()
export class ApiKeysRepository {
  async create(tx: TenantTransaction, key: Omit<ApiKeyEntity, 'orgId' | 'revokedAt' | 'lastUsedAt'>): Promise<void> {
    await tx.manager.insert(ApiKeyEntity, { ...key, orgId: tx.orgId });
  }

  /**
   * Counts the keys that are not revoked, and blocks other transactions that create one, so that the number stays valid until the
   * transaction ends.
   */
  async lockAndCount(tx: TenantTransaction): Promise<number> {
    await tx.query(`select pg_advisory_xact_lock(hashtextextended($1, 0))`, [`${tx.orgId} api keys`]);
    return tx.manager.countBy(ApiKeyEntity, { revokedAt: IsNull() });
  }

  /** Lists the keys that are not revoked, newest first, with the repositories that the transaction can see. */
  async list(tx: TenantTransaction): Promise<readonly ApiKeyDto[]> {
    const keys = await tx.query<ApiKeyDto & { readonly repos: readonly string[] | null }>(
      `select k.id, k.name, k.prefix, k.scopes, k.created_by as "createdBy", k.created_at as "createdAt",
         k.expires_at as "expiresAt", k.last_used_at as "lastUsedAt",
         case when k.repository_ids is not null then
           array(select r.name from repository r where r.id = any (k.repository_ids) order by r.lower_name, r.id)
         end as repos
       from api_key k where k.revoked_at is null order by k.created_at desc, k.id desc`,
    );
    return keys.map(({ repos, ...key }) => ({ ...key, ...(repos && { repos }) }));
  }

  /** Describes a key for the CI system that uses it; null after the erasure of the workspace. Also names removed repositories. */
  async describe(tx: TenantTransaction, id: string): Promise<CredentialDto | null> {
    const [key] = await tx.query<Pick<CredentialDto, 'scopes' | 'repos' | 'expiresAt'>>(
      `select k.scopes, k.expires_at as "expiresAt",
         case when k.repository_ids is not null then
           array(select o.login || '/' || r.name from repository r cross join organization o
             where r.id = any (k.repository_ids) order by r.lower_name, r.id)
         end as repos
       from api_key k where k.id = $1`,
      [id],
    );
    return key ? { kind: 'api_key', ...key } : null;
  }

  /** Returns the name of the revoked key; null if the workspace has no such key or it was revoked before. */
  async revoke(tx: TenantTransaction, id: string, at: Date): Promise<string | null> {
    const active = { id, revokedAt: IsNull() };
    const revoked = await tx.manager.update(ApiKeyEntity, active, { revokedAt: at }, { returning: ['name'] });
    return (revoked.raw as readonly ApiKeyEntity[])[0]?.name ?? null;
  }

  /**
   * Finds the repository that each label names, by id, `name` or `owner/name`; null if it names none, or more than one while a
   * rename is not complete.
   */
  async findRepositories(
    tx: TenantTransaction,
    labels: readonly string[],
  ): Promise<ReadonlyMap<string, NamedRepository | null>> {
    const rows = await tx.query<{ readonly label: string; readonly ids: string[]; readonly names: string[] }>(
      `select labels.label, array_agg(r.id) filter (where r.id is not null) as ids, array_agg(r.name) as names
       from (select distinct label from unnest($1::text[]) label) labels
       cross join organization o
       left join repository r on r.removed_at is null and lower(labels.label) in
         (r.id::text, r.lower_name, lower(o.login) || '/' || r.lower_name)
       group by labels.label`,
      [labels],
    );
    return new Map(rows.map(({ label, ids, names }) => [label, onlyOne(ids ?? [], names)]));
  }
}

const onlyOne = ([id, another]: readonly string[], [name]: readonly string[]): NamedRepository | null =>
  id !== undefined && another === undefined && name !== undefined ? { id, name } : null;
