import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { FixedClock } from '../../test/support/fixed-clock.js';
import { hashSecret } from '../crypto/digests.js';
import { toOrgId } from '../database/ids.js';
import type { Member } from './caller.js';
import type { CredentialsQueries, PersonalKeyRecord } from './credentials.queries.js';
import type { KeyUsageRepository } from './key-usage.repository.js';
import { PersonalKeyAuthService } from './personal-key-auth.service.js';
import type { SessionAuthService } from './session/session-auth.service.js';
import type { Membership, User } from './user.js';

const orgId = toOrgId('0b8f3c52-6a43-4d1e-9b6e-6f5a0c7a1d11');
const secret = 'sgp_secret';
const bearer = { kind: 'personal_key', secret } as const;

const clock = new FixedClock();
const findPersonalKeyByHash = jest.fn<CredentialsQueries['findPersonalKeyByHash']>();
const findMember = jest.fn<SessionAuthService['findMember']>();
const recordUse = jest.fn<KeyUsageRepository['recordUse']>();
const authenticator = new PersonalKeyAuthService(
  { findPersonalKeyByHash } as unknown as CredentialsQueries,
  { findMember } as unknown as SessionAuthService,
  { recordUse } as unknown as KeyUsageRepository,
  clock,
);

const inMs = (milliseconds: number): Date => new Date(clock.now().getTime() + milliseconds);

const user: User = { id: 7, login: 'ada', name: null, avatarUrl: 'https://host.example/7' };
const membership: Membership = {
  orgId,
  org: 'acme',
  role: 'admin',
  confirmedAt: clock.now(),
  accessObservedAt: clock.now(),
};
const member: Member = { user, orgId, org: 'acme', role: 'admin', viewer: { orgId, userId: 7 } };
const record: PersonalKeyRecord = {
  orgId,
  keyId: 'k1',
  scope: 'read',
  expiresAt: inMs(1),
  revokedAt: null,
  lastUsedAt: null,
  user,
  installed: true,
  membership,
};

beforeEach(() => {
  jest.resetAllMocks();
  findPersonalKeyByHash.mockResolvedValue(record);
  findMember.mockResolvedValue(member);
});

describe('PersonalKeyAuthService.authorize', () => {
  it('authorizes the tools of the owner with the current role of the owner, and records the use', async () => {
    expect(await authenticator.authorize(bearer, 'read')).toEqual({
      kind: 'personal_key',
      ...member,
      keyId: 'k1',
      scope: 'read',
    });
    expect(findPersonalKeyByHash.mock.calls).toEqual([[hashSecret(secret)]]);
    expect(findMember.mock.calls).toEqual([[user, membership]]);
    expect(recordUse.mock.calls).toEqual([['personal_key', record]]);
  });

  it('authorizes a write key for a read route, and returns its scope', async () => {
    findPersonalKeyByHash.mockResolvedValue({ ...record, scope: 'write' });
    for (const needed of ['read', 'write'] as const) {
      expect(await authenticator.authorize(bearer, needed)).toMatchObject({ scope: 'write' });
    }
  });

  it.each([
    [{ kind: 'malformed' }, 'malformed'],
    [{ kind: 'api_key', secret: 'sgk_secret' }, 'other_kind'],
    [{ kind: 'identity_token', token: 'a.b.c' }, 'other_kind'],
  ] as const)('looks up no key for $kind', async (given, reason) => {
    await expect(authenticator.authorize(given, 'read')).rejects.toMatchObject({
      name: 'InvalidCredentialError',
      reason,
    });
    expect(findPersonalKeyByHash).not.toHaveBeenCalled();
  });

  it.each<[string, PersonalKeyRecord | null, string]>([
    ['that does not exist', null, 'unknown_key'],
    ['that was revoked', { ...record, revokedAt: inMs(-1) }, 'revoked_key'],
    ['that ends now', { ...record, expiresAt: inMs(0) }, 'expired_key'],
    ['that ended and lacks the scope', { ...record, expiresAt: inMs(-1) }, 'expired_key'],
    ['of an organization that removed the app', { ...record, installed: false }, 'not_installed'],
  ])('rejects a key %s without a check of its owner', async (_, found, reason) => {
    findPersonalKeyByHash.mockResolvedValue(found);
    await expect(authenticator.authorize(bearer, 'write')).rejects.toMatchObject({
      name: 'InvalidCredentialError',
      reason,
    });
    expect(findMember).not.toHaveBeenCalled();
    expect(recordUse).not.toHaveBeenCalled();
  });

  it('rejects the key of a former member before it checks the scope', async () => {
    findPersonalKeyByHash.mockResolvedValue({ ...record, membership: null });
    findMember.mockResolvedValue(null);
    await expect(authenticator.authorize(bearer, 'write')).rejects.toMatchObject({
      name: 'InvalidCredentialError',
      reason: 'no_member',
    });
    expect(findMember.mock.calls).toEqual([[user, null]]);
    expect(recordUse).not.toHaveBeenCalled();
  });

  it('rejects a key while the membership of the owner is unknown', async () => {
    const away = new Error('GitHub does not answer');
    findMember.mockRejectedValue(away);
    await expect(authenticator.authorize(bearer, 'read')).rejects.toBe(away);
    expect(recordUse).not.toHaveBeenCalled();
  });

  it('forbids a read key on a write route for any role of the owner, and records no use', async () => {
    await expect(authenticator.authorize(bearer, 'write')).rejects.toMatchObject({ code: 'forbidden' });
    expect(recordUse).not.toHaveBeenCalled();
  });
});
