import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { FixedClock } from '../../test/support/fixed-clock.js';
import { hashSecret } from '../crypto/digests.js';
import { toOrgId } from '../database/ids.js';
import type { WorkspacesQueries } from '../workspaces/workspaces.queries.js';
import { CiAuthService } from './ci-auth.service.js';
import type { CredentialsQueries, ApiKeyRecord } from './credentials.queries.js';
import type { KeyUsageRepository } from './key-usage.repository.js';
import type { IdentityTokenService } from './oidc/identity-token.service.js';
import type { IdentityClaims } from './oidc/token-claims.js';

const orgId = toOrgId('0b8f3c52-6a43-4d1e-9b6e-6f5a0c7a1d11');
const claims = { jti: 'the-one', ownerGithubId: 3001, repositoryGithubId: 4001 } as IdentityClaims;
const secret = 'sgk_secret';
const record: ApiKeyRecord = {
  orgId,
  keyId: 'k1',
  scopes: ['gate:read'],
  repositoryIds: ['r1'],
  expiresAt: null,
  revokedAt: null,
  lastUsedAt: null,
};
const keyCaller = { kind: 'api_key', orgId, keyId: 'k1', scopes: ['gate:read'], repositoryIds: ['r1'] };
const runCaller = { kind: 'identity_token', orgId, ...claims };

const clock = new FixedClock();
const verify = jest.fn<IdentityTokenService['verify']>();
const findApiKeyByHash = jest.fn<CredentialsQueries['findApiKeyByHash']>();
const recordUse = jest.fn<KeyUsageRepository['recordUse']>();
const findByOwner = jest.fn<WorkspacesQueries['findByOwner']>();
const authenticator = new CiAuthService(
  { verify } as unknown as IdentityTokenService,
  { findApiKeyByHash } as unknown as CredentialsQueries,
  { recordUse } as unknown as KeyUsageRepository,
  { findByOwner } as unknown as WorkspacesQueries,
  clock,
);

const inMs = (milliseconds: number): Date => new Date(clock.now().getTime() + milliseconds);

beforeEach(() => {
  jest.resetAllMocks();
});

describe('CiAuthService.verifyCredential', () => {
  it('rejects text without the shape of a credential', async () => {
    await expect(authenticator.verifyCredential({ kind: 'malformed' })).rejects.toMatchObject({
      name: 'InvalidCredentialError',
      reason: 'malformed',
    });
    expect(verify).not.toHaveBeenCalled();
  });

  it('rejects a personal key', async () => {
    await expect(authenticator.verifyCredential({ kind: 'personal_key', secret: 'sgp_secret' })).rejects.toMatchObject({
      name: 'InvalidCredentialError',
      reason: 'other_kind',
    });
    expect(findApiKeyByHash).not.toHaveBeenCalled();
  });

  it('hashes a key and passes the key to no other part', async () => {
    expect(await authenticator.verifyCredential({ kind: 'api_key', secret })).toEqual({
      kind: 'api_key',
      secretHash: hashSecret(secret),
    });
    expect(verify).not.toHaveBeenCalled();
  });

  it('uses the claims that the verifier read from a token', async () => {
    verify.mockResolvedValue(claims);
    expect(await authenticator.verifyCredential({ kind: 'identity_token', token: 'a.b.c' })).toEqual({
      kind: 'identity_token',
      claims,
    });
    expect(verify).toHaveBeenCalledWith('a.b.c');
  });

  it('passes on the errors of the verifier', async () => {
    const rejection = new Error('no');
    verify.mockRejectedValue(rejection);
    await expect(authenticator.verifyCredential({ kind: 'identity_token', token: 'a.b.c' })).rejects.toBe(rejection);
  });
});

describe('CiAuthService.resolve', () => {
  it('finds the workspace of a key by the hash', async () => {
    findApiKeyByHash.mockResolvedValue(record);
    const credential = { kind: 'api_key', secretHash: hashSecret(secret) } as const;
    expect(await authenticator.resolve(credential, 'gate:read')).toEqual(keyCaller);
    expect(findApiKeyByHash).toHaveBeenCalledWith(hashSecret(secret));
    expect(findByOwner).not.toHaveBeenCalled();
  });

  it('checks the scope of a key', async () => {
    findApiKeyByHash.mockResolvedValue(record);
    const credential = { kind: 'api_key', secretHash: hashSecret(secret) } as const;
    await expect(authenticator.resolve(credential, 'evidence:write')).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('finds the workspace of a run by the id of the owner, with any name of the owner', async () => {
    findByOwner.mockResolvedValue(orgId);
    expect(await authenticator.resolve({ kind: 'identity_token', claims }, 'evidence:write')).toEqual(runCaller);
    expect(findByOwner).toHaveBeenCalledWith(3001);
    expect(findApiKeyByHash).not.toHaveBeenCalled();
  });
});

describe('CiAuthService.authorizeKey', () => {
  it('authorizes an active key, and records its use', () => {
    expect(authenticator.authorizeKey(record, 'gate:read')).toEqual(keyCaller);
    expect(recordUse.mock.calls).toEqual([['api_key', record]]);
  });

  it('authorizes a key until the last millisecond', () => {
    expect(authenticator.authorizeKey({ ...record, expiresAt: inMs(1) }, 'gate:read')).toEqual(keyCaller);
  });

  it.each([
    ['that does not exist', null, 'unknown_key'],
    ['that was revoked', { ...record, revokedAt: inMs(-1) }, 'revoked_key'],
    ['that is about to be revoked', { ...record, revokedAt: inMs(1) }, 'revoked_key'],
    ['that ends now', { ...record, expiresAt: inMs(0) }, 'expired_key'],
    ['that ended', { ...record, expiresAt: inMs(-1) }, 'expired_key'],
    ['that was revoked and ended', { ...record, revokedAt: inMs(-1), expiresAt: inMs(-1) }, 'revoked_key'],
    ['that ended and lacks the scope', { ...record, expiresAt: inMs(-1), scopes: [] }, 'expired_key'],
  ])('rejects a key %s', (_, found, reason) => {
    expect(() => authenticator.authorizeKey(found, 'gate:read')).toThrow(
      expect.objectContaining({ name: 'InvalidCredentialError', reason }),
    );
    expect(recordUse).not.toHaveBeenCalled();
  });

  it('forbids an active key without the scope, and records no use', () => {
    expect(() => authenticator.authorizeKey(record, 'evidence:write')).toThrow(
      expect.objectContaining({ code: 'forbidden' }),
    );
    expect(recordUse).not.toHaveBeenCalled();
  });
});

describe('CiAuthService.authorizeRun', () => {
  it('authorizes the run of an organization with a workspace', () => {
    expect(authenticator.authorizeRun(claims, orgId)).toEqual(runCaller);
  });

  it('forbids the run of an organization without a workspace', () => {
    expect(() => authenticator.authorizeRun(claims, null)).toThrow(expect.objectContaining({ code: 'forbidden' }));
  });
});
