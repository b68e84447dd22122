import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import fastifyCookie from '@fastify/cookie';
import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { secretHash } from '../../crypto/digests.js';
import { DomainError } from '../../http/errors/domain-error.js';
import type { RequestLimits } from '../../http/rate-limit/rate-limit.service.js';
import { cookieOptions } from '../../http/request-hooks.js';
import { noMembership } from '../auth.errors.js';
import type { MemberCaller } from '../caller.js';
import type { Person } from '../user.js';
import { type PersonAuthenticator, SessionAdmission } from './session-auth.service.js';
import type { SessionReader, SessionRecord } from './sessions.repository.js';

const SESSION_ID = 'A'.repeat(43);
const ID_HASH = secretHash(SESSION_ID);
const DEAD = `session:${ID_HASH.toString('base64url')}`;
const ada: Person = { id: 7, login: 'ada', name: 'Ada', avatarUrl: 'https://host.example/7' };
const session: SessionRecord = { person: ada, lastSeenAt: new Date(0), membership: null };
const member = { kind: 'member', person: ada } as MemberCaller;
const tooMany = new DomainError('rate_limited', 'too many');
const reply = {} as FastifyReply;

const find = jest.fn<SessionReader['find']>();
const admit = jest.fn<PersonAuthenticator['admit']>();
const limits = {
  spend: jest.fn<RequestLimits['spend']>(),
  refuseExhausted: jest.fn<RequestLimits['refuseExhausted']>(),
};
const admission = new SessionAdmission(
  { find } as unknown as SessionReader,
  { admit } as unknown as PersonAuthenticator,
  limits as unknown as RequestLimits,
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

describe('SessionAdmission', () => {
  it('lets in whom the authenticator does, and leaves the counting to the route', async () => {
    admit.mockResolvedValue(member);
    const request = signed();
    expect(await admission.admit(request, reply, 'member')).toBe(member);
    expect(find.mock.calls).toEqual([[ID_HASH]]);
    expect(admit.mock.calls).toEqual([[request, { idHash: ID_HASH, ...session }, 'member']]);
    expect(limits.spend).not.toHaveBeenCalled();
  });

  it.each(['', 'connect.sid=forged', `connect.sid=${SESSION_ID}.forged`])(
    'looks nothing up and counts nothing for the cookie "%s"',
    async (cookie) => {
      await expect(admission.admit(requestWith(cookie), reply, 'person')).rejects.toMatchObject({
        code: 'unauthenticated',
      });
      expect(find).not.toHaveBeenCalled();
      expect(limits.spend).not.toHaveBeenCalled();
    },
  );

  it('counts a refusal for the person, and refuses nothing else where they have some left', async () => {
    const refusal = noMembership();
    admit.mockRejectedValue(refusal);
    await expect(admission.admit(signed(), reply, 'member')).rejects.toBe(refusal);
    expect(limits.spend.mock.calls).toEqual([['session', 'person:7', reply]]);
  });

  it('tells a person who was refused too often that alone', async () => {
    admit.mockRejectedValue(noMembership());
    limits.spend.mockRejectedValue(tooMany);
    await expect(admission.admit(signed(), reply, 'member')).rejects.toBe(tooMany);
  });

  it('counts a session that has ended by itself, and in the end looks it up no more', async () => {
    find.mockResolvedValue(null);
    await expect(admission.admit(signed(), reply, 'person')).rejects.toMatchObject({ code: 'unauthenticated' });
    expect(limits.spend.mock.calls).toEqual([['session', DEAD, reply]]);
    limits.refuseExhausted.mockImplementation(() => {
      throw tooMany;
    });
    await expect(admission.admit(signed(), reply, 'person')).rejects.toBe(tooMany);
    expect(limits.refuseExhausted.mock.calls.at(-1)).toEqual(['session', DEAD, reply]);
    expect(find).toHaveBeenCalledTimes(1);
  });
});
