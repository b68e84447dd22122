import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fastifyCookie from '@fastify/cookie';
import { fastify, type FastifyInstance } from 'fastify';
import { clearLoginCookie, readLoginCookie, setLoginCookie } from './login-cookie.js';
import { LoginSecret } from './login-secret.js';

const SECRET = LoginSecret.create();

describe("the sign-in's cookie", () => {
  let server: FastifyInstance;

  beforeAll(async () => {
    server = fastify();
    await server.register(fastifyCookie, { hook: false });
    server.get('/set', (_, reply) => {
      setLoginCookie(reply, SECRET, true);
      return reply.send({});
    });
    server.get('/clear', (_, reply) => {
      clearLoginCookie(reply, true);
      return reply.send({});
    });
    server.get('/read', (request, reply) => reply.send({ text: readLoginCookie(request)?.text ?? null }));
  });
  afterAll(() => server.close());

  const setBy = async (url: string): Promise<string> => String((await server.inject(url)).headers['set-cookie']);

  it('lives ten minutes, for the sign-in alone, and on https where the service is', async () => {
    const attributes = 'Path=/api/auth; HttpOnly; Secure; SameSite=Lax';
    expect(await setBy('/set')).toBe(`shipgate.login=${SECRET.text}; Max-Age=600; ${attributes}`);
    expect(await setBy('/clear')).toMatch(/^shipgate\.login=; .*Path=\/api\/auth; .*HttpOnly; Secure; SameSite=Lax$/);
  });

  it.each([
    [`shipgate.login=${SECRET.text}`, SECRET.text],
    [undefined, null],
    ['', null],
    ['other=1', null],
    ['shipgate.login=', null],
    ['shipgate.login=short', null],
    [`shipgate.login=${SECRET.text}A`, null],
    [`shipgate.login=${'*'.repeat(43)}`, null],
  ])('is read from %j', async (cookie, text) => {
    const headers = cookie === undefined ? {} : { cookie };
    expect((await server.inject({ url: '/read', headers })).json()).toEqual({ text });
  });
});

describe('LoginSecret', () => {
  it('says nothing of itself by its state, its challenge or its digest', () => {
    const { text, state, verifier, challenge, hash } = LoginSecret.create();
    const said = [text, state, verifier, challenge, hash.toString('base64url')];
    expect(new Set(said).size).toBe(5);
    for (const part of said) expect(part).toMatch(/^[\w-]{43}$/);
  });

  it('has the same state whenever it is read, and another than any other', () => {
    const secret = LoginSecret.create();
    expect(LoginSecret.read(secret.text)?.hasState(secret.state)).toBe(true);
    for (const state of ['', 'A'.repeat(43), LoginSecret.create().state, secret.verifier, `${secret.state}A`]) {
      expect(secret.hasState(state)).toBe(false);
    }
  });
});
