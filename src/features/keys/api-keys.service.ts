import { randomBytes, randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { MemberCaller } from '../../auth/caller.js';
import { Clock } from '../../config/clock.js';
import { hashSecret } from '../../crypto/digests.js';
import { Database, type TenantTransaction } from '../../database/database.js';
import { isUuid, type OrgId } from '../../database/ids.js';
import { KEY_SCOPES, type KeyScope } from '../../domain/keys/key-scope.js';
import { keySecret, SECRET_BYTES, visiblePrefix } from '../../domain/keys/key-secret.js';
import { DomainError } from '../../http/errors/domain-error.js';
import { MembersRepository } from '../accounts/members/members.repository.js';
import type { AuditActor } from '../audit/audit-actions.js';
import { AuditRepository } from '../audit/audit.repository.js';
import { type ApiKey, ApiKeysRepository, type NamedRepository } from './api-keys.repository.js';

/** Whoever runs the service, on its command line. */
interface Operator {
  readonly kind: 'operator';
  readonly orgId: OrgId;
}

/** Who makes, lists and revokes keys: a member, who sees what the code host lets them see, or the operator. */
export type KeyActor = Pick<MemberCaller, 'kind' | 'orgId' | 'user' | 'viewer'> | Operator;

export const auditActorOf = (by: KeyActor): AuditActor =>
  by.kind === 'operator' ? { type: 'service' } : { type: 'person', id: by.user.id, login: by.user.login };

export const MAX_KEY_NAME_LENGTH = 100;
const CONTROL_CHARACTER = /[\p{Cc}\p{Cs}]/u;

/** Why a key cannot be called so, or null. White space around a name is no part of it. */
export function keyNameProblem(name: string): string | null {
  const { length } = name.trim();
  if (length === 0 || length > MAX_KEY_NAME_LENGTH) return `name must have 1 to ${MAX_KEY_NAME_LENGTH} characters.`;
  return CONTROL_CHARACTER.test(name) ? 'name must not have control characters.' : null;
}

/** How many keys a workspace may have that are not revoked: so many stand in its list. */
const MAX_KEYS = 100;

/** What is decided about a new key. */
export interface NewApiKey {
  readonly name: string;
  readonly scopes: readonly KeyScope[];
  /** The repositories that it is confined to, each by id, `name` or `owner/name`; null is every one of the workspace. */
  readonly repos: readonly string[] | null;
  /** Null never ends. */
  readonly expiresAt: Date | null;
}

/** Makes, lists and revokes the API keys of a workspace. */
@Injectable()
export class ApiKeysService {
  constructor(
    private readonly database: Database,
    private readonly keys: ApiKeysRepository,
    private readonly office: MembersRepository,
    private readonly audit: AuditRepository,
    private readonly clock: Clock,
  ) {}

  /**
   * Makes a key. Its secret is in the answer and nowhere else, ever. Refuses with `invalid` what could never be used or
   * would mean something else than it says, and with `not_found` a repository that the workspace has not or that is
   * hidden from whoever orders the key. Refuses with `conflict` where the workspace has as many keys as its people may make, and with
   * `forbidden` a person who ceased to be an admin meanwhile.
   */
  async create(by: KeyActor, order: NewApiKey): Promise<{ readonly secret: string; readonly key: ApiKey }> {
    const now = this.clock.now();
    const problem = problemOf(order, now);
    if (problem !== null) throw new DomainError('invalid', problem);
    const secret = keySecret('sgk', randomBytes(SECRET_BYTES));
    const made = {
      id: randomUUID(),
      name: order.name.trim(),
      prefix: visiblePrefix(secret),
      scopes: KEY_SCOPES.filter((scope) => order.scopes.includes(scope)),
      createdAt: now,
      expiresAt: order.expiresAt,
      lastUsedAt: null,
    };
    const key = await this.#enter(by, async (tx) => {
      await this.#holdOffice(tx, by);
      // Whoever runs the service is not held up by what its people have made.
      if (by.kind === 'member' && (await this.keys.lockAndCount(tx)) >= MAX_KEYS) throw tooManyKeys();
      const confinement = order.repos && (await this.#findRepositories(tx, order.repos));
      const repositoryIds = confinement && confinement.map(({ id }) => id);
      const key = { ...made, repos: confinement && confinement.map(({ name }) => name) };
      const createdBy = by.kind === 'operator' ? 'command line' : by.user.login;
      await this.keys.add(tx, key, { secretHash: hashSecret(secret), repositoryIds, createdBy });
      await this.audit.append(tx, {
        actor: auditActorOf(by),
        action: 'api_key.created',
        subject: key.name,
        data: {
          keyId: key.id,
          prefix: key.prefix,
          scopes: key.scopes,
          repositoryIds,
          expiresAt: key.expiresAt?.toISOString() ?? null,
        },
        repositoryIds: repositoryIds ?? [],
      });
      return key;
    });
    return { secret, key };
  }

  /** Every key that is not revoked, expired ones too, the newest first. */
  list(by: KeyActor): Promise<readonly ApiKey[]> {
    return this.#enter(by, (tx) => this.keys.list(tx));
  }

  /**
   * From the moment that this resolves the key lets nobody in. Refuses with `forbidden` a person who ceased to be an admin
   * meanwhile.
   */
  async revoke(by: KeyActor, id: string): Promise<void> {
    if (!isUuid(id)) throw noSuchKey();
    await this.#enter(by, async (tx) => {
      await this.#holdOffice(tx, by);
      const name = await this.keys.revoke(tx, id, this.clock.now());
      if (name === null) throw noSuchKey();
      const data = { keyId: id.toLowerCase() };
      const actor = auditActorOf(by);
      await this.audit.append(tx, { actor, action: 'api_key.revoked', subject: name, data, repositoryIds: [] });
    });
  }

  /** A private repository that a person may not read must not be found by guessing its name either. */
  #enter<T>(by: KeyActor, work: (tx: TenantTransaction) => Promise<T>): Promise<T> {
    return by.kind === 'operator' ? this.database.inTenant(by.orgId, work) : this.database.asViewer(by.viewer, work);
  }

  async #holdOffice(tx: TenantTransaction, by: KeyActor): Promise<void> {
    if (by.kind === 'member') await this.office.lockAdmin(tx, by.user.id);
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

const tooManyKeys = (): DomainError =>
  new DomainError(
    'conflict',
    `The workspace has ${MAX_KEYS} API keys, expired ones included, and may have no more: revoke one that it needs no more.`,
  );

const noSuchKey = (): DomainError => new DomainError('not_found', 'The workspace has no such key.');

function problemOf({ name, scopes, repos, expiresAt }: NewApiKey, now: Date): string | null {
  const problemOfName = keyNameProblem(name);
  if (problemOfName !== null) return problemOfName;
  if (scopes.length === 0) return 'scopes must name at least one.';
  if (!scopes.every((scope) => KEY_SCOPES.includes(scope))) return `scopes must be of ${KEY_SCOPES.join(', ')}.`;
  // An empty list would read as "every repository" to one person and as "none" to another.
  if (repos?.length === 0) return 'repos must name at least one, or be left out for every repository.';
  if (expiresAt !== null && !(expiresAt > now)) return 'expiresAt must lie in the future.';
  return null;
}
