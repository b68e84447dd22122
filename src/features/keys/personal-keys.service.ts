import { randomBytes, randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { workspaceNotSelected } from '../../auth/auth.errors.js';
import type { MemberCaller } from '../../auth/caller.js';
import { Clock } from '../../config/clock.js';
import { hashSecret } from '../../crypto/digests.js';
import { Database } from '../../database/database.js';
import { isUuid } from '../../database/ids.js';
import { keySecret, SECRET_BYTES, visiblePrefix } from '../../domain/keys/key-secret.js';
import { DomainError } from '../../http/errors/domain-error.js';
import { AuditLogService } from '../audit/audit-log.service.js';
import { toAuditActor, validateKeyName } from './api-keys.service.js';
import type { CreatePersonalKeyDto, NewPersonalKeyDto, PersonalKeyDto } from './personal-keys.dto.js';
import { personalKeyLimitReached, personalKeyNotFound } from './keys.errors.js';
import { PersonalKeysRepository } from './personal-keys.repository.js';

const KEY_LIFETIME_MS = 30 * 24 * 3_600_000;
/** The maximum number of live keys of a user, in all of their workspaces together. */
const MAX_LIVE_KEYS = 10;

type Owner = Pick<MemberCaller, 'kind' | 'orgId' | 'user' | 'viewer'>;

/** Creates, lists and revokes the keys of a member's own tools. It never reads or changes keys of other users. */
@Injectable()
export class PersonalKeysService {
  constructor(
    private readonly database: Database,
    private readonly keys: PersonalKeysRepository,
    private readonly audit: AuditLogService,
    private readonly clock: Clock,
  ) {}

  /** Creates a key for 30 days. Only this result contains its secret. Throws `conflict` if the user has the maximum number. */
  async create(owner: Owner, { name, scope }: CreatePersonalKeyDto): Promise<NewPersonalKeyDto> {
    const problem = validateKeyName(name);
    if (problem !== null) throw new DomainError('invalid', problem);
    const now = this.clock.now();
    const secret = keySecret('sgp', randomBytes(SECRET_BYTES));
    const key = {
      id: randomUUID(),
      name: name.trim(),
      prefix: visiblePrefix(secret),
      scope,
      createdAt: now,
      expiresAt: new Date(now.getTime() + KEY_LIFETIME_MS),
      lastUsedAt: null,
    };
    await this.database.inTenant(owner.orgId, async (tx) => {
      if ((await this.keys.countOfUser(tx, owner.user.id, now)) >= MAX_LIVE_KEYS)
        throw personalKeyLimitReached(MAX_LIVE_KEYS);
      if (!(await this.keys.create(tx, owner.user.id, key, hashSecret(secret)))) throw workspaceNotSelected();
      await this.audit.append(tx, {
        actor: toAuditActor(owner),
        action: 'personal_key.created',
        subject: key.name,
        data: { keyId: key.id, prefix: key.prefix, scope, expiresAt: key.expiresAt.toISOString() },
        repositoryIds: [],
      });
    });
    return { ...key, key: secret };
  }

  /** Lists the owner's keys in the workspace that are not revoked, also expired ones, newest first. */
  list({ orgId, user }: Owner): Promise<readonly PersonalKeyDto[]> {
    return this.database.inTenant(orgId, (tx) => this.keys.listOfUser(tx, user.id));
  }

  /** Revokes a key. It is not valid any more when this resolves. */
  async revoke(owner: Owner, id: string): Promise<void> {
    if (!isUuid(id)) throw personalKeyNotFound();
    await this.database.inTenant(owner.orgId, async (tx) => {
      const name = await this.keys.revoke(tx, owner.user.id, id, this.clock.now());
      if (name === null) throw personalKeyNotFound();
      const data = { keyId: id.toLowerCase() };
      const actor = toAuditActor(owner);
      await this.audit.append(tx, { actor, action: 'personal_key.revoked', subject: name, data, repositoryIds: [] });
    });
  }
}
