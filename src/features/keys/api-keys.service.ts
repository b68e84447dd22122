import { randomBytes, randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { credentialInvalid } from '../../auth/auth.errors.js';
import type { CiCaller, MemberCaller } from '../../auth/caller.js';
import { Clock } from '../../config/clock.js';
import { hashSecret } from '../../crypto/digests.js';
import { Database, type TenantTransaction } from '../../database/database.js';
import { isUuid, type OrgId } from '../../database/ids.js';
import { KEY_SCOPES } from '../../domain/keys/key-scope.js';
import { keySecret, SECRET_BYTES, visiblePrefix } from '../../domain/keys/key-secret.js';
import { DomainError } from '../../http/errors/domain-error.js';
import { MembersRepository } from '../accounts/members/members.repository.js';
import type { AuditActor } from '../audit/audit-actions.js';
import { AuditLogService } from '../audit/audit-log.service.js';
import { type ApiKeyDto, type CredentialDto, MAX_KEY_NAME_LENGTH, type NewApiKeyDto } from './api-keys.dto.js';
import { apiKeyLimitReached, apiKeyNotFound } from './keys.errors.js';
import { ApiKeysRepository, type NamedRepository } from './api-keys.repository.js';

/** The operator of the service, on the command line. */
interface Operator {
  readonly kind: 'operator';
  readonly orgId: OrgId;
}

/** The user of the key settings: a member, who sees what they can read on GitHub, or the operator. */
export type KeyActor = Pick<MemberCaller, 'kind' | 'orgId' | 'user' | 'viewer'> | Operator;

export const toAuditActor = (by: KeyActor): AuditActor =>
  by.kind === 'operator' ? { type: 'service' } : { type: 'person', id: by.user.id, login: by.user.login };

const CONTROL_CHARACTER = /[\p{Cc}\p{Cs}]/u;

/** Returns why a name is not allowed for a key, or null. White space around it is ignored. */
export function validateKeyName(name: string): string | null {
  const { length } = name.trim();
  if (length === 0 || length > MAX_KEY_NAME_LENGTH) return `name must have 1 to ${MAX_KEY_NAME_LENGTH} characters.`;
  return CONTROL_CHARACTER.test(name) ? 'name must not have control characters.' : null;
}

/** The maximum number of keys of a workspace that are not revoked. */
const MAX_KEYS = 100;

/** The settings of a new key. */
export type NewApiKey = Pick<ApiKeyDto, 'name' | 'scopes' | 'expiresAt'> & {
  /** The repositories that it is limited to, each by id, `name` or `owner/name`; null means all of the workspace. */
  readonly repos: readonly string[] | null;
};

/** Creates, lists and revokes the API keys of a workspace. */
@Injectable()
export class ApiKeysService {
  constructor(
    private readonly database: Database,
    private readonly keys: ApiKeysRepository,
    private readonly members: MembersRepository,
    private readonly audit: AuditLogService,
    private readonly clock: Clock,
  ) {}

  /** Describes the credential of a request to the CI system that uses it. */
  async describe(caller: CiCaller): Promise<CredentialDto> {
    if (caller.kind === 'api_key') {
      const key = await this.database.inTenant(caller.orgId, (tx) => this.keys.describe(tx, caller.keyId));
      // The workspace was erased after the guard had read the key.
      if (key === null) throw credentialInvalid();
      return key;
    }
    return { kind: caller.kind, scopes: KEY_SCOPES, repos: [caller.repository], expiresAt: null };
  }

  /**
   * Creates a key. Only this result contains its secret. Throws `invalid` for unusable settings, `not_found` for a repository that
   * the workspace does not have or the caller cannot read, `conflict` if the workspace has the maximum number of keys, and
   * `forbidden` if the caller is not an admin any more.
   */
  async create(by: KeyActor, settings: NewApiKey): Promise<NewApiKeyDto> {
    const now = this.clock.now();
    const problem = validateNewKey(settings, now);
    if (problem !== null) throw new DomainError('invalid', problem);
    const secret = keySecret('sgk', randomBytes(SECRET_BYTES));
    const created = {
      id: randomUUID(),
      name: settings.name.trim(),
      prefix: visiblePrefix(secret),
      scopes: KEY_SCOPES.filter((scope) => settings.scopes.includes(scope)),
      createdBy: by.kind === 'operator' ? 'command line' : by.user.login,
      createdAt: now,
      expiresAt: settings.expiresAt,
    };
    return this.#transact(by, async (tx) => {
      await this.#lockAdmin(tx, by);
      // The limit does not apply to the operator.
      if (by.kind === 'member' && (await this.keys.lockAndCount(tx)) >= MAX_KEYS) throw apiKeyLimitReached(MAX_KEYS);
      const repositories = settings.repos && (await this.#findRepositories(tx, settings.repos));
      const repositoryIds = repositories && repositories.map(({ id }) => id);
      await this.keys.create(tx, { ...created, secretHash: hashSecret(secret), repositoryIds });
      await this.audit.append(tx, {
        actor: toAuditActor(by),
        action: 'api_key.created',
        subject: created.name,
        data: {
          keyId: created.id,
          prefix: created.prefix,
          scopes: created.scopes,
          repositoryIds,
          expiresAt: created.expiresAt?.toISOString() ?? null,
        },
        repositoryIds: repositoryIds ?? [],
      });
      const repos = repositories && repositories.map(({ name }) => name);
      return { ...created, lastUsedAt: null, ...(repos && { repos }), key: secret };
    });
  }

  /** Lists the keys that are not revoked, also expired ones, newest first. */
  list(by: KeyActor): Promise<readonly ApiKeyDto[]> {
    return this.#transact(by, (tx) => this.keys.list(tx));
  }

  /**
   * Revokes a key. It is not valid any more when this resolves. Throws `forbidden` if the caller is not an admin any more.
   */
  async revoke(by: KeyActor, id: string): Promise<void> {
    if (!isUuid(id)) throw apiKeyNotFound();
    await this.#transact(by, async (tx) => {
      await this.#lockAdmin(tx, by);
      const name = await this.keys.revoke(tx, id, this.clock.now());
      if (name === null) throw apiKeyNotFound();
      const data = { keyId: id.toLowerCase() };
      const actor = toAuditActor(by);
      await this.audit.append(tx, { actor, action: 'api_key.revoked', subject: name, data, repositoryIds: [] });
    });
  }

  /** A member must not learn by a guess of its name that a private repository exists, so the transaction has a viewer. */
  #transact<T>(by: KeyActor, work: (tx: TenantTransaction) => Promise<T>): Promise<T> {
    return by.kind === 'operator' ? this.database.inTenant(by.orgId, work) : this.database.asViewer(by.viewer, work);
  }

  async #lockAdmin(tx: TenantTransaction, by: KeyActor): Promise<void> {
    if (by.kind === 'member') await this.members.lockAdmin(tx, by.user.id);
  }

  async #findRepositories(tx: TenantTransaction, labels: readonly string[]): Promise<readonly NamedRepository[]> {
    const found = await this.keys.findRepositories(tx, labels);
    const byId = new Map<string, NamedRepository>();
    for (const label of labels) {
      const repository = found.get(label) ?? null;
      if (repository === null) throw new DomainError('not_found', `The workspace has no repository "${label}".`);
      byId.set(repository.id, repository);
    }
    return [...byId.values()];
  }
}

function validateNewKey({ name, scopes, repos, expiresAt }: NewApiKey, now: Date): string | null {
  const nameProblem = validateKeyName(name);
  if (nameProblem !== null) return nameProblem;
  if (scopes.length === 0) return 'scopes must name at least one.';
  if (!scopes.every((scope) => KEY_SCOPES.includes(scope))) return `scopes must be of ${KEY_SCOPES.join(', ')}.`;
  // An empty list could mean every repository or none.
  if (repos?.length === 0) return 'repos must name at least one, or be left out for every repository.';
  if (expiresAt !== null && !(expiresAt > now)) return 'expiresAt must lie in the future.';
  return null;
}
