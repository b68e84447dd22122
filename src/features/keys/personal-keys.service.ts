import { randomBytes, randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { workspaceNotSelected } from '../../auth/auth.errors.js';
import type { MemberCaller } from '../../auth/caller.js';
import { Clock } from '../../config/clock.js';
import { hashSecret } from '../../crypto/digests.js';
import { Database } from '../../database/database.js';
import { isUuid } from '../../database/ids.js';
import type { PersonalKeyScope } from '../../domain/keys/key-scope.js';
import { keySecret, SECRET_BYTES, visiblePrefix } from '../../domain/keys/key-secret.js';
import { DomainError } from '../../http/errors/domain-error.js';
import { AuditRepository } from '../audit/audit.repository.js';
import { auditActorOf, keyNameProblem } from './api-keys.service.js';
import { type PersonalKey, PersonalKeysRepository } from './personal-keys.repository.js';

const LIFE_MS = 30 * 24 * 3_600_000;
/** How many live keys a person may have, in all of their workspaces together. */
const MAX_LIVE_KEYS = 10;

interface PersonalKeyOrder {
  readonly name: string;
  readonly scope: PersonalKeyScope;
}

type Owner = Pick<MemberCaller, 'kind' | 'orgId' | 'user' | 'viewer'>;

/** Makes, lists and revokes the keys that a member gives their own tools. Nobody else's can be seen or named here. */
@Injectable()
export class PersonalKeysService {
  constructor(
    private readonly database: Database,
    private readonly keys: PersonalKeysRepository,
    private readonly audit: AuditRepository,
    private readonly clock: Clock,
  ) {}

  /** Makes a key for 30 days. Its secret is in the answer and nowhere else, ever. Refuses the eleventh with `conflict`. */
  async create(
    owner: Owner,
    { name, scope }: PersonalKeyOrder,
  ): Promise<{ readonly secret: string; readonly key: PersonalKey }> {
    const problem = keyNameProblem(name);
    if (problem !== null) throw new DomainError('invalid', problem);
    const now = this.clock.now();
    const secret = keySecret('sgp', randomBytes(SECRET_BYTES));
    const key: PersonalKey = {
      id: randomUUID(),
      name: name.trim(),
      prefix: visiblePrefix(secret),
      scope,
      createdAt: now,
      expiresAt: new Date(now.getTime() + LIFE_MS),
      lastUsedAt: null,
    };
    await this.database.inTenant(owner.orgId, async (tx) => {
      if ((await this.keys.countOfPerson(tx, owner.user.id, now)) >= MAX_LIVE_KEYS) throw tooManyKeys();
      if (!(await this.keys.add(tx, owner.user.id, key, hashSecret(secret)))) throw workspaceNotSelected();
      await this.audit.append(tx, {
        actor: auditActorOf(owner),
        action: 'personal_key.created',
        subject: key.name,
        data: { keyId: key.id, prefix: key.prefix, scope, expiresAt: key.expiresAt.toISOString() },
        repositoryIds: [],
      });
    });
    return { secret, key };
  }

  /** The owner's keys in the workspace that are not revoked, expired ones too, the newest first. */
  list({ orgId, user }: Owner): Promise<readonly PersonalKey[]> {
    return this.database.inTenant(orgId, (tx) => this.keys.listOfPerson(tx, user.id));
  }

  /** From the moment that this resolves the key lets nobody in. */
  async revoke(owner: Owner, id: string): Promise<void> {
    if (!isUuid(id)) throw noSuchKey();
    await this.database.inTenant(owner.orgId, async (tx) => {
      const name = await this.keys.revoke(tx, owner.user.id, id, this.clock.now());
      if (name === null) throw noSuchKey();
      const data = { keyId: id.toLowerCase() };
      const actor = auditActorOf(owner);
      await this.audit.append(tx, { actor, action: 'personal_key.revoked', subject: name, data, repositoryIds: [] });
    });
  }
}

const noSuchKey = (): DomainError => new DomainError('not_found', 'You have no such key in this workspace.');

const tooManyKeys = (): DomainError =>
  new DomainError(
    'conflict',
    `You have ${MAX_LIVE_KEYS} live keys in your workspaces, and nobody may have more: revoke one that you need no more.`,
  );
