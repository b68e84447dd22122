import { Logger } from '@nestjs/common';
import { describe, expect, it } from '@jest/globals';
import { Browser } from '../support/browser.js';
import { signIn } from '../support/signed-in.js';
import { TestEnvironment } from '../support/world.js';

/** What the end of a world says that a test has done something to. */
async function endOf(work: (world: TestEnvironment) => Promise<unknown>): Promise<string> {
  const world = await TestEnvironment.start();
  await world.install();
  await work(world);
  return world.stop().then(
    () => 'no secret came out',
    (error: Error) => error.message,
  );
}

const log = (message: string): void => new Logger('Test').log(message);

describe('a world of tests', () => {
  it('ends well where people sign in and keys are made, and no secret comes out', async () => {
    const end = await endOf(async (world) => {
      const user = world.github.createUser({ login: 'ada' });
      const ada = await signIn(world, user, { role: 'admin' });
      const made = { name: 'ci', scopes: ['gate:read'], expiresAt: '2099-01-01T00:00:00Z' };
      expect((await ada.send('POST', '/api/settings/api-keys', made)).status).toBe(201);
      expect((await ada.send('POST', '/api/settings/mcp-keys', { name: 'editor', scope: 'read' })).status).toBe(201);
      expect((await new Browser(world).signIn(user)).status).toBe(302);
    });
    expect(end).toBe('no secret came out');
  });

  it.each<[string, (world: TestEnvironment) => Promise<unknown>]>([
    ['client secret', async ({ githubApp }) => log(githubApp.clientSecret)],
    ['webhook secret', async ({ githubApp }) => log(githubApp.webhookSecret)],
    ['private key', async ({ githubApp }) => log(githubApp.privateKey)],
    ['session secret', async () => log('it is: a secret that no deployment has!')],
    ['encryption key', async () => log(Buffer.alloc(32, 7).toString('base64'))],
    ['token of GitHub', async ({ github }) => log(github.createUser({ login: 'eve' }).token)],
    ['key of a CI system', async (world) => log(await world.key())],
    ['signed token', async ({ issuer }) => log(issuer.token())],
  ])('fails at its end where a %s is in the log', async (name, work) => {
    expect(await endOf(work)).toBe(`Secrets came out: a ${name} in the log.`);
  });

  it('fails where the id of a session is in the log', async () => {
    const end = await endOf(async (world) => {
      const ada = await signIn(world, world.github.createUser({ login: 'ada' }));
      await ada.get('/api/auth/me');
      log(decodeURIComponent(ada.cookie));
    });
    expect(end).toBe('Secrets came out: a cookie in the log.');
  });

  it('fails where a row keeps the token of a person as it is', async () => {
    const end = await endOf(async (world) => {
      const browser = new Browser(world);
      await browser.signIn(world.github.createUser({ login: 'ada' }));
      await world.asSuperuser(`update user_account set access_token = 'ghu_0123456789abcdef0123456789abcdef0123'`);
    });
    expect(end).toBe('Secrets came out: a token of GitHub in the table user_account.');
  });
});
