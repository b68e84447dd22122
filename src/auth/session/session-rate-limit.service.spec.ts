import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import fastifyCookie from '@fastify/cookie';
import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { hashSecret } from '../../crypto/digests.js';
import { toOrgId } from '../../database/ids.js';
import { DomainError } from '../../http/errors/domain-error.js';
import type { RateLimitService } from '../../http/rate-limit/rate-limit.service.js';
import { cookieOptions } from '../../http/request-hooks.js';
import type { SessionRule } from '../access.decorators.js';
import { workspaceNotSelected } from '../auth.errors.js';
import type { MemberCaller } from '../caller.js';
import type { User } from '../user.js';
import { type SessionAuthService } from './session-auth.service.js';
import { SessionRateLimitService } from './session-rate-limit.service.js';
import type { SessionsRepository, SessionRecord } from './sessions.repository.js';

const ORG_ID = '0b8f3c52-6a43-4d1e-9b6e-6f5a0c7a1d11';
const SESSION_ID = 'A'.repeat(43);
const ID_HASH = hashSecret(SESSION_ID);
const DEAD = `session:${ID_HASH.toString('base64url')}`;
const ada: User = { id: 7, login: 'ada', name: 'Ada', avatarUrl: 'https://host.example/7' };
const session: SessionRecord = { user: ada, lastSeenAt: new Date(0), membership: null };
const member = { kind: 'member', user: ada } as MemberCaller;
const tooMany = new DomainError('rate_limited', 'too many');
const header = jest.fn();
const reply = { header } as unknown as FastifyReply;
const FOR_USERS: SessionRule = { kind: 'session', role: 'user' };
const FOR_MEMBERS: SessionRule = { kind: 'session', role: 'member' };

const find = jest.fn<SessionsRepository['find']>();
const authorize = jest.fn<SessionAuthService['authorize']>();
const limits = {
  consume: jest.fn<RateLimitService['consume']>(),
  assertNotExhausted: jest.fn<RateLimitService['assertNotExhausted']>(),
};

const admission = new SessionRateLimitService(
  { find } as unknown as SessionsRepository,
  { authorize } as unknown as SessionAuthService,
  limits as unknown as RateLimitService,
);

let server: FastifyInstance;
beforeAll(async () => {
  server = fastify();
  await server.register(fastifyCookie, cookieOptions('a secret that no deployment has!'));
});
afterAll(() => server.close());
beforeEach(() => {
  jest.resetAllMocks();
  find.mockResolvedValue(session);
});

const requestWith = (cookie: string): FastifyRequest =>
  ({ method: 'GET', headers: { cookie }, server }) as unknown as FastifyRequest;
const signed = (): FastifyRequest => requestWith(`connect.sid=${encodeURIComponent(server.signCookie(SESSION_ID))}`);

describe('SessionRateLimitService', () => {
  it('authorizes a valid session without counting it', async () => {
    authorize.mockResolvedValue(member);
    const request = signed();
    expect(await admission.authorize(request, reply, FOR_MEMBERS)).toBe(member);
    expect(find.mock.calls).toEqual([[ID_HASH]]);
    expect(authorize.mock.calls).toEqual([[request, { idHash: ID_HASH, ...session }, FOR_MEMBERS]]);
    expect(limits.consume).not.toHaveBeenCalled();
  });

  it.each(['', 'connect.sid=forged', `connect.sid=${SESSION_ID}.forged`])(
    'reads and counts nothing for the cookie "%s"',
    async (cookie) => {
      await expect(admission.authorize(requestWith(cookie), reply, FOR_USERS)).rejects.toMatchObject({
        code: 'unauthenticated',
      });
      expect(find).not.toHaveBeenCalled();
      expect(limits.consume).not.toHaveBeenCalled();
    },
  );

  it('requests a session or a key if the route accepts both', async () => {
    const rule: SessionRule = { ...FOR_MEMBERS, personalKey: 'read' };
    const missing = { code: 'unauthenticated', headers: { 'WWW-Authenticate': 'Bearer realm="shipgate"' } };
    await expect(admission.authorize(requestWith(''), reply, rule)).rejects.toMatchObject(missing);
    find.mockResolvedValue(null);
    await expect(admission.authorize(signed(), reply, rule)).rejects.toMatchObject(missing);
    await expect(admission.authorize(signed(), reply, FOR_MEMBERS)).rejects.toMatchObject({ headers: {} });
  });

  it('names the workspace of the session in the response, also in a rejection', async () => {
    const at = new Date(0);
    const membership = {
      orgId: toOrgId(ORG_ID),
      org: 'acme',
      role: 'member',
      confirmedAt: at,
      accessObservedAt: at,
      auditor: false,
    } as const;
    find.mockResolvedValue({ ...session, membership });
    authorize.mockRejectedValue(workspaceNotSelected());
    await expect(admission.authorize(signed(), reply, FOR_MEMBERS)).rejects.toMatchObject({ code: 'forbidden' });
    expect(header.mock.calls).toEqual([['X-Workspace', 'acme']]);
    find.mockResolvedValue(session);
    await expect(admission.authorize(signed(), reply, FOR_MEMBERS)).rejects.toMatchObject({ code: 'forbidden' });
    expect(header).toHaveBeenCalledTimes(1);
  });

  it('counts a rejection for the user, and passes it on below the limit', async () => {
    const rejection = workspaceNotSelected();
    authorize.mockRejectedValue(rejection);
    await expect(admission.authorize(signed(), reply, FOR_MEMBERS)).rejects.toBe(rejection);
    expect(limits.consume.mock.calls).toEqual([['session', 'person:7', reply]]);
  });

  it('returns only a retry time to a user above the limit', async () => {
    authorize.mockRejectedValue(workspaceNotSelected());
    limits.consume.mockRejectedValue(tooMany);
    await expect(admission.authorize(signed(), reply, FOR_MEMBERS)).rejects.toBe(tooMany);
  });

  it('counts an ended session separately, and no longer reads it above the limit', async () => {
    find.mockResolvedValue(null);
    await expect(admission.authorize(signed(), reply, FOR_USERS)).rejects.toMatchObject({ code: 'unauthenticated' });
    expect(limits.consume.mock.calls).toEqual([['session', DEAD, reply]]);
    limits.assertNotExhausted.mockImplementation(() => {
      throw tooMany;
    });
    await expect(admission.authorize(signed(), reply, FOR_USERS)).rejects.toBe(tooMany);
    expect(limits.assertNotExhausted.mock.calls.at(-1)).toEqual(['session', DEAD, reply]);
    expect(find).toHaveBeenCalledTimes(1);
  });
});
