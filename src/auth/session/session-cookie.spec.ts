import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fastifyCookie from '@fastify/cookie';
import { fastify, type FastifyInstance } from 'fastify';
import { hashSecret } from '../../crypto/digests.js';
import { cookieOptions } from '../../http/request-hooks.js';
import { clearSessionCookie, readSessionCookie, setSessionCookie } from './session-cookie.js';

const SECRET = 'a secret that no deployment has!';

async function serving(secret: string, alsoValid: string | null = null): Promise<FastifyInstance> {
  const server = fastify();
  await server.register(fastifyCookie, cookieOptions(secret, alsoValid));
  server.get('/set/:secure', (request, reply) => {
    const { secure } = request.params as { secure: string };
    return reply.send({ hash: setSessionCookie(reply, secure === 'yes').toString('hex') });
  });
  server.get('/clear/:secure', (request, reply) => {
    clearSessionCookie(reply, (request.params as { secure: string }).secure === 'yes');
    return reply.send({});
  });
  server.get('/read', (request, reply) => reply.send({ hash: readSessionCookie(request)?.toString('hex') ?? null }));
  return server;
}

describe("the session's cookie", () => {
  let server: FastifyInstance;

  beforeAll(async () => {
    server = await serving(SECRET);
  });
  afterAll(() => server.close());

  const given = async (
    of = server,
  ): Promise<{ readonly cookie: string; readonly id: string; readonly hash: string }> => {
    const answer = await of.inject('/set/no');
    const [cookie = ''] = String(answer.headers['set-cookie']).split(';');
    const [, id = ''] = /^connect\.sid=([\w-]{43})\./.exec(decodeURIComponent(cookie)) ?? [];
    return { cookie, id, hash: answer.json<{ hash: string }>().hash };
  };
  const readBy = async (cookie: string): Promise<string | null> =>
    (await server.inject({ url: '/read', headers: { cookie } })).json<{ hash: string | null }>().hash;

  it('is read with each of two secrets, and signed with the first one', async () => {
    const next = 'the next secret that no deployment has';
    const [both, swapped, last] = await Promise.all([serving(SECRET, next), serving(next, SECRET), serving(next)]);
    const reads = async (cookie: string, of: FastifyInstance): Promise<boolean> =>
      (await of.inject({ url: '/read', headers: { cookie } })).json<{ hash: string | null }>().hash !== null;
    const [old, renewed] = [(await given(both)).cookie, (await given(swapped)).cookie];
    expect([
      await reads(old, server),
      await reads(old, both),
      await reads(old, swapped),
      await reads(old, last),
    ]).toEqual([true, true, true, false]);
    expect([await reads(renewed, both), await reads(renewed, swapped), await reads(renewed, last)]).toEqual([
      true,
      true,
      true,
    ]);
    await Promise.all([both, swapped, last].map((one) => one.close()));
  });

  it('is limited to https if the service uses it', async () => {
    for (const path of ['/set', '/clear']) {
      const cookieOf = async (secure: string): Promise<string> =>
        String((await server.inject(`${path}/${secure}`)).headers['set-cookie']);
      expect(await cookieOf('yes')).toMatch(/; Path=\/; (Expires=[^;]+; )?HttpOnly; Secure; SameSite=Lax$/);
      expect(await cookieOf('no')).toMatch(/; Path=\/; (Expires=[^;]+; )?HttpOnly; SameSite=Lax$/);
    }
  });

  it('names a session of which the service stores the digest', async () => {
    const { cookie, id, hash } = await given();
    expect(hash).toBe(hashSecret(id).toString('hex'));
    expect(await readBy(cookie)).toBe(hash);
    expect(await readBy(`other=1; ${cookie}; more=2`)).toBe(hash);
    expect((await given()).id).not.toBe(id);
  });

  it('is found among cookies of the same name from other services', async () => {
    const { cookie, hash } = await given();
    for (const header of [
      `connect.sid=s%3Aof-another-service.abc; ${cookie}`,
      `${cookie};connect.sid=`,
      `connect.sid=%E0%A4%A; ${cookie}; ${cookie}`,
    ]) {
      expect(await readBy(header)).toBe(hash);
    }
  });

  it('is missing if the request has no cookies', async () => {
    expect((await server.inject('/read')).json()).toEqual({ hash: null });
  });

  it('is ignored if there are two, because another site may have set one', async () => {
    const [mine, planted] = [await given(), await given()];
    expect(await readBy(`${planted.cookie}; ${mine.cookie}`)).toBeNull();
  });

  it('is ignored if it is not signed for this purpose', async () => {
    const { cookie, id } = await given();
    const elsewhere = await serving('another secret of another service');
    const { cookie: foreign } = await given(elsewhere);
    await elsewhere.close();
    const [, signature = ''] = decodeURIComponent(cookie).split(`${id}.`);
    const signed = (value: string): string => `connect.sid=${encodeURIComponent(server.signCookie(value))}`;
    for (const forged of [
      '',
      'connect.sid=',
      `connect.sid=${id}`,
      `connect.sid=${id}.`,
      `connect.sid=${'A'.repeat(43)}.${encodeURIComponent(signature)}`,
      foreign,
      cookie.replace('connect.sid', 'shipgate.login'),
      signed('short'),
      signed(`${id}=`),
      signed(`${id}.more`),
      signed(`${id}.${id}`),
    ]) {
      expect(await readBy(forged)).toBeNull();
    }
  });
});
