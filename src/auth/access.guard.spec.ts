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
  it('lets anybody in where the route is public, whatever they present', async () => {
    stage.failures.retryAfterSeconds.mockReturnValue(60);
    expect(await stage.admit(requestWith('Authorization', 'nonsense'), 'open')).toBe(true);
    expect(stage.ci.verifyCredential).not.toHaveBeenCalled();
    expect(stage.failures.record).not.toHaveBeenCalled();
  });

  it.each([
    ['forMembers', 'member'],
    ['forOperators', 'platform_admin'],
  ] as const)('lets a person in as the session says, and never a CI credential: %s', async (route, role) => {
    const request = withToken();
    stage.sessions.authorize.mockRejectedValueOnce(sessionMissing());
    expect(await rejection(stage.admit(request, route))).toEqual({ code: 'unauthenticated', headers: {} });
    expect(findCaller(request)).toBeNull();
    stage.sessions.authorize.mockResolvedValueOnce(member);
    expect([await stage.admit(request, route), findCaller(request)]).toEqual([true, member]);
    expect(stage.sessions.authorize).toHaveBeenLastCalledWith(request, stage.reply, role);
    expect(stage.ci.verifyCredential).not.toHaveBeenCalled();
  });

  it('lets nobody in where a route declares nothing', async () => {
    expect(await rejection(stage.admit(withToken(), 'undeclared'))).toEqual({ code: 'forbidden', headers: {} });
    expect(stage.ci.verifyCredential).not.toHaveBeenCalled();
  });
});

describe('AccessGuard, over Passport', () => {
  const memberOf = (orgId: string): MemberCaller => ({ kind: 'member', orgId }) as MemberCaller;

  it('gives each of two requests that wait at the same time its own caller', async () => {
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
  it('asks for a credential where there is none, and holds it against nobody', async () => {
    expect(await rejection(stage.admit(requestWith('Host', 'shipgate.example'), 'upload'))).toEqual({
      code: 'unauthenticated',
      headers: { 'WWW-Authenticate': 'Bearer realm="shipgate"' },
    });
    await expect(stage.admit(requestWith(), 'upload')).rejects.toThrow('This needs an identity token or an API key');
    expect(stage.failures.record).not.toHaveBeenCalled();
    expect(stage.ci.verifyCredential).not.toHaveBeenCalled();
  });

  it('judges nothing that has failed too often from its address', async () => {
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

  it('tells a failure that is one too many to wait, once it was judged', async () => {
    stage.ci.verifyCredential.mockRejectedValue(new InvalidCredentialError('audience'));
    stage.failures.record.mockResolvedValue(17);
    expect(await rejection(stage.admit(withToken(), 'upload'))).toEqual({
      code: 'rate_limited',
      headers: { 'Retry-After': '17' },
    });
    expect(stage.log).not.toHaveBeenCalled();
  });

  it('lets in what is good of an address whose failures are many, two at once and the rest in turn', async () => {
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

  it('keeps one out to the last second', async () => {
    stage.failures.retryAfterSeconds.mockReturnValue(0);
    expect(await rejection(stage.admit(withToken(), 'upload'))).toMatchObject({ code: 'rate_limited' });
  });

  it('hands on what was presented and the scope, and makes the caller known', async () => {
    const request = withToken();
    expect(await stage.admit(request, 'upload')).toBe(true);
    expect(stage.ci.verifyCredential).toHaveBeenCalledWith({ kind: 'identity_token', token: 'e30.e30.e30' });
    expect(stage.ci.resolve).toHaveBeenCalledWith(RUN, 'evidence:write');
    expect(findCaller(request)).toBe(CI_CALLER);
    expect(findCredential(request)).toBeNull();
    expect(stage.failures.record).not.toHaveBeenCalled();
  });

  it.each<[string, () => void]>([
    ['does not hold', () => stage.ci.verifyCredential.mockRejectedValue(new InvalidCredentialError('audience'))],
    ['nobody stands behind', () => stage.ci.resolve.mockRejectedValue(new InvalidCredentialError('audience'))],
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
    ['an issuer that cannot be asked', () => new DomainError('unavailable', 'The issuer cannot be reached.')],
    ['a defect', () => new TypeError('null')],
  ])('passes %s on as it is, and counts no failure', async (_, fail) => {
    const error = fail();
    stage.ci.resolve.mockRejectedValue(error);
    const request = withToken();
    await expect(stage.admit(request, 'upload')).rejects.toBe(error);
    expect(stage.failures.record).not.toHaveBeenCalled();
    expect(stage.log).not.toHaveBeenCalled();
    expect(findCaller(request)).toBeNull();
  });
});

describe('AccessGuard, for the tools of people', () => {
  const tools = { kind: 'personal_key', orgId: ORG_ID, keyId: 'p1' } as PersonalKeyCaller;

  it('hands on what was presented and the scope, and makes the caller known', async () => {
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

  it('asks for a key where there is none, and holds it against nobody', async () => {
    expect(await rejection(stage.admit(requestWith('Cookie', 'connect.sid=x'), 'tools'))).toEqual({
      code: 'unauthenticated',
      headers: { 'WWW-Authenticate': 'Bearer realm="shipgate"' },
    });
    await expect(stage.admit(requestWith(), 'tools')).rejects.toThrow('This needs a personal key');
    expect(stage.failures.record).not.toHaveBeenCalled();
    expect(stage.personalKeys.authorize).not.toHaveBeenCalled();
  });

  it('answers a key that does not hold without the reason, and counts it against the address', async () => {
    stage.personalKeys.authorize.mockRejectedValue(new InvalidCredentialError('no_member'));
    const request = withToken();
    expect(await rejection(stage.admit(request, 'tools'))).toEqual(INVALID);
    expect(stage.failures.record.mock.calls).toEqual([[ADDRESS, 'Bearer e30.e30.e30']]);
    expect(stage.log.mock.calls).toEqual([['Invalid credential: no_member']]);
    expect(findCaller(request)).toBeNull();
  });
});
