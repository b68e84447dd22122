import { randomBytes, randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { secretHash } from '../../auth/secret-hash.js';
import { Clock } from '../../clock/clock.js';
import { Database } from '../../database/database.js';
import type { OrgId } from '../../database/ids.js';
import { KEY_SCOPES, type KeyScope } from '../../domain/keys/key-scope.js';
import { keySecret, SECRET_BYTES, visiblePrefix } from '../../domain/keys/key-secret.js';
import { DomainError } from '../../http/domain-error.js';
import type { ApiKey } from './api-key.js';
import { KeysRepository } from './keys.repository.js';

const MAX_NAME_LENGTH = 100;
const CONTROL_CHARACTER = /[\p{Cc}\p{Cs}]/u;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** What an admin decides about a new key. */
export interface ApiKeyOrder {
  readonly name: string;
  readonly scopes: readonly KeyScope[];
  /** Ids of the repositories that it is confined to; null is every repository of the workspace. */
  readonly repositoryIds: readonly string[] | null;
  /** Null never ends. */
  readonly expiresAt: Date | null;
  readonly createdBy: string;
}

/** Makes, lists and revokes the API keys of a workspace. */
@Injectable()
export class Keys {
  constructor(
    private readonly database: Database,
    private readonly keys: KeysRepository,
    private readonly clock: Clock,
  ) {}

  /**
   * Makes a key. Its secret is in the answer and nowhere else, ever. Refuses with `invalid` what could never be used or
   * would mean something else than it says, and with `not_found` a repository that the workspace has not.
   */
  async create(orgId: OrgId, order: ApiKeyOrder): Promise<{ readonly secret: string; readonly key: ApiKey }> {
    const now = this.clock.now();
    const problem = problemOf(order, now);
    if (problem !== null) throw new DomainError('invalid', problem);
    const secret = keySecret('sgk', randomBytes(SECRET_BYTES));
    const key: ApiKey = {
      id: randomUUID(),
      name: order.name.trim(),
      prefix: visiblePrefix(secret),
      scopes: KEY_SCOPES.filter((scope) => order.scopes.includes(scope)),
      repositoryIds: order.repositoryIds && [...new Set(order.repositoryIds.map((id) => id.toLowerCase()))],
      createdBy: order.createdBy,
      createdAt: now,
      expiresAt: order.expiresAt,
      lastUsedAt: null,
    };
    await this.database.inTenant(orgId, async (tx) => {
      const { repositoryIds } = key;
      if (repositoryIds && (await this.keys.countRepositories(tx, repositoryIds)) !== repositoryIds.length) {
        throw new DomainError('not_found', 'The workspace has no such repository.');
      }
      await this.keys.add(tx, key, secretHash(secret));
    });
    return { secret, key };
  }

  /** Every key that is not revoked, expired ones too, the newest first. */
  list(orgId: OrgId): Promise<readonly ApiKey[]> {
    return this.database.inTenant(orgId, (tx) => this.keys.list(tx));
  }

  /** From the moment that this resolves the key lets nobody in. */
  async revoke(orgId: OrgId, id: string): Promise<void> {
    const revoked =
      UUID.test(id) && (await this.database.inTenant(orgId, (tx) => this.keys.revoke(tx, id, this.clock.now())));
    if (!revoked) throw new DomainError('not_found', 'The workspace has no such key.');
  }
}

function problemOf({ name, scopes, repositoryIds, expiresAt }: ApiKeyOrder, now: Date): string | null {
  const length = name.trim().length;
  if (length === 0 || length > MAX_NAME_LENGTH) return `name must have 1 to ${MAX_NAME_LENGTH} characters.`;
  if (CONTROL_CHARACTER.test(name)) return 'name must not have control characters.';
  if (scopes.length === 0) return 'scopes must name at least one.';
  if (!scopes.every((scope) => KEY_SCOPES.includes(scope))) return `scopes must be of ${KEY_SCOPES.join(', ')}.`;
  // An empty list would read as "every repository" to one person and as "none" to another.
  if (repositoryIds?.length === 0) return 'repos must name at least one, or be left out for every repository.';
  if (!(repositoryIds ?? []).every((id) => UUID.test(id))) return 'repos must be ids of repositories.';
  if (expiresAt !== null && !(expiresAt > now)) return 'expiresAt must lie in the future.';
  return null;
}
