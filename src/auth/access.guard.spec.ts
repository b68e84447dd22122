import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type ExecutionContext, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { toOrgId } from '../database/ids.js';
import { DomainError } from '../http/domain-error.js';
import type { FailedCredentials } from '../http/rate-limit/failed-credentials.js';
import { findLoggedCaller } from '../observability/logged-caller.js';
import { CiAuth, PersonalKey, Public, Requires } from './access-rule.js';
import { AccessGuard } from './access.guard.js';
import type { ApiKeyRecord } from './api-key-record.js';
import {
  type CiCaller,
  type CiCredential,
  type CredentialInHand,
  findCaller,
  findCredential,
  type MemberCaller,
  type PersonalKeyCaller,
} from './caller.js';
import type { CiAuthenticator } from './ci-authenticator.js';
import { CredentialRefused } from './credential-refused.js';
import type { IdentityClaims } from './identity-claims.js';
import { insufficientScope, noWorkspace, sessionMissing } from './refusal.js';
import type { PersonalKeyAuthenticator } from './personal-key-authenticator.js';
import type { SessionAdmission } from './session/session-admission.js';

const ADDRESS = '192.0.2.7';
const orgId = toOrgId('0b8f3c52-6a43-4d1e-9b6e-6f5a0c7a1d11');
const claims = { jti: 'the-one', repositoryGithubId: 4001 } as IdentityClaims;
const run: CiCredential = { kind: 'identity_token', claims };
const key: CiCredential = { kind: 'api_key', secretHash: Buffer.from('hash') };
const record = { keyId: 'k1' } as ApiKeyRecord;
const caller = { kind: 'api_key', orgId, keyId: 'k1' } as CiCaller;
const member = { kind: 'member', orgId } as MemberCaller;

class Routes {
  @Public()
  open(): void {}

  @Requires('member')
  forMembers(): void {}

  @Requires('platform_admin')
  forOperators(): void {}

  @CiAuth('evidence:write')
  upload(): void {}

  @CiAuth('gate:read', { tenantBy: 'handler' })
  gate(): void {}

  @PersonalKey('write')
  tools(): void {}

  undeclared(): void {}
}

/** The authenticator's part: each answer is what a test makes of it. */
const ci = {
  judge: jest.fn<CiAuthenticator['judge']>(),
  resolve: jest.fn<CiAuthenticator['resolve']>(),
  admitKey: jest.fn<CiAuthenticator['admitKey']>(),
  admitRun: jest.fn<CiAuthenticator['admitRun']>(),
};
const failures = {
  blockedFor: jest.fn<FailedCredentials['blockedFor']>(),
  record: jest.fn<FailedCredentials['record']>(),
};
const log = jest.spyOn(Logger.prototype, 'log');
const personalKeys = { admit: jest.fn<PersonalKeyAuthenticator['admit']>() };
const sessions = { admit: jest.fn<SessionAdmission['admit']>() };
const reply = {} as FastifyReply;
const guard = new AccessGuard(
  ci as unknown as CiAuthenticator,
  sessions as unknown as SessionAdmission,
  personalKeys as unknown as PersonalKeyAuthenticator,
  failures as unknown as FailedCredentials,
);

const requestWith = (...rawHeaders: string[]): FastifyRequest =>
  ({ ip: ADDRESS, raw: { rawHeaders } }) as unknown as FastifyRequest;
const withToken = (): FastifyRequest => requestWith('Authorization', 'Bearer e30.e30.e30');

function admit(request: FastifyRequest, route: keyof Routes): Promise<boolean> {
  return guard.canActivate({
    getHandler: () => Routes.prototype[route],
    switchToHttp: () => ({ getRequest: () => request, getResponse: () => reply }),
  } as unknown as ExecutionContext);
}

/** What a caller is told who is not let in. */
async function refusal(outcome: Promise<unknown>): Promise<Pick<DomainError, 'code' | 'headers'>> {
  const error = await outcome.catch((thrown: unknown) => thrown);
  if (!(error instanceof DomainError)) throw new TypeError('The guard did not refuse.', { cause: error });
  return { code: error.code, headers: error.headers };
}

const INVALID = {
  code: 'unauthenticated',
  headers: { 'WWW-Authenticate': 'Bearer realm="shipgate", error="invalid_token"' },
};

beforeEach(() => {
  failures.blockedFor.mockReturnValue(null);
  failures.record.mockResolvedValue();
  ci.judge.mockResolvedValue(run);
  ci.resolve.mockResolvedValue(caller);
  log.mockReturnValue();
});
afterEach(() => {
  jest.resetAllMocks();
});

describe('AccessGuard, by the declared rule', () => {
  it('lets anybody in where the route is public, whatever they present', async () => {
    failures.blockedFor.mockReturnValue(60);
    expect(await admit(requestWith('Authorization', 'nonsense'), 'open')).toBe(true);
    expect(ci.judge).not.toHaveBeenCalled();
    expect(failures.record).not.toHaveBeenCalled();
  });

  it.each([
    ['forMembers', 'member'],
    ['forOperators', 'platform_admin'],
  ] as const)('lets a person in as the session says, and never a CI credential: %s', async (route, role) => {
    const request = withToken();
    sessions.admit.mockRejectedValueOnce(sessionMissing());
    expect(await refusal(admit(request, route))).toEqual({ code: 'unauthenticated', headers: {} });
    expect(findCaller(request)).toBeNull();
    sessions.admit.mockResolvedValueOnce(member);
    expect([await admit(request, route), findCaller(request)]).toEqual([true, member]);
    expect(sessions.admit).toHaveBeenLastCalledWith(request, reply, role);
    expect(ci.judge).not.toHaveBeenCalled();
  });

  it('lets nobody in where a route declares nothing', async () => {
    expect(await refusal(admit(withToken(), 'undeclared'))).toEqual({ code: 'forbidden', headers: {} });
    expect(ci.judge).not.toHaveBeenCalled();
  });
});

describe('AccessGuard, for CI', () => {
  it('asks for a credential where there is none, and holds it against nobody', async () => {
    expect(await refusal(admit(requestWith('Host', 'shipgate.example'), 'upload'))).toEqual({
      code: 'unauthenticated',
      headers: { 'WWW-Authenticate': 'Bearer realm="shipgate"' },
    });
    await expect(admit(requestWith(), 'upload')).rejects.toThrow('This needs an identity token or an API key');
    expect(failures.record).not.toHaveBeenCalled();
    expect(ci.judge).not.toHaveBeenCalled();
  });

  it('judges nothing of an address with too many failures, though the credential be good', async () => {
    failures.blockedFor.mockReturnValue(42);
    const request = withToken();
    expect(await refusal(admit(request, 'upload'))).toEqual({ code: 'rate_limited', headers: { 'Retry-After': '42' } });
    expect(failures.blockedFor).toHaveBeenCalledWith(ADDRESS);
    expect(ci.judge).not.toHaveBeenCalled();
    expect(failures.record).not.toHaveBeenCalled();
    expect(findCaller(request)).toBeNull();
  });

  it('keeps an address out to the last second', async () => {
    failures.blockedFor.mockReturnValue(0);
    expect(await refusal(admit(withToken(), 'upload'))).toMatchObject({ code: 'rate_limited' });
  });

  it('hands on what was presented and the scope, and makes the caller known', async () => {
    const request = withToken();
    expect(await admit(request, 'upload')).toBe(true);
    expect(ci.judge).toHaveBeenCalledWith({ kind: 'identity_token', token: 'e30.e30.e30' });
    expect(ci.resolve).toHaveBeenCalledWith(run, 'evidence:write');
    expect(findCaller(request)).toBe(caller);
    expect(findCredential(request)).toBeNull();
    expect(failures.record).not.toHaveBeenCalled();
  });

  it.each<[string, () => void]>([
    ['does not hold', () => ci.judge.mockRejectedValue(new CredentialRefused('audience'))],
    ['nobody stands behind', () => ci.resolve.mockRejectedValue(new CredentialRefused('audience'))],
  ])('answers a credential that %s without the reason, and counts it against the address', async (_, refuse) => {
    refuse();
    const request = withToken();
    expect(await refusal(admit(request, 'upload'))).toEqual(INVALID);
    expect(failures.record.mock.calls).toEqual([[ADDRESS]]);
    expect(log.mock.calls).toEqual([['A credential was refused: audience.']]);
    expect(findCaller(request)).toBeNull();
  });

  it.each([
    ['a scope that is missing', () => insufficientScope('evidence:write')],
    ['an organization without a workspace', noWorkspace],
    ['an issuer that cannot be asked', () => new DomainError('unavailable', 'The issuer cannot be reached.')],
    ['a defect', () => new TypeError('null')],
  ])('passes %s on as it is, and counts no failure', async (_, fail) => {
    const error = fail();
    ci.resolve.mockRejectedValue(error);
    const request = withToken();
    await expect(admit(request, 'upload')).rejects.toBe(error);
    expect(failures.record).not.toHaveBeenCalled();
    expect(log).not.toHaveBeenCalled();
    expect(findCaller(request)).toBeNull();
  });
});

describe('AccessGuard, for the tools of people', () => {
  const tools = { kind: 'personal_key', orgId, keyId: 'p1' } as PersonalKeyCaller;

  it('hands on what was presented and the scope, and makes the caller known', async () => {
    const request = withToken();
    personalKeys.admit.mockResolvedValue(tools);
    expect([await admit(request, 'tools'), findCaller(request)]).toEqual([true, tools]);
    expect(personalKeys.admit).toHaveBeenCalledWith({ kind: 'identity_token', token: 'e30.e30.e30' }, 'write');
    expect(ci.judge).not.toHaveBeenCalled();
    expect(failures.record).not.toHaveBeenCalled();
  });

  it('asks for a key where there is none, and holds it against nobody', async () => {
    expect(await refusal(admit(requestWith('Cookie', 'connect.sid=x'), 'tools'))).toEqual({
      code: 'unauthenticated',
      headers: { 'WWW-Authenticate': 'Bearer realm="shipgate"' },
    });
    await expect(admit(requestWith(), 'tools')).rejects.toThrow('This needs a personal key');
    expect(failures.record).not.toHaveBeenCalled();
    expect(personalKeys.admit).not.toHaveBeenCalled();
  });

  it('answers a key that does not hold without the reason, and counts it against the address', async () => {
    personalKeys.admit.mockRejectedValue(new CredentialRefused('no_member'));
    const request = withToken();
    expect(await refusal(admit(request, 'tools'))).toEqual(INVALID);
    expect(failures.record.mock.calls).toEqual([[ADDRESS]]);
    expect(log.mock.calls).toEqual([['A credential was refused: no_member.']]);
    expect(findCaller(request)).toBeNull();
  });
});

describe('AccessGuard, where the handler resolves the tenant', () => {
  async function inHand(credential: CiCredential) {
    ci.judge.mockResolvedValue(credential);
    const request = withToken();
    expect(await admit(request, 'gate')).toBe(true);
    expect(ci.resolve).not.toHaveBeenCalled();
    expect(findCaller(request)).toBeNull();
    const found = findCredential(request);
    if (found === null) throw new TypeError('The guard handed on no credential.');
    return found;
  }

  async function keyInHand() {
    const credential = await inHand(key);
    if (credential.kind !== 'api_key') throw new TypeError('The guard made a token of a key.');
    return credential;
  }

  async function runInHand() {
    const credential = await inHand(run);
    if (credential.kind !== 'identity_token') throw new TypeError('The guard made a key of a token.');
    return credential;
  }

  it('judges the credential before the handler sees it', async () => {
    ci.judge.mockRejectedValue(new CredentialRefused('signature'));
    const request = withToken();
    expect(await refusal(admit(request, 'gate'))).toEqual(INVALID);
    expect(findCredential(request)).toBeNull();
    expect(failures.record.mock.calls).toEqual([[ADDRESS]]);
  });

  it('lets the handler find the key by its hash, and admits what was found for the route’s scope', async () => {
    const credential = await keyInHand();
    ci.admitKey.mockReturnValue(caller as Extract<CiCaller, { kind: 'api_key' }>);
    expect(credential.secretHash).toEqual(Buffer.from('hash'));
    expect(await credential.admit(record)).toBe(caller);
    expect(ci.admitKey).toHaveBeenCalledWith(record, 'gate:read');
    expect(failures.record).not.toHaveBeenCalled();
  });

  it('names in the log whom the handler let in, and nobody before', async () => {
    ci.judge.mockResolvedValue(key);
    ci.admitKey.mockReturnValue(caller as Extract<CiCaller, { kind: 'api_key' }>);
    const request = withToken();
    await admit(request, 'gate');
    expect(findLoggedCaller(request)).toBeNull();
    await (findCredential(request) as Extract<CredentialInHand, { kind: 'api_key' }>).admit(record);
    expect(findLoggedCaller(request)).toMatchObject({ kind: 'api_key', orgId });
  });

  it('refuses a key that was not found as it would have itself', async () => {
    const credential = await keyInHand();
    ci.admitKey.mockImplementation(() => {
      throw new CredentialRefused('unknown_key');
    });
    expect(await refusal(credential.admit(null))).toEqual(INVALID);
    expect(failures.record.mock.calls).toEqual([[ADDRESS]]);
  });

  it('lets the handler find the workspace by the claims, and admits the run', async () => {
    const admitted = { kind: 'identity_token', orgId, ...claims } as const;
    const credential = await runInHand();
    ci.admitRun.mockReturnValue(admitted);
    expect(credential.claims).toEqual(claims);
    expect(await credential.admit(orgId)).toBe(admitted);
    expect(ci.admitRun).toHaveBeenCalledWith(claims, orgId);
  });

  it('refuses a run whose organization has no workspace, and counts no failure', async () => {
    const credential = await runInHand();
    ci.admitRun.mockImplementation(() => {
      throw noWorkspace();
    });
    expect(await refusal(credential.admit(null))).toEqual({ code: 'forbidden', headers: {} });
    expect(failures.record).not.toHaveBeenCalled();
  });
});
