import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import {
  ADDRESS,
  CI_CALLER,
  AccessGuardHarness,
  INVALID,
  ORG_ID,
  rejection,
  requestWith,
  RUN,
  withToken,
} from '../../test/support/access-guard-harness.js';
import { keySecret } from '../domain/keys/key-secret.js';
import { DomainError } from '../http/errors/domain-error.js';
import {
  InvalidCredentialError,
  insufficientScope,
  organizationWithoutWorkspace,
  sessionMissing,
} from './auth.errors.js';
import { findCaller, findCredential, type MemberCaller, type PersonalKeyCaller } from './caller.js';

const member = { kind: 'member', orgId: ORG_ID } as MemberCaller;

let stage: AccessGuardHarness;
beforeEach(() => {
  stage = new AccessGuardHarness();
});
afterEach(() => {
  jest.restoreAllMocks();
});

describe('AccessGuard, by the declared rule', () => {
  it('accepts every caller on a public route with any credential', async () => {
    stage.failures.retryAfterSeconds.mockReturnValue(60);
    expect(await stage.admit(requestWith('Authorization', 'nonsense'), 'open')).toBe(true);
    expect(stage.ci.verifyCredential).not.toHaveBeenCalled();
    expect(stage.failures.record).not.toHaveBeenCalled();
  });

  it.each([
    ['forMembers', 'member'],
    ['forOperators', 'platform_admin'],
  ] as const)('accepts a user by the session, and never by a CI credential: %s', async (route, role) => {
    const request = withToken();
    stage.sessions.authorize.mockRejectedValueOnce(sessionMissing());
    expect(await rejection(stage.admit(request, route))).toEqual({ code: 'unauthenticated', headers: {} });
    expect(findCaller(request)).toBeNull();
    stage.sessions.authorize.mockResolvedValueOnce(member);
    expect([await stage.admit(request, route), findCaller(request)]).toEqual([true, member]);
    expect(stage.sessions.authorize).toHaveBeenLastCalledWith(request, stage.reply, { kind: 'session', role });
    expect(stage.ci.verifyCredential).not.toHaveBeenCalled();
  });

  it('rejects every caller on a route without an access rule', async () => {
    expect(await rejection(stage.admit(withToken(), 'undeclared'))).toEqual({ code: 'forbidden', headers: {} });
    expect(stage.ci.verifyCredential).not.toHaveBeenCalled();
  });
});

describe('AccessGuard, on a route for sessions and CI', () => {
  it('accepts a credential of CI with the scope, and does not read the session then', async () => {
    const request = withToken();
    expect([await stage.admit(request, 'forMembersAndCi'), findCaller(request)]).toEqual([true, CI_CALLER]);
    expect(stage.ci.resolve).toHaveBeenCalledWith(RUN, 'gate:read');
    expect(stage.sessions.authorize).not.toHaveBeenCalled();
  });

  it('accepts a session, also if a proxy adds a token to the requests of a browser', async () => {
    stage.sessions.authorize.mockResolvedValue(member);
    const browser = requestWith('Cookie', 'connect.sid=s%3Aa.b', 'Authorization', 'Bearer of.a.proxy');
    for (const request of [requestWith(), browser]) {
      expect([await stage.admit(request, 'forMembersAndCi'), findCaller(request)]).toEqual([true, member]);
    }
    expect(stage.ci.verifyCredential).not.toHaveBeenCalled();
  });

  it('rejects a credential of CI that is not valid, and counts it', async () => {
    stage.ci.verifyCredential.mockRejectedValueOnce(new InvalidCredentialError('malformed'));
    expect(await rejection(stage.admit(withToken(), 'forMembersAndCi'))).toEqual(INVALID);
    expect(stage.failures.record).toHaveBeenCalled();
    expect(stage.sessions.authorize).not.toHaveBeenCalled();
  });
});

describe('AccessGuard, on a route for sessions and personal keys', () => {
  const tools = { kind: 'personal_key', orgId: ORG_ID } as PersonalKeyCaller;
  const rule = { kind: 'session', role: 'member', personalKey: 'write' } as const;
  const secret = keySecret('sgp', new Uint8Array(32).fill(1));
  const withKey = () => requestWith('Authorization', `Bearer ${secret}`);

  it('accepts a session if no key is sent, also if a proxy adds its own credential', async () => {
    stage.sessions.authorize.mockResolvedValue(member);
    for (const request of [requestWith(), requestWith('Authorization', 'Basic cHJveHk6eA=='), withToken()]) {
      expect([await stage.admit(request, 'forMembersAndKeys'), findCaller(request)]).toEqual([true, member]);
      expect(stage.sessions.authorize).toHaveBeenLastCalledWith(request, stage.reply, rule);
    }
    expect(stage.personalKeys.authorize).not.toHaveBeenCalled();
    expect(stage.ci.verifyCredential).not.toHaveBeenCalled();
  });

  it('accepts a personal key with the scope, and does not read the session then', async () => {
    stage.personalKeys.authorize.mockResolvedValueOnce(tools);
    const request = withKey();
    expect([await stage.admit(request, 'forMembersAndKeys'), findCaller(request)]).toEqual([true, tools]);
    expect(stage.personalKeys.authorize).toHaveBeenCalledWith({ kind: 'personal_key', secret }, 'write');
    expect(stage.sessions.authorize).not.toHaveBeenCalled();
  });

  it.each(['Bearer sgp_mistyped', 'bearer  sgp_'])('rejects the key in %j and counts it', async (field) => {
    stage.sessions.authorize.mockResolvedValue(member);
    stage.personalKeys.authorize.mockRejectedValueOnce(new InvalidCredentialError('malformed'));
    const request = requestWith('Authorization', field);
    expect(await rejection(stage.admit(request, 'forMembersAndKeys'))).toEqual(INVALID);
    expect(stage.failures.record).toHaveBeenCalledWith(ADDRESS, field);
    expect([findCaller(request), stage.sessions.authorize.mock.calls]).toEqual([null, []]);
  });

  it('verifies no key from an address with too many failures', async () => {
    stage.failures.retryAfterSeconds.mockReturnValue(42);
    const outcome = stage.admit(withKey(), 'forMembersAndKeys');
    expect(await rejection(outcome)).toEqual({ code: 'rate_limited', headers: { 'Retry-After': '42' } });
    expect(stage.personalKeys.authorize).not.toHaveBeenCalled();
  });
});

describe('AccessGuard, over Passport', () => {
  const memberOf = (orgId: string): MemberCaller => ({ kind: 'member', orgId }) as MemberCaller;

  it('gives each of two concurrent requests its own caller', async () => {
    const [first, second] = [withToken(), withToken()];
    const waiting: ((caller: MemberCaller) => void)[] = [];
    stage.sessions.authorize.mockImplementation(() => new Promise((resolve) => waiting.push(resolve)));
    const admitted = [stage.admit(first, 'forMembers'), stage.admit(second, 'forMembers')];
    await new Promise((resolve) => setImmediate(resolve));
    waiting[1]?.(memberOf('second'));
    waiting[0]?.(memberOf('first'));
    expect(await Promise.all(admitted)).toEqual([true, true]);
    expect([findCaller(first), findCaller(second)]).toEqual([memberOf('first'), memberOf('second')]);
  });

  it('does not authenticate for another application of the process', async () => {
    const other = new AccessGuardHarness();
    other.sessions.authorize.mockResolvedValue(memberOf('other'));
    stage.sessions.authorize.mockResolvedValue(memberOf('own'));
    const request = withToken();
    await stage.admit(request, 'forMembers');
    expect(findCaller(request)).toEqual(memberOf('own'));
    expect(other.sessions.authorize).not.toHaveBeenCalled();
  });
});

describe('AccessGuard, for CI', () => {
  it('requests a credential if none is sent, and counts no failure', async () => {
    expect(await rejection(stage.admit(requestWith('Host', 'shipgate.example'), 'upload'))).toEqual({
      code: 'unauthenticated',
      headers: { 'WWW-Authenticate': 'Bearer realm="shipgate"' },
    });
    await expect(stage.admit(requestWith(), 'upload')).rejects.toThrow('This needs an identity token or an API key');
    expect(stage.failures.record).not.toHaveBeenCalled();
    expect(stage.ci.verifyCredential).not.toHaveBeenCalled();
  });

  it('verifies nothing from an address with too many failures', async () => {
    stage.failures.retryAfterSeconds.mockReturnValue(42);
    const request = withToken();
    expect(await rejection(stage.admit(request, 'upload'))).toEqual({
      code: 'rate_limited',
      headers: { 'Retry-After': '42' },
    });
    expect(stage.failures.retryAfterSeconds).toHaveBeenCalledWith(ADDRESS, 'Bearer e30.e30.e30');
    expect(stage.ci.verifyCredential).not.toHaveBeenCalled();
    expect(stage.failures.record).not.toHaveBeenCalled();
    expect(findCaller(request)).toBeNull();
  });

  it('returns a retry time for the first failure above the limit, after the verification', async () => {
    stage.ci.verifyCredential.mockRejectedValue(new InvalidCredentialError('audience'));
    stage.failures.record.mockResolvedValue(17);
    expect(await rejection(stage.admit(withToken(), 'upload'))).toEqual({
      code: 'rate_limited',
      headers: { 'Retry-After': '17' },
    });
    expect(stage.log).not.toHaveBeenCalled();
  });

  it('accepts valid credentials from an address with many failures, two at once and the others in turn', async () => {
    stage.failures.isSuspect.mockReturnValue(true);
    const begun: (() => void)[] = [];
    stage.ci.verifyCredential.mockImplementation(() => new Promise((resolve) => begun.push(() => resolve(RUN))));
    const admitted = Array.from({ length: 5 }, () => stage.admit(withToken(), 'upload'));
    for (let done = 0; done < 5; done += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      expect(begun.length).toBe(Math.min(5, done + 2));
      begun[done]?.();
    }
    expect(await Promise.all(admitted)).toEqual([true, true, true, true, true]);
  });

  it('rejects an address until the last second of its block', async () => {
    stage.failures.retryAfterSeconds.mockReturnValue(0);
    expect(await rejection(stage.admit(withToken(), 'upload'))).toMatchObject({ code: 'rate_limited' });
  });

  it('passes on the credential and the scope, and sets the caller', async () => {
    const request = withToken();
    expect(await stage.admit(request, 'upload')).toBe(true);
    expect(stage.ci.verifyCredential).toHaveBeenCalledWith({ kind: 'identity_token', token: 'e30.e30.e30' });
    expect(stage.ci.resolve).toHaveBeenCalledWith(RUN, 'evidence:write');
    expect(findCaller(request)).toBe(CI_CALLER);
    expect(findCredential(request)).toBeNull();
    expect(stage.failures.record).not.toHaveBeenCalled();
  });

  it.each<[string, () => void]>([
    ['is invalid', () => stage.ci.verifyCredential.mockRejectedValue(new InvalidCredentialError('audience'))],
    ['belongs to no caller', () => stage.ci.resolve.mockRejectedValue(new InvalidCredentialError('audience'))],
  ])('answers a credential that %s without the reason, and counts it against the address', async (_, refuse) => {
    refuse();
    const request = withToken();
    expect(await rejection(stage.admit(request, 'upload'))).toEqual(INVALID);
    expect(stage.failures.record.mock.calls).toEqual([[ADDRESS, 'Bearer e30.e30.e30']]);
    expect(stage.log.mock.calls).toEqual([['Invalid credential: audience']]);
    expect(findCaller(request)).toBeNull();
  });

  it.each([
    ['a scope that is missing', () => insufficientScope('evidence:write')],
    ['an organization without a workspace', organizationWithoutWorkspace],
    ['an issuer that cannot be reached', () => new DomainError('unavailable', 'The issuer cannot be reached.')],
    ['a defect', () => new TypeError('null')],
  ])('passes on %s unchanged, and counts no failure', async (_, fail) => {
    const error = fail();
    stage.ci.resolve.mockRejectedValue(error);
    const request = withToken();
    await expect(stage.admit(request, 'upload')).rejects.toBe(error);
    expect(stage.failures.record).not.toHaveBeenCalled();
    expect(stage.log).not.toHaveBeenCalled();
    expect(findCaller(request)).toBeNull();
  });
});

describe('AccessGuard, for remote tools', () => {
  const tools = { kind: 'personal_key', orgId: ORG_ID, keyId: 'p1' } as PersonalKeyCaller;

  it('passes on the credential and the scope, and sets the caller', async () => {
    const request = withToken();
    stage.personalKeys.authorize.mockResolvedValue(tools);
    expect([await stage.admit(request, 'tools'), findCaller(request)]).toEqual([true, tools]);
    expect(stage.personalKeys.authorize).toHaveBeenCalledWith(
      { kind: 'identity_token', token: 'e30.e30.e30' },
      'write',
    );
    expect(stage.ci.verifyCredential).not.toHaveBeenCalled();
    expect(stage.failures.record).not.toHaveBeenCalled();
  });

  it('requests a key if none is sent, and counts no failure', async () => {
    expect(await rejection(stage.admit(requestWith('Cookie', 'connect.sid=x'), 'tools'))).toEqual({
      code: 'unauthenticated',
      headers: { 'WWW-Authenticate': 'Bearer realm="shipgate"' },
    });
    await expect(stage.admit(requestWith(), 'tools')).rejects.toThrow('This needs a personal key');
    expect(stage.failures.record).not.toHaveBeenCalled();
    expect(stage.personalKeys.authorize).not.toHaveBeenCalled();
  });

  it('rejects an invalid key without the reason, and counts a failure for the address', async () => {
    stage.personalKeys.authorize.mockRejectedValue(new InvalidCredentialError('no_member'));
    const request = withToken();
    expect(await rejection(stage.admit(request, 'tools'))).toEqual(INVALID);
    expect(stage.failures.record.mock.calls).toEqual([[ADDRESS, 'Bearer e30.e30.e30']]);
    expect(stage.log.mock.calls).toEqual([['Invalid credential: no_member']]);
    expect(findCaller(request)).toBeNull();
  });
});
