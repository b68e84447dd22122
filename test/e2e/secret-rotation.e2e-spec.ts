import { createHmac, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { AppCredentials } from '../../src/config/app-credentials.js';
import type { Environment } from '../../src/config/environment.js';
import { DecryptionError, EncryptionService } from '../../src/crypto/encryption.service.js';
import { Database } from '../../src/database/database.js';
import { assertTenantIsolation } from '../../src/database/tenancy-check.js';
import { userTokenContext } from '../../src/features/accounts/users/user-tokens.service.js';
import { AppConfigurationRepository } from '../../src/features/setup/app-configuration.repository.js';
import { decryptCredentials, encryptCredentials } from '../../src/features/setup/app-credentials.service.js';
import { changeStoredCredentials, encryptWithFirstKey } from '../../src/features/setup/secret-changes.service.js';
import { SigningKeysRepository } from '../../src/features/signing/signing-keys.repository.js';
import { SigningService } from '../../src/features/signing/signing.service.js';
import { createApp } from '../../src/http/app.factory.js';
import { createLineLogger } from '../../src/observability/logger.js';
import { AppModule } from '../../src/server/app.module.js';
import { readTestEnvironment } from '../support/read-test-environment.js';
import { TestEnvironment } from '../support/test-environment.js';
import { signIn } from '../support/user-session.js';

const OLD_SESSION_SECRET = readTestEnvironment({}).sessionSecret;
const NEW_SESSION_SECRET = 'the next session secret of this deployment';
const NEW_WEBHOOK_SECRET = 'the next webhook secret';
const ROUNDS = 60;

const encryptAll = (environment: Pick<Environment, 'encryptionKeys'>): Promise<number> =>
  encryptWithFirstKey(env.database, env.databaseUrls.ownerUrl, environment);

let env: TestEnvironment;
/** A process after the second rolling restart. The process of the environment is before it. Both accept both values. */
let restarted: NestFastifyApplication;
let urls: readonly string[];

beforeAll(async () => {
  env = await TestEnvironment.start({
    GITHUB_WEBHOOK_SECRET_ALSO_VALID: NEW_WEBHOOK_SECRET,
    SESSION_SECRET_ALSO_VALID: NEW_SESSION_SECRET,
  });
  env.secretLeaks.add('second webhook secret', NEW_WEBHOOK_SECRET);
  env.secretLeaks.add('second session secret', NEW_SESSION_SECRET);
  await env.install();
  const environment = readTestEnvironment({
    ...env.variables,
    GITHUB_WEBHOOK_SECRET: NEW_WEBHOOK_SECRET,
    GITHUB_WEBHOOK_SECRET_ALSO_VALID: env.githubApp.webhookSecret,
    SESSION_SECRET: NEW_SESSION_SECRET,
    SESSION_SECRET_ALSO_VALID: OLD_SESSION_SECRET,
  });
  const log = createLineLogger('silent', { write: () => undefined });
  restarted = await createApp(AppModule.of({ database: env.database, clock: env.clock }), environment, log);
  await restarted.listen(0, '127.0.0.1');
  urls = [await env.app.getUrl(), await restarted.getUrl()];
});
afterAll(async () => {
  await restarted.close();
  await env.stop();
});

describe('the webhook secret', () => {
  const BODY = JSON.stringify({ action: 'created', sender: { id: 1 } });

  /** Sends a delivery of an event without a handler. Returns its GUID. */
  async function deliver(url: string, secret: string): Promise<string> {
    const guid = randomUUID();
    const response = await fetch(`${url}/api/webhook`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-github-event': 'star',
        'x-github-delivery': guid,
        'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(BODY).digest('hex')}`,
      },
      body: BODY,
    });
    expect(response.status).toBe(202);
    return guid;
  }

  const countStored = async (guids: readonly string[]): Promise<number> =>
    (await env.asSuperuser(`select from webhook_delivery where guid in (${guids.map((guid) => `'${guid}'`).join()})`))
      .length;

  it('may be the old or the new one in every process while it is changed, and no other', async () => {
    const secrets = [env.githubApp.webhookSecret, NEW_WEBHOOK_SECRET];
    const pairs = Array.from({ length: ROUNDS }, () =>
      urls.flatMap((url) => secrets.map((secret) => ({ url, secret }))),
    ).flat();
    const guids = await Promise.all(pairs.map(({ url, secret }) => deliver(url, secret)));
    expect(await countStored(guids)).toBe(ROUNDS * 4);
    const forged = await Promise.all(urls.map((url) => deliver(url, 'a third secret')));
    expect(await countStored(forged)).toBe(0);
  });
});

describe('the session secret', () => {
  it('leaves every session valid in every process while it is changed', async () => {
    const user = env.github.createUser({ login: 'ada' });
    const before = await signIn(env, user);
    const after = await signIn(env, user);
    const [, id = ''] = /^connect\.sid=([\w-]{43})/.exec(decodeURIComponent(after.cookie)) ?? [];
    const signedAnew = `connect.sid=${encodeURIComponent(restarted.getHttpAdapter().getInstance().signCookie(id))}`;
    expect(signedAnew).not.toBe(after.cookie);
    const statuses = await Promise.all(
      Array.from({ length: ROUNDS }, () =>
        urls.flatMap((url) =>
          [before.cookie, signedAnew].map(
            async (cookie) => (await fetch(`${url}/api/auth/me`, { headers: { cookie } })).status,
          ),
        ),
      ).flat(),
    );
    expect(statuses).toHaveLength(ROUNDS * 4);
    expect(new Set(statuses)).toEqual(new Set([200]));
  });
});

describe('the encryption keys', () => {
  const [oldKey, newKey] = ['old', 'new'].map((kid, index) => ({ kid, key: Buffer.alloc(32, index + 1) })) as [
    { readonly kid: string; readonly key: Buffer },
    { readonly kid: string; readonly key: Buffer },
  ];
  const both = { encryptionKeys: [newKey, oldKey] } as const;
  const configuration = (): AppConfigurationRepository => new AppConfigurationRepository(env.database);

  it('are changed beside running processes: every secret is encrypted with the first key, and stays what it was', async () => {
    const old = new EncryptionService({ encryptionKeys: [oldKey] });
    const users = Array.from({ length: 20 }, (_, index) => 9_000 + index);
    await env.asSuperuser(
      `insert into user_account (github_id, login, avatar_url, access_token, refresh_token, created_at, updated_at) values ${users
        .map((id) => {
          const tokens = (['access', 'refresh'] as const).map((use) =>
            old.encrypt(`${use} of ${id}`, userTokenContext(id, use)),
          );
          return `(${id}, 'u${id}', 'http://127.0.0.1/a', '${tokens.join("', '")}', now(), now())`;
        })
        .join()}`,
    );
    const signing = new SigningService(
      new SigningKeysRepository(env.database),
      new EncryptionService({ encryptionKeys: [{ kid: 'test', key: Buffer.alloc(32, 7) }] }),
      env.clock,
    );
    await signing.rotateKey();
    // Reads the tokens of users meanwhile, like a process that serves users.
    const reading = new AbortController();
    const readAll = async (): Promise<number> => {
      for (let reads = 0; ;) {
        for (const id of users) {
          const [row] = await env.asSuperuser<{ readonly access_token: string }>(
            `select access_token from user_account where github_id = ${id}`,
          );
          const token = new EncryptionService(both).decrypt(row?.access_token ?? '', userTokenContext(id, 'access'));
          expect(token).toBe(`access of ${id}`);
          reads += 1;
        }
        if (reading.signal.aborted) return reads;
      }
    };
    const read = readAll();
    const keys = [newKey, oldKey, { kid: 'test', key: Buffer.alloc(32, 7) }] as const;
    const encrypted = await encryptAll({ encryptionKeys: keys });
    reading.abort();
    const reads = await read;
    expect(encrypted).toBeGreaterThanOrEqual(users.length * 2 + 1);
    expect(reads).toBeGreaterThan(0);
    expect(await configuration().listEncryptionKeyIds()).toEqual(['new']);
    const alone = new EncryptionService({ encryptionKeys: [newKey] });
    const rows = await env.asSuperuser<{ readonly github_id: string; readonly refresh_token: string }>(
      `select github_id, refresh_token from user_account where github_id >= 9000 and github_id < 9020`,
    );
    for (const { github_id: id, refresh_token: token } of rows)
      expect(alone.decrypt(token, userTokenContext(Number(id), 'refresh'))).toBe(`refresh of ${id}`);
    expect(rows).toHaveLength(users.length);
  });

  it('cannot be listed by the runtime role', async () => {
    const listing = env.database.pool.query(`select list_secrets_of_other_keys('none', 1)`);
    await expect(listing).rejects.toMatchObject({ code: '42501' });
  });

  it('are not changed if one of them is missing', async () => {
    const other = { kid: 'other', key: Buffer.alloc(32, 9) };
    await expect(encryptAll({ encryptionKeys: [other] })).rejects.toThrow(DecryptionError);
    expect(await configuration().listEncryptionKeyIds()).toEqual(['new']);
  });
});

describe('the credentials of the app that the set-up stored', () => {
  const environment = (): Environment => readTestEnvironment({ ...env.variables });
  const stored = async (): Promise<AppCredentials> =>
    decryptCredentials(
      new EncryptionService(environment()),
      (await new AppConfigurationRepository(env.database).find()) ?? '',
    );

  beforeAll(async () => {
    const { app } = environment();
    const encrypted = encryptCredentials(new EncryptionService(environment()), app!);
    const configuration = new AppConfigurationRepository(env.database);
    expect(await configuration.complete(null, encrypted, env.clock.now())).toBe('stored');
  });

  it('are changed by a command after GitHub accepted them', async () => {
    const before = await stored();
    await changeStoredCredentials(env.database, environment(), { webhookSecret: NEW_WEBHOOK_SECRET }, env.clock);
    expect(await stored()).toEqual({ ...before, webhookSecret: NEW_WEBHOOK_SECRET });
  });

  it.each([
    [{ clientSecret: 'of another app' }, 'clientSecret: it does not belong to the client id'],
    [{ privateKey: 'no key' }, 'must be an RSA private key in PEM'],
  ])('stay what they were if %j is wrong', async (changes, message) => {
    const before = await stored();
    await expect(changeStoredCredentials(env.database, environment(), changes, env.clock)).rejects.toThrow(message);
    expect(await stored()).toEqual(before);
  });
});

describe('the password of the database', () => {
  it('has a second role beside it, with which the service works as the same one', async () => {
    const role = `second_${randomUUID().replaceAll('-', '')}`;
    const { appUrl } = env.databaseUrls;
    const { username } = new URL(appUrl);
    await env.asSuperuser(
      `create role ${role} login password 'another' in role ${username};
       alter role ${role} set role ${username};
       alter role ${role} set jit = off`,
    );
    const url = new URL(appUrl);
    url.username = role;
    url.password = 'another';
    const database = await Database.open({ url: url.href, poolSize: 2 });
    try {
      await assertTenantIsolation(database.pool);
      const orgId = await env.orgId();
      const names = await database.inTenant(orgId, (tx) =>
        tx.query<{ readonly who: string }>('select current_user as who from organization'),
      );
      expect(names).toEqual([{ who: username }]);
      // Open connections still work after the password of their role was changed.
      await env.asSuperuser(`alter role ${role} password 'yet another'`);
      expect(await database.findWriteProblem()).toBeNull();
    } finally {
      await database.close();
      await env.asSuperuser(`drop role ${role}`);
    }
  });
});
