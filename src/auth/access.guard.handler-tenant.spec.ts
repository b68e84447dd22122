import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import {
  ADDRESS,
  CI_CALLER,
  CLAIMS,
  GuardStage,
  INVALID,
  ORG_ID,
  refusal,
  RUN,
  withToken,
} from '../../test/support/guard-stage.js';
import { findLoggedCaller } from '../observability/request-logging.js';
import { CredentialRefused, noWorkspace } from './auth.errors.js';
import { type CiCaller, type CiCredential, type CredentialInHand, findCaller, findCredential } from './caller.js';
import type { ApiKeyRecord } from './credentials.queries.js';

const KEY: CiCredential = { kind: 'api_key', secretHash: Buffer.from('hash') };
const RECORD = { keyId: 'k1' } as ApiKeyRecord;

let stage: GuardStage;
beforeEach(() => {
  stage = new GuardStage();
});
afterEach(() => {
  jest.restoreAllMocks();
});

describe('AccessGuard, where the handler resolves the tenant', () => {
  async function inHand(credential: CiCredential) {
    stage.ci.judge.mockResolvedValue(credential);
    const request = withToken();
    expect(await stage.admit(request, 'gate')).toBe(true);
    expect(stage.ci.resolve).not.toHaveBeenCalled();
    expect(findCaller(request)).toBeNull();
    const found = findCredential(request);
    if (found === null) throw new TypeError('The guard handed on no credential.');
    return found;
  }

  async function keyInHand() {
    const credential = await inHand(KEY);
    if (credential.kind !== 'api_key') throw new TypeError('The guard made a token of a key.');
    return credential;
  }

  async function runInHand() {
    const credential = await inHand(RUN);
    if (credential.kind !== 'identity_token') throw new TypeError('The guard made a key of a token.');
    return credential;
  }

  it('judges the credential before the handler sees it', async () => {
    stage.ci.judge.mockRejectedValue(new CredentialRefused('signature'));
    const request = withToken();
    expect(await refusal(stage.admit(request, 'gate'))).toEqual(INVALID);
    expect(findCredential(request)).toBeNull();
    expect(stage.failures.record.mock.calls).toEqual([[ADDRESS, 'Bearer e30.e30.e30']]);
  });

  it('lets the handler find the key by its hash, and admits what was found for the route’s scope', async () => {
    const credential = await keyInHand();
    stage.ci.admitKey.mockReturnValue(CI_CALLER as Extract<CiCaller, { kind: 'api_key' }>);
    expect(credential.secretHash).toEqual(Buffer.from('hash'));
    expect(await credential.admit(RECORD)).toBe(CI_CALLER);
    expect(stage.ci.admitKey).toHaveBeenCalledWith(RECORD, 'gate:read');
    expect(stage.failures.record).not.toHaveBeenCalled();
  });

  it('looks up the key itself where the address presents many that are none', async () => {
    stage.failures.isSuspect.mockReturnValue(true);
    stage.ci.judge.mockResolvedValue(KEY);
    stage.ci.resolve.mockRejectedValue(new CredentialRefused('unknown_key'));
    const request = withToken();
    expect(await refusal(stage.admit(request, 'gate'))).toEqual(INVALID);
    expect(findCredential(request)).toBeNull();
  });

  it('names in the log whom the handler let in, and nobody before', async () => {
    stage.ci.judge.mockResolvedValue(KEY);
    stage.ci.admitKey.mockReturnValue(CI_CALLER as Extract<CiCaller, { kind: 'api_key' }>);
    const request = withToken();
    await stage.admit(request, 'gate');
    expect(findLoggedCaller(request)).toBeNull();
    await (findCredential(request) as Extract<CredentialInHand, { kind: 'api_key' }>).admit(RECORD);
    expect(findLoggedCaller(request)).toMatchObject({ kind: 'api_key', orgId: ORG_ID });
  });

  it('refuses a key that was not found as it would have itself', async () => {
    const credential = await keyInHand();
    stage.ci.admitKey.mockImplementation(() => {
      throw new CredentialRefused('unknown_key');
    });
    expect(await refusal(credential.admit(null))).toEqual(INVALID);
    expect(stage.failures.record.mock.calls).toEqual([[ADDRESS, 'Bearer e30.e30.e30']]);
  });

  it('lets the handler find the workspace by the claims, and admits the run', async () => {
    const admitted = { kind: 'identity_token', orgId: ORG_ID, ...CLAIMS } as const;
    const credential = await runInHand();
    stage.ci.admitRun.mockReturnValue(admitted);
    expect(credential.claims).toEqual(CLAIMS);
    expect(await credential.admit(ORG_ID)).toBe(admitted);
    expect(stage.ci.admitRun).toHaveBeenCalledWith(CLAIMS, ORG_ID);
  });

  it('refuses a run whose organization has no workspace, and counts no failure', async () => {
    const credential = await runInHand();
    stage.ci.admitRun.mockImplementation(() => {
      throw noWorkspace();
    });
    expect(await refusal(credential.admit(null))).toEqual({ code: 'forbidden', headers: {} });
    expect(stage.failures.record).not.toHaveBeenCalled();
  });
});
