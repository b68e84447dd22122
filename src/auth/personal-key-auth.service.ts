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

/** Authorizes remote tools by their personal key. */
@Injectable()
export class PersonalKeyAuthService {
  constructor(
    private readonly credentials: CredentialsQueries,
    private readonly sessionAuth: SessionAuthService,
    private readonly keyUsage: KeyUsageRepository,
    private readonly clock: Clock,
  ) {}

  /**
   * Throws `InvalidCredentialError` if the key is invalid, its owner left the organization, or the organization removed the
   * app. Throws `forbidden` if the key lacks the scope.
   */
  async authorize(bearer: Bearer, needed: PersonalKeyScope): Promise<PersonalKeyCaller> {
    if (bearer.kind === 'malformed') throw new InvalidCredentialError('malformed');
    if (bearer.kind !== 'personal_key') throw new InvalidCredentialError('other_kind');
    const key = await this.credentials.findPersonalKeyByHash(hashSecret(bearer.secret));
    if (key === null) throw new InvalidCredentialError('unknown_key');
    const status = keyStatus(key, this.clock.now());
    if (status !== 'live') throw new InvalidCredentialError(status);
    if (!key.installed) throw new InvalidCredentialError('not_installed');
    const member = await this.sessionAuth.findMember(key.user, key.membership);
    if (member === null) throw new InvalidCredentialError('no_member');
    if (!includesScope(key.scope, needed)) throw insufficientScope(needed);
    this.keyUsage.recordUse('personal_key', key);
    return { kind: 'personal_key', ...member, keyId: key.keyId, scope: key.scope };
  }
}
