import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { EncryptionService } from '../../src/crypto/encryption.service.js';
import { Database } from '../../src/database/database.js';
import { UserTokensService } from '../../src/features/accounts/users/user-tokens.service.js';
import { createApp } from '../../src/http/app.factory.js';
import { createLineLogger } from '../../src/observability/logger.js';
import { AppModule } from '../../src/server/app.module.js';
import type { User } from '../github-sim/state/user.js';
import { Browser } from '../support/browser.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { readTestEnvironment } from '../support/read-test-environment.js';
import { TestEnvironment } from '../support/test-environment.js';

describe('a sign-in while GitHub fails', () => {
  let env: TestEnvironment;
  let ada: User;

  beforeAll(async () => {
    env = await TestEnvironment.start();
    ada = env.github.createUser({ login: 'ada' });
    env.organization.addMember(ada, 'admin');
    await env.install();
  });
  afterAll(() => env.stop());

  it('signs no user in while GitHub does not return the user', async () => {
    const browser = new Browser(env);
    env.github.faults.next({ kind: '5xx', match: /^GET \/user$/, times: 3 });
    const answer = await browser.signIn(ada);
    expect(answer).toMatchObject({ status: 503, body: { error: expect.stringContaining('Sign in again') } });
    expect(answer.headers.get('retry-after')).toBe('30');
    expect(browser.cookie('connect.sid')).toBeNull();
    expect((await browser.signIn(ada)).status).toBe(302);
  });

  it('signs no user in while GitHub does not return the organizations', async () => {
    const browser = new Browser(env);
    env.github.faults.next({ kind: '5xx', match: /^GET \/user\/memberships\/orgs/, times: 3 });
    expect((await browser.signIn(ada)).status).toBe(503);
    expect(browser.cookie('connect.sid')).toBeNull();
  });

  it('logs no secret and stores none in plain text', async () => {
    const browser = new Browser(env);
    const back = await browser.consent(ada, '/here?secret=in-the-path');
    const login = browser.cookie('shipgate.login') ?? '';
    await browser.goTo(back);
    await browser.goTo(back);
    const { code = '', state = '' } = Object.fromEntries(new URL(back).searchParams);
    const session = decodeURIComponent(browser.cookie('connect.sid') ?? '').split('.')[0] ?? '';
    const [row] = await env.asSuperuser<{ readonly refresh_token: string }>('select refresh_token from user_account');
    const secrets = {
      login,
      code,
      state,
      session,
      access: (await env.app.get(UserTokensService, { strict: false }).findAccessToken(ada.id)) ?? '',
      refresh: env.app
        .get(EncryptionService, { strict: false })
        .decrypt(row?.refresh_token ?? '', `person:${ada.id}:refresh`),
      client: env.githubApp.clientSecret,
    };
    for (const secret of Object.values(secrets)) expect(secret.length).toBeGreaterThanOrEqual(20);
    const stored = await env.asSuperuser<{ readonly row: string }>(
      'select p::text as row from user_account p union all select s::text from session s union all select l::text from login_attempt l',
    );
    const places = { log: env.lines.join('\n'), database: stored.map(({ row: text }) => text).join('\n') };
    expect(places.log).toContain('/api/auth/callback');
    expect(places.database).toContain(`(${ada.id},ada`);
    for (const place of Object.values(places)) {
      for (const secret of [...Object.values(secrets), 'in-the-path']) expect(place.includes(secret)).toBe(false);
    }
  });

  it('returns a 503 with a retry time while GitHub is unavailable', async () => {
    const browser = new Browser(env);
    const back = await browser.consent(ada);
    await env.github.stop();
    const answer = await browser.goTo(back);
    expect(answer).toMatchObject({
      status: 503,
      body: { error: expect.stringContaining('GitHub does not answer now') },
    });
    expect(browser.cookie('connect.sid')).toBeNull();
  });
});

describe('a service without credentials', () => {
  let testDatabase: TestDatabase;
  let database: Database;

  beforeAll(async () => {
    testDatabase = await createTestDatabase();
    database = await Database.open({ url: testDatabase.appUrl });
  });
  afterAll(async () => {
    await database.close();
    await testDatabase.drop();
  });

  async function serving(variables: Record<string, string>): Promise<NestFastifyApplication> {
    const log = createLineLogger('silent', process.stdout);
    const app = await createApp(
      AppModule.of({ database }),
      readTestEnvironment({ RATE_LIMITS: 'off', ...variables }),
      log,
    );
    await app.init();
    await app.getHttpAdapter().getInstance().ready();
    return app;
  }

  it('explains what to do before users can sign in', async () => {
    const app = await serving({});
    for (const url of ['/api/auth/login', '/api/auth/callback?code=a&state=b']) {
      const answer = await app.inject({ method: 'GET', url });
      expect([answer.statusCode, answer.json()]).toEqual([503, { error: expect.stringContaining('npm run setup') }]);
      expect(answer.headers['retry-after']).toBe('30');
    }
    await app.close();
  });
});
