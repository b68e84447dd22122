import { Injectable } from '@nestjs/common';
import { Clock } from '../config/clock.js';
import { secretHash } from '../crypto/digests.js';
import { covers, type PersonalKeyScope } from '../domain/keys/key-scope.js';
import { CredentialRefused, insufficientScope } from './auth.errors.js';
import type { Bearer } from './bearer.js';
import type { PersonalKeyCaller } from './caller.js';
import { PersonalKeyReader, standingOf } from './credentials.queries.js';
import { KeyUseRecorder } from './key-usage.repository.js';
import { PersonAuthenticator } from './session/session-auth.service.js';

/** Says whose tools present a personal key, and in which workspace they act. */
@Injectable()
export class PersonalKeyAuthenticator {
  constructor(
    private readonly keys: PersonalKeyReader,
    private readonly people: PersonAuthenticator,
    private readonly use: KeyUseRecorder,
    private readonly clock: Clock,
  ) {}

  /**
   * Throws `CredentialRefused` where the key does not hold, which is also where its owner left the organization or the
   * organization removed the app; `forbidden` where it does not reach so far.
   */
  async admit(bearer: Exclude<Bearer, { kind: 'none' }>, needed: PersonalKeyScope): Promise<PersonalKeyCaller> {
    if (bearer.kind === 'malformed') throw new CredentialRefused('malformed');
    if (bearer.kind !== 'personal_key') throw new CredentialRefused('other_kind');
    const key = await this.keys.findByHash(secretHash(bearer.secret));
    if (key === null) throw new CredentialRefused('unknown_key');
    const standing = standingOf(key, this.clock.now());
    if (standing !== 'live') throw new CredentialRefused(standing);
    if (!key.installed) throw new CredentialRefused('not_installed');
    const member = await this.people.findMember(key.person, key.membership);
    if (member === null) throw new CredentialRefused('no_member');
    if (!covers(key.scope, needed)) throw insufficientScope(needed);
    this.use.note('personal_key', key);
    return { kind: 'personal_key', ...member, keyId: key.keyId, scope: key.scope };
  }
}
