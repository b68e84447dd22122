import { Injectable } from '@nestjs/common';
import { Clock } from '../config/clock.js';
import { hashSecret } from '../crypto/digests.js';
import { includesScope, type PersonalKeyScope } from '../domain/keys/key-scope.js';
import { InvalidCredentialError, insufficientScope } from './auth.errors.js';
import type { Bearer } from './bearer.js';
import type { PersonalKeyCaller } from './caller.js';
import { CredentialsQueries, keyStatus } from './credentials.queries.js';
import { KeyUsageRepository } from './key-usage.repository.js';
import { SessionAuthService } from './session/session-auth.service.js';

/** Says whose tools present a personal key, and in which workspace they act. */
@Injectable()
export class PersonalKeyAuthService {
  constructor(
    private readonly keys: CredentialsQueries,
    private readonly users: SessionAuthService,
    private readonly use: KeyUsageRepository,
    private readonly clock: Clock,
  ) {}

  /**
   * Throws `InvalidCredentialError` where the key does not hold, which is also where its owner left the organization or the
   * organization removed the app; `forbidden` where it does not reach so far.
   */
  async authorize(bearer: Exclude<Bearer, { kind: 'none' }>, needed: PersonalKeyScope): Promise<PersonalKeyCaller> {
    if (bearer.kind === 'malformed') throw new InvalidCredentialError('malformed');
    if (bearer.kind !== 'personal_key') throw new InvalidCredentialError('other_kind');
    const key = await this.keys.findPersonalKeyByHash(hashSecret(bearer.secret));
    if (key === null) throw new InvalidCredentialError('unknown_key');
    const standing = keyStatus(key, this.clock.now());
    if (standing !== 'live') throw new InvalidCredentialError(standing);
    if (!key.installed) throw new InvalidCredentialError('not_installed');
    const member = await this.users.findMember(key.user, key.membership);
    if (member === null) throw new InvalidCredentialError('no_member');
    if (!includesScope(key.scope, needed)) throw insufficientScope(needed);
    this.use.recordUse('personal_key', key);
    return { kind: 'personal_key', ...member, keyId: key.keyId, scope: key.scope };
  }
}
