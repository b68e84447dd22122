import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { type CheckResult, formatResult, formatSummary } from '../../src/cli/doctor/check-result.js';
import { runChecks } from '../../src/cli/doctor/run-checks.js';
import { Clock } from '../../src/config/clock.js';
import { EncryptionService } from '../../src/crypto/encryption.service.js';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import { AppConfigurationRepository } from '../../src/features/setup/app-configuration.repository.js';
import { encryptCredentials } from '../../src/features/setup/app-credentials.service.js';
import { REQUIRED_APP_PERMISSIONS } from '../../src/features/setup/app-permissions.js';
import { UntrustedForwarderRepository } from '../../src/http/rate-limit/untrusted-forwarder.repository.js';
import type { App, AppSpec } from '../github-sim/state/app.js';
import { readTestEnvironment } from '../support/read-test-environment.js';
import { S3TestServer } from '../support/s3-test-server.js';
import { TestEnvironment } from '../support/test-environment.js';

let env: TestEnvironment;
let app: App;
let apps = 0;

class OffClock extends Clock {
  constructor(private readonly seconds: number) {
    super();
  }

  override now(): Date {
    return new Date(Date.now() + this.seconds * 1_000);
  }
}

beforeAll(async () => {
  env = await TestEnvironment.start();
  app = register();
  env.github.installApp(app, env.organization);
  await env.waitUntilIdle();
});
afterAll(() => env.stop());

/** Registers an app with the required permissions and events, and with the given changes. */
function register(changes: Partial<AppSpec> = {}): App {
  apps += 1;
  return env.github.registerApp({
    name: `Doctored ${apps}`,
    owner: env.organization,
    webhookUrl: `${env.baseUrl}/api/webhook`,
    ...REQUIRED_APP_PERMISSIONS,
    ...changes,
  });
}

const appVariables = (of: App): Record<string, string> => ({
  GITHUB_APP_ID: String(of.id),
  GITHUB_APP_SLUG: of.slug,
  GITHUB_APP_CLIENT_ID: of.clientId,
  GITHUB_APP_CLIENT_SECRET: of.clientSecret,
  GITHUB_APP_PRIVATE_KEY: of.privateKey,
  GITHUB_WEBHOOK_SECRET: of.webhookSecret,
});

interface Surroundings {
  readonly variables?: Record<string, string>;
  readonly clock?: Clock;
}

async function findings({ variables = {}, clock = new Clock() }: Surroundings = {}): Promise<readonly CheckResult[]> {
  const environment = readTestEnvironment({
    DATABASE_URL: env.databaseUrls.appUrl,
    DATABASE_MIGRATION_URL: env.databaseUrls.ownerUrl,
    GITHUB_URL: env.github.url,
    GITHUB_API_URL: env.github.apiUrl,
    OIDC_ISSUER: env.issuer.url,
    BASE_URL: env.baseUrl,
    ...appVariables(app),
    ...variables,
  });
  const found: CheckResult[] = [];
  for await (const finding of runChecks(environment, clock)) found.push(finding);
  return found;
}

/** Without the check of durability, which the server of the tests does not have. */
const troubles = async (surroundings: Surroundings = {}): Promise<readonly CheckResult[]> =>
  (await findings(surroundings)).filter(({ status, of }) => status !== 'ok' && of !== 'durability');

const NO_APP = Object.fromEntries(Object.keys(appVariables({} as App)).map((name) => [name, '']));

describe('the doctor reports', () => {
  it('no problem if there is none, and what it checked', async () => {
    const found = await findings();
    expect(found.filter(({ status, of }) => status !== 'ok' && of !== 'durability')).toEqual([]);
    expect(found.map(({ of }) => of)).toEqual([
      'clock',
      'database',
      'database clock',
      'migrations',
      'database writes',
      'row-level security',
      'database connections',
      'durability',
      'work',
      'encryption keys',
      'backups',
      'proxies',
      'app credentials',
      'app permissions',
      'installation in acme',
      'webhook',
      'identity tokens',
      'report files',
      'trusted roots',
    ]);
  });

  it('a server that may lose acknowledged writes', async () => {
    expect(await findings()).toContainEqual(
      expect.objectContaining({ status: 'fail', of: 'durability', message: expect.stringContaining('fsync is off') }),
    );
  });

  it('a pool that needs more connections than the server has', async () => {
    expect(await troubles({ variables: { DATABASE_POOL_SIZE: '1000' } })).toEqual([
      expect.objectContaining({
        status: 'warn',
        of: 'database connections',
        message: expect.stringContaining('up to 1001'),
      }),
    ]);
  });

  it.each([
    [31, 'fail', 'ahead of'],
    [-45, 'fail', 'behind'],
    [12, 'warn', 'ahead of'],
  ])('a clock that is %i s off', async (seconds, status, message) => {
    const found = (await findings({ clock: new OffClock(seconds) })).filter(({ of }) => of === 'clock');
    expect(found).toEqual([expect.objectContaining({ status, message: expect.stringContaining(message) })]);
    expect(found[0]?.remedy).toContain('NTP');
  });

  it.each([
    [7, 'fail', 'behind'],
    [-7, 'fail', 'ahead of'],
    [4, 'warn', 'behind'],
  ])('a clock that is %i s off the database clock', async (seconds, status, message) => {
    const found = (await findings({ clock: new OffClock(seconds) })).filter(({ of }) => of === 'database clock');
    expect(found).toEqual([expect.objectContaining({ status, message: expect.stringContaining(message) })]);
  });

  it('an untrusted proxy, until it is configured or was not seen for a day', async () => {
    const repository = new UntrustedForwarderRepository(env.database);
    await repository.note({ address: '192.0.2.7', seenAt: new Date() });
    expect(await troubles()).toEqual([
      expect.objectContaining({ status: 'warn', of: 'proxies', message: expect.stringContaining('192.0.2.7') }),
    ]);
    expect(await troubles({ variables: { TRUSTED_PROXIES: '192.0.2.0/24' } })).toEqual([]);
    await env.asSuperuser(`update untrusted_forwarder set seen_at = now() - interval '25 hours'`);
    expect(await troubles()).toEqual([]);
  });

  it('whether the store of report files answers', async () => {
    const store = await S3TestServer.start();
    try {
      const STORAGE_URL = store.storageUrl();
      const found = await findings({ variables: { STORAGE_URL } });
      expect(found.find(({ message }) => message.startsWith('the bucket'))).toMatchObject({
        status: 'ok',
        message: expect.stringMatching(/^the bucket reports of http:/),
      });
      expect(await store.keys()).toEqual([]);
      const other = STORAGE_URL.replace('//reports', '//others');
      expect(await troubles({ variables: { STORAGE_URL: other } })).toEqual([
        expect.objectContaining({ status: 'fail', of: 'report files', message: expect.stringMatching(/bucket/) }),
      ]);
      await store.goDown();
      expect(await troubles({ variables: { STORAGE_URL } })).toEqual([
        expect.objectContaining({
          status: 'fail',
          of: 'report files',
          message: expect.stringContaining('ECONNREFUSED'),
        }),
      ]);
    } finally {
      await store.clear();
    }
  });

  it('a role that bypasses row-level security', async () => {
    const role = `bypasser_${randomBytes(4).toString('hex')}`;
    const url = new URL(env.databaseUrls.appUrl);
    [url.username, url.password] = [role, 'secret'];
    const { superuserUrl, name } = env.databaseUrls;
    await withDedicatedClient(superuserUrl, async (client) => {
      await client.query(`create role ${role} login bypassrls password 'secret' in role shipgate_app`);
      await client.query(`grant connect on database ${name} to ${role}`);
    });
    try {
      const found = await troubles({ variables: { DATABASE_URL: url.href } });
      expect(found).toContainEqual(
        expect.objectContaining({
          status: 'fail',
          of: 'row-level security',
          message: `the runtime role ${role} bypasses row-level security`,
        }),
      );
    } finally {
      await withDedicatedClient(superuserUrl, (client) =>
        client.query(`revoke connect on database ${name} from ${role}; drop role ${role}`),
      );
    }
  });

  it('a database that does not answer, and checks the rest', async () => {
    const url = new URL(env.databaseUrls.appUrl);
    url.port = '1';
    const found = await findings({ variables: { DATABASE_URL: url.href } });
    expect(found.map(({ status, of }) => `${status} ${of}`)).toEqual([
      'ok clock',
      'fail database',
      'ok identity tokens',
      'ok report files',
      'ok trusted roots',
    ]);
  });

  it('migrations that did not run, that changed or that are newer, and a database of a version that was never released', async () => {
    const change = (sql: string): Promise<unknown> =>
      withDedicatedClient(env.databaseUrls.superuserUrl, (client) => client.query(sql));
    const report = async (): Promise<readonly string[]> =>
      (await troubles()).map(({ status, of, message }) => `${status} ${of}: ${message}`);
    await change(`update schema_migration set digest = 'x' || digest where name = 'CreateSchema1796000000000';
      insert into schema_migration (timestamp, name) values (1, 'MoveEverything9990000000000')`);
    const altered = await report();
    await change(`update schema_migration set digest = substr(digest, 2) where name = 'CreateSchema1796000000000';
      delete from schema_migration where name = 'MoveEverything9990000000000'`);
    expect(altered).toEqual([
      'fail migrations: the migration CreateSchema1796000000000 ran with other statements than this version has',
      'warn migrations: a newer version has migrated the database: MoveEverything9990000000000 ran',
    ]);
    await change(`update schema_migration set name = 'CreateReleases1' where name = 'CreateSchema1796000000000'`);
    const unreleased = await report();
    await change(`update schema_migration set name = 'CreateSchema1796000000000' where name = 'CreateReleases1'`);
    expect(unreleased).toContain('fail migrations: it was created by a version before 0.1.0, which was never released');
    expect(await troubles()).toEqual([]);
  });

  it('missing permissions and events of the app, by name', async () => {
    const { contents: _, ...permissions } = REQUIRED_APP_PERMISSIONS.permissions;
    const poor = register({
      permissions: { ...permissions, issues: 'read' },
      events: REQUIRED_APP_PERMISSIONS.events.filter((event) => event !== 'team'),
    });
    const found = (await troubles({ variables: appVariables(poor) })).filter(({ of }) => of === 'app permissions');
    expect(found.map(({ status, message }) => [status, message])).toEqual([
      ['fail', 'the permission contents: write is missing'],
      ['fail', 'the permission issues: write is missing'],
      ['fail', 'the event team is missing'],
    ]);
  });

  it('that the jobs of CI runs cannot be read because an app or an organization does not allow it, with the consequences', async () => {
    const { actions: _, ...permissions } = REQUIRED_APP_PERMISSIONS.permissions;
    const events = REQUIRED_APP_PERMISSIONS.events.filter((event) => !event.startsWith('workflow_'));
    const earlier = register({ permissions, events });
    const registering = register();
    const hesitant = env.github.createOrganization({ login: 'hesitant' });
    env.github.installApp(registering, hesitant, { repositories: 'all', permissions });
    const withoutNames = expect.stringMatching(
      /^the permission actions: read is missing: .* the field job of uploads.*does not wait/,
    );
    const late = expect.stringContaining('only the sync finds');
    const found = [
      ...(await troubles({ variables: appVariables(earlier) })),
      ...(await troubles({ variables: appVariables(registering) })),
    ];
    const ofRights = found.filter(({ of }) => /^(app permissions|installation in)/.test(of));
    expect(ofRights.map(({ status, of, message }) => [status, of, message])).toEqual([
      ['warn', 'app permissions', withoutNames],
      ['warn', 'app permissions', late],
      ['warn', 'app permissions', late],
      ['warn', 'installation in hesitant', withoutNames],
    ]);
  });

  it('that the bundles of GitHub are not found without the optional permission', async () => {
    const { attestations: _, ...permissions } = REQUIRED_APP_PERMISSIONS.permissions;
    const found = await troubles({ variables: appVariables(register({ permissions })) });
    expect(found.filter(({ of }) => of === 'app permissions').map(({ status, message }) => [status, message])).toEqual([
      ['warn', expect.stringMatching(/^the permission attestations: read is missing: .*CI has to upload them$/)],
    ]);
  });

  it('the minimal tier, which is not a problem', async () => {
    const { workflows: _, administration: __, ...permissions } = REQUIRED_APP_PERMISSIONS.permissions;
    const minimal = register({ permissions });
    const found = await findings({ variables: appVariables(minimal) });
    expect(found).toContainEqual({
      status: 'ok',
      of: 'app permissions',
      message: expect.stringContaining('of the minimal tier: without workflows: write and administration: write'),
      remedy: null,
    });
  });

  it('an organization that has not accepted a permission, one that suspended the app, and an app without installations', async () => {
    const registering = register();
    expect(await troubles({ variables: appVariables(registering) })).toContainEqual(
      expect.objectContaining({ status: 'warn', of: 'installations' }),
    );
    const [initech, hooli] = ['initech', 'hooli'].map((login) => env.github.createOrganization({ login }));
    if (!initech || !hooli) throw new Error('no organizations');
    const permissions = { ...REQUIRED_APP_PERMISSIONS.permissions, pull_requests: 'read' } as const;
    env.github.installApp(registering, initech, { repositories: 'all', permissions });
    env.github.installApp(registering, hooli).suspend();
    const found = await troubles({ variables: appVariables(registering) });
    expect(
      found.filter(({ of }) => of.startsWith('installation')).map(({ status, of, message }) => [status, of, message]),
    ).toEqual([
      ['fail', 'installation in initech', 'the permission pull_requests: write is missing'],
      ['warn', 'installation in hooli', 'it is suspended'],
    ]);
  });

  it('deliveries that do not arrive', async () => {
    const deaf = register({ webhookUrl: 'http://127.0.0.1:1/api/webhook' });
    const organization = env.github.createOrganization({ login: 'umbrella' });
    env.github.installApp(deaf, organization);
    await env.outbox.waitUntilIdle();
    const found = await troubles({ variables: appVariables(deaf) });
    expect(found).toEqual([
      expect.objectContaining({
        status: 'fail',
        of: 'webhook',
        message: expect.stringMatching(/of the last \d+ deliveries failed/),
      }),
    ]);
  });

  it('credentials that GitHub rejects, without repeating them', async () => {
    const variables = { GITHUB_APP_CLIENT_SECRET: 'not-the-secret' };
    const found = await troubles({ variables });
    expect(found).toEqual([
      expect.objectContaining({
        status: 'fail',
        of: 'app credentials',
        message: expect.stringContaining('clientSecret'),
      }),
    ]);
    expect(JSON.stringify(found)).not.toContain('not-the-secret');
  });

  it('an issuer that is unknown or has another name', async () => {
    const unknown = await troubles({ variables: { OIDC_ISSUER: 'http://127.0.0.1:1' } });
    const other = await troubles({ variables: { OIDC_ISSUER: `${env.issuer.url}/` } });
    for (const found of [unknown, other]) {
      expect(found).toEqual([expect.objectContaining({ status: 'fail', of: 'identity tokens' })]);
      expect(found[0]?.remedy).toContain('OIDC_ISSUER');
    }
    expect(other[0]?.message).toContain('another issuer');
  });

  it('that the app is not set up, and a missing key of the set-up', async () => {
    const before = await troubles({ variables: NO_APP });
    expect(before).toEqual([expect.objectContaining({ of: 'app credentials', remedy: 'Run "npm run setup".' })]);
    const { id, slug, clientId, clientSecret, privateKey, webhookSecret } = app;
    const credentials = { appId: String(id), slug, clientId, clientSecret, privateKey, webhookSecret };
    const sealed = encryptCredentials(new EncryptionService(readTestEnvironment()), credentials);
    await new AppConfigurationRepository(env.database).complete(null, sealed, new Date());
    expect(await troubles({ variables: NO_APP })).toEqual([]);
    const ENCRYPTION_KEYS = `new:${randomBytes(32).toString('base64')}`;
    const without = await troubles({ variables: { ...NO_APP, ENCRYPTION_KEYS } });
    expect(without.map(({ status, of }) => [status, of])).toEqual([
      ['fail', 'encryption keys'],
      ['fail', 'app credentials'],
    ]);
    expect(without[0]?.message).toContain('the key test');
  });
});

describe('the report', () => {
  const finding: CheckResult = { status: 'fail', of: 'clock', message: 'it is\u001b[2J off\n', remedy: 'Mend it.' };

  it('has a line for each result and one for the fix, whatever the text contains', () => {
    expect(formatResult(finding, false)).toBe('fail  clock: it is [2J off\n      → Mend it.\n');
    expect(formatResult({ ...finding, status: 'ok', remedy: null }, false)).toBe('ok    clock: it is [2J off\n');
  });

  it('has colors if they are enabled', () => {
    expect(formatResult({ ...finding, message: 'off', remedy: null }, true)).toBe(
      '\u001b[31mfail\u001b[0m  clock: off\n',
    );
  });

  it('counts its results', () => {
    expect(formatSummary([finding, { ...finding, status: 'ok' }, finding])).toBe('1 ok, 0 warnings, 2 failed\n');
  });
});
