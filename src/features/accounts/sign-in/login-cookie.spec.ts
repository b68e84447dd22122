import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fastifyCookie from '@fastify/cookie';
import { fastify, type FastifyInstance, type FastifyRequest } from 'fastify';
import { clearLoginCookie, LoginSecret, readLoginCookie, setLoginCookie } from './login-cookie.js';

const SECRET = LoginSecret.create();

describe('the login cookie', () => {
  let server: FastifyInstance;

  beforeAll(async () => {
    server = fastify();
    await server.register(fastifyCookie, { hook: false });
    const isSecure = ({ params }: FastifyRequest): boolean => (params as { scheme: string }).scheme === 'https';
    server.get('/set/:scheme', (request, reply) => {
      setLoginCookie(reply, SECRET, isSecure(request));
      return reply.send({});
    });
    server.get('/clear/:scheme', (request, reply) => {
      clearLoginCookie(reply, isSecure(request));
      return reply.send({});
    });
    server.get('/read/:scheme', (request, reply) =>
      reply.send({ text: readLoginCookie(request, isSecure(request))?.text ?? null }),
    );
  });
  afterAll(() => server.close());

  const setBy = async (url: string): Promise<string> => String((await server.inject(url)).headers['set-cookie']);

  it('expires after ten minutes, and with https has a name that no other host of the domain can set', async () => {
    const attributes = 'HttpOnly; Secure; SameSite=Lax';
    expect(await setBy('/set/https')).toBe(`__Host-shipgate.login=${SECRET.text}; Max-Age=600; Path=/; ${attributes}`);
    expect(await setBy('/clear/https')).toMatch(
      /^__Host-shipgate\.login=; .*Path=\/; .*HttpOnly; Secure; SameSite=Lax$/,
    );
  });

  it('is sent only to the sign-in without https', async () => {
    const attributes = 'Path=/api/auth; HttpOnly; SameSite=Lax';
    expect(await setBy('/set/http')).toBe(`shipgate.login=${SECRET.text}; Max-Age=600; ${attributes}`);
    expect(await setBy('/clear/http')).toMatch(/^shipgate\.login=; .*Path=\/api\/auth; .*HttpOnly; SameSite=Lax$/);
  });

  it('is not read with https under a name that another host of the domain can set', async () => {
    const readBy = async (cookie: string): Promise<unknown> =>
      (await server.inject({ url: '/read/https', headers: { cookie } })).json();
    expect(await readBy(`shipgate.login=${SECRET.text}`)).toEqual({ text: null });
    expect(await readBy(`__Host-shipgate.login=${SECRET.text}`)).toEqual({ text: SECRET.text });
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
    expect((await server.inject({ url: '/read/http', headers })).json()).toEqual({ text });
  });
});

describe('LoginSecret', () => {
  it('is not contained in its state, challenge or hash', () => {
    const { text, state, verifier, challenge, hash } = LoginSecret.create();
    const gateAnswer = [text, state, verifier, challenge, hash.toString('base64url')];
    expect(new Set(gateAnswer).size).toBe(5);
    for (const part of gateAnswer) expect(part).toMatch(/^[\w-]{43}$/);
  });

  it('has the same state at every read, and another state than any other secret', () => {
    const secret = LoginSecret.create();
    expect(LoginSecret.read(secret.text)?.hasState(secret.state)).toBe(true);
    for (const state of ['', 'A'.repeat(43), LoginSecret.create().state, secret.verifier, `${secret.state}A`]) {
      expect(secret.hasState(state)).toBe(false);
    }
  });
});
