import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { SetClock } from '../../test/support/set-clock.js';
import { secretHash } from '../crypto/digests.js';
import { toOrgId } from '../database/ids.js';
import type { Member } from './caller.js';
import type { PersonalKeyReader, PersonalKeyRecord } from './credentials.queries.js';
import type { KeyUseRecorder } from './key-usage.repository.js';
import { PersonalKeyAuthenticator } from './personal-key-auth.service.js';
import type { PersonAuthenticator } from './session/session-auth.service.js';
import type { Membership, Person } from './user.js';

const orgId = toOrgId('0b8f3c52-6a43-4d1e-9b6e-6f5a0c7a1d11');
const secret = 'sgp_secret';
const bearer = { kind: 'personal_key', secret } as const;

const clock = new SetClock();
const findByHash = jest.fn<PersonalKeyReader['findByHash']>();
const findMember = jest.fn<PersonAuthenticator['findMember']>();
const note = jest.fn<KeyUseRecorder['note']>();
const authenticator = new PersonalKeyAuthenticator(
  { findByHash } as unknown as PersonalKeyReader,
  { findMember } as unknown as PersonAuthenticator,
  { note } as unknown as KeyUseRecorder,
  clock,
);

const inMs = (milliseconds: number): Date => new Date(clock.now().getTime() + milliseconds);

const person: Person = { id: 7, login: 'ada', name: null, avatarUrl: 'https://host.example/7' };
const membership: Membership = {
  orgId,
  org: 'acme',
  role: 'admin',
  confirmedAt: clock.now(),
  accessObservedAt: clock.now(),
};
const member: Member = { person, orgId, org: 'acme', role: 'admin', viewer: { orgId, person: 7 } };
const record: PersonalKeyRecord = {
  orgId,
  keyId: 'k1',
  scope: 'read',
  expiresAt: inMs(1),
  revokedAt: null,
  lastUsedAt: null,
  person,
  installed: true,
  membership,
};

beforeEach(() => {
  jest.resetAllMocks();
  findByHash.mockResolvedValue(record);
  findMember.mockResolvedValue(member);
});

describe('PersonalKeyAuthenticator.admit', () => {
  it('lets the owner’s tools in as the member that the owner is now, and notes the use', async () => {
    expect(await authenticator.admit(bearer, 'read')).toEqual({
      kind: 'personal_key',
      ...member,
      keyId: 'k1',
      scope: 'read',
    });
    expect(findByHash.mock.calls).toEqual([[secretHash(secret)]]);
    expect(findMember.mock.calls).toEqual([[person, membership]]);
    expect(note.mock.calls).toEqual([['personal_key', record]]);
  });

  it('lets a key that may write in where it takes reading, and says what it may', async () => {
    findByHash.mockResolvedValue({ ...record, scope: 'write' });
    for (const needed of ['read', 'write'] as const) {
      expect(await authenticator.admit(bearer, needed)).toMatchObject({ scope: 'write' });
    }
  });

  it.each([
    [{ kind: 'malformed' }, 'malformed'],
    [{ kind: 'api_key', secret: 'sgk_secret' }, 'other_kind'],
    [{ kind: 'identity_token', token: 'a.b.c' }, 'other_kind'],
  ] as const)('looks for no key where it is given $kind', async (given, reason) => {
    await expect(authenticator.admit(given, 'read')).rejects.toMatchObject({ name: 'CredentialRefused', reason });
    expect(findByHash).not.toHaveBeenCalled();
  });

  it.each<[string, PersonalKeyRecord | null, string]>([
    ['that nobody has', null, 'unknown_key'],
    ['that was revoked', { ...record, revokedAt: inMs(-1) }, 'revoked_key'],
    ['that ends now', { ...record, expiresAt: inMs(0) }, 'expired_key'],
    ['that ended and lacks the scope', { ...record, expiresAt: inMs(-1) }, 'expired_key'],
    ['of an organization that removed the app', { ...record, installed: false }, 'not_installed'],
  ])('refuses a key %s, and does not ask after its owner', async (_, found, reason) => {
    findByHash.mockResolvedValue(found);
    await expect(authenticator.admit(bearer, 'write')).rejects.toMatchObject({ name: 'CredentialRefused', reason });
    expect(findMember).not.toHaveBeenCalled();
    expect(note).not.toHaveBeenCalled();
  });

  it('refuses the key of whoever is no member any more, before it tells what the key may', async () => {
    findByHash.mockResolvedValue({ ...record, membership: null });
    findMember.mockResolvedValue(null);
    await expect(authenticator.admit(bearer, 'write')).rejects.toMatchObject({
      name: 'CredentialRefused',
      reason: 'no_member',
    });
    expect(findMember.mock.calls).toEqual([[person, null]]);
    expect(note).not.toHaveBeenCalled();
  });

  it('lets nobody in while it cannot be known whether the owner is a member', async () => {
    const away = new Error('the host is away');
    findMember.mockRejectedValue(away);
    await expect(authenticator.admit(bearer, 'read')).rejects.toBe(away);
    expect(note).not.toHaveBeenCalled();
  });

  it('forbids a key that may read what takes writing, whatever its owner may, and notes no use', async () => {
    await expect(authenticator.admit(bearer, 'write')).rejects.toMatchObject({ code: 'forbidden' });
    expect(note).not.toHaveBeenCalled();
  });
});
