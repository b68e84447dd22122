import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import {
  ADDRESS,
  CI_CALLER,
  CLAIMS,
  AccessGuardHarness,
  INVALID,
  ORG_ID,
  rejection,
  RUN,
  withToken,
} from '../../test/support/access-guard-harness.js';
import { findLoggedCaller } from '../observability/request-logging.js';
import { InvalidCredentialError, organizationWithoutWorkspace } from './auth.errors.js';
import { type CiCaller, type CiCredential, type UnresolvedCredential, findCaller, findCredential } from './caller.js';
import type { ApiKeyRecord } from './credentials.queries.js';

const KEY: CiCredential = { kind: 'api_key', secretHash: Buffer.from('hash') };
const RECORD = { keyId: 'k1' } as ApiKeyRecord;

let stage: AccessGuardHarness;
beforeEach(() => {
  stage = new AccessGuardHarness();
});
afterEach(() => {
  jest.restoreAllMocks();
});

describe('AccessGuard, if the handler resolves the tenant', () => {
  async function inHand(credential: CiCredential) {
    stage.ci.verifyCredential.mockResolvedValue(credential);
    const request = withToken();
    expect(await stage.admit(request, 'gate')).toBe(true);
    expect(stage.ci.resolve).not.toHaveBeenCalled();
    expect(findCaller(request)).toBeNull();
    const found = findCredential(request);
    if (found === null) throw new TypeError('The guard passed on no credential.');
    return found;
  }

  async function keyInHand() {
    const credential = await inHand(KEY);
    if (credential.kind !== 'api_key') throw new TypeError('The guard passed on a token instead of a key.');
    return credential;
  }

  async function runInHand() {
    const credential = await inHand(RUN);
    if (credential.kind !== 'identity_token') throw new TypeError('The guard passed on a key instead of a token.');
    return credential;
  }

  it('verifies the credential before the handler receives it', async () => {
    stage.ci.verifyCredential.mockRejectedValue(new InvalidCredentialError('signature'));
    const request = withToken();
    expect(await rejection(stage.admit(request, 'gate'))).toEqual(INVALID);
    expect(findCredential(request)).toBeNull();
    expect(stage.failures.record.mock.calls).toEqual([[ADDRESS, 'Bearer e30.e30.e30']]);
  });

  it('lets the handler find the key by its hash, and authorizes the result for the scope of the route', async () => {
    const credential = await keyInHand();
    stage.ci.authorizeKey.mockReturnValue(CI_CALLER as Extract<CiCaller, { kind: 'api_key' }>);
    expect(credential.secretHash).toEqual(Buffer.from('hash'));
    expect(await credential.authorize(RECORD)).toBe(CI_CALLER);
    expect(stage.ci.authorizeKey).toHaveBeenCalledWith(RECORD, 'gate:read');
    expect(stage.failures.record).not.toHaveBeenCalled();
  });

  it('looks up the key itself if the address sends many unknown keys', async () => {
    stage.failures.isSuspect.mockReturnValue(true);
    stage.ci.verifyCredential.mockResolvedValue(KEY);
    stage.ci.resolve.mockRejectedValue(new InvalidCredentialError('unknown_key'));
    const request = withToken();
    expect(await rejection(stage.admit(request, 'gate'))).toEqual(INVALID);
    expect(findCredential(request)).toBeNull();
  });

  it('logs the caller that the handler authorized, and no caller before', async () => {
    stage.ci.verifyCredential.mockResolvedValue(KEY);
    stage.ci.authorizeKey.mockReturnValue(CI_CALLER as Extract<CiCaller, { kind: 'api_key' }>);
    const request = withToken();
    await stage.admit(request, 'gate');
    expect(findLoggedCaller(request)).toBeNull();
    await (findCredential(request) as Extract<UnresolvedCredential, { kind: 'api_key' }>).authorize(RECORD);
    expect(findLoggedCaller(request)).toMatchObject({ kind: 'api_key', orgId: ORG_ID });
  });

  it('rejects an unknown key with its own error', async () => {
    const credential = await keyInHand();
    stage.ci.authorizeKey.mockImplementation(() => {
      throw new InvalidCredentialError('unknown_key');
    });
    expect(await rejection(credential.authorize(null))).toEqual(INVALID);
    expect(stage.failures.record.mock.calls).toEqual([[ADDRESS, 'Bearer e30.e30.e30']]);
  });

  it('lets the handler find the workspace by the claims, and authorizes the run', async () => {
    const admitted = { kind: 'identity_token', orgId: ORG_ID, ...CLAIMS } as const;
    const credential = await runInHand();
    stage.ci.authorizeRun.mockReturnValue(admitted);
    expect(credential.claims).toEqual(CLAIMS);
    expect(await credential.authorize(ORG_ID)).toBe(admitted);
    expect(stage.ci.authorizeRun).toHaveBeenCalledWith(CLAIMS, ORG_ID);
  });

  it('rejects a run of an organization without a workspace, and counts no failure', async () => {
    const credential = await runInHand();
    stage.ci.authorizeRun.mockImplementation(() => {
      throw organizationWithoutWorkspace();
    });
    expect(await rejection(credential.authorize(null))).toEqual({ code: 'forbidden', headers: {} });
    expect(stage.failures.record).not.toHaveBeenCalled();
  });
});
