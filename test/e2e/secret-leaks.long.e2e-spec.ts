import { Logger } from '@nestjs/common';
import { describe, expect, it } from '@jest/globals';
import { Browser } from '../support/browser.js';
import { signIn } from '../support/user-session.js';
import { TestEnvironment } from '../support/test-environment.js';

/** The error of `stop()` after a test has leaked a secret. */
async function endOf(work: (env: TestEnvironment) => Promise<unknown>): Promise<string> {
  const env = await TestEnvironment.start();
  await env.install();
  await work(env);
  return env.stop().then(
    () => 'no secret came out',
    (error: Error) => error.message,
  );
}

const log = (message: string): void => new Logger('Test').log(message);

describe('a test environment', () => {
  it('stops without an error after sign-ins and new keys, and finds no secret', async () => {
    const end = await endOf(async (env) => {
      const user = env.github.createUser({ login: 'ada' });
      const ada = await signIn(env, user, { role: 'admin' });
      const created = { name: 'ci', scopes: ['gate:read'], expiresAt: '2099-01-01T00:00:00Z' };
      expect((await ada.send('POST', '/api/settings/api-keys', created)).status).toBe(201);
      expect((await ada.send('POST', '/api/settings/mcp-keys', { name: 'editor', scope: 'read' })).status).toBe(201);
      expect((await new Browser(env).signIn(user)).status).toBe(302);
    });
    expect(end).toBe('no secret came out');
  });

  it.each<[string, (env: TestEnvironment) => Promise<unknown>]>([
    ['client secret', async ({ githubApp }) => log(githubApp.clientSecret)],
    ['webhook secret', async ({ githubApp }) => log(githubApp.webhookSecret)],
    ['private key', async ({ githubApp }) => log(githubApp.privateKey)],
    ['session secret', async () => log('it is: a secret that no deployment has!')],
    ['encryption key', async () => log(Buffer.alloc(32, 7).toString('base64'))],
    ['token of GitHub', async ({ github }) => log(github.createUser({ login: 'eve' }).token)],
    ['key of a CI system', async (env) => log(await env.key())],
    ['signed token', async ({ issuer }) => log(issuer.token())],
  ])('fails when it stops if a %s is in the log', async (name, work) => {
    expect(await endOf(work)).toBe(`Secrets came out: a ${name} in the log.`);
  });

  it('fails if the id of a session is in the log', async () => {
    const end = await endOf(async (env) => {
      const ada = await signIn(env, env.github.createUser({ login: 'ada' }));
      await ada.get('/api/auth/me');
      log(decodeURIComponent(ada.cookie));
    });
    expect(end).toBe('Secrets came out: a cookie in the log.');
  });

  it('fails if a row contains the token of a user as plain text', async () => {
    const end = await endOf(async (env) => {
      const browser = new Browser(env);
      await browser.signIn(env.github.createUser({ login: 'ada' }));
      await env.asSuperuser(`update user_account set access_token = 'ghu_0123456789abcdef0123456789abcdef0123'`);
    });
    expect(end).toBe('Secrets came out: a token of GitHub in the table user_account.');
  });
});
