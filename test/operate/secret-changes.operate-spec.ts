import { expect, it } from '@jest/globals';
import { Signer } from '@fastify/cookie';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { changeDatabaseUrl } from '../../src/config/database-url.js';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import { hashSetupCode } from '../../src/features/setup/setup.service.js';
import { cookieOptions } from '../../src/http/request-hooks.js';
import { BuiltService, ENCRYPTION_KEY, SESSION_SECRET } from '../contract/built-service.js';
import { givenSession } from '../contract/given-session.js';
import { begun } from '../contract/sign-in-calls.js';
import { CiStream } from '../faults/ci-stream.js';
import { DeliveryLedger } from '../faults/delivery-ledger.js';
import { givenReleases } from '../faults/open-release.js';
import { performRandomActions } from '../faults/random-actions.js';
import { ReadinessProxy } from '../faults/readiness-proxy.js';
import { environmentOf, startGitHub } from '../faults/start-github.js';
import type { User } from '../github-sim/state/user.js';
import { runCommand } from '../support/command-process.js';
import { freePort } from '../support/free-port.js';
import { describeWith } from './installed.js';
import { PostgresServer, serverPrograms } from './postgres-server.js';

const PASSWORD = 'of-the-second-role';
const SETUP_CODE = 'A1B2C-D3E4F-G5H6J-K7M8N';
const PATIENCE_MS = 60_000;
/** Longer than two probes of the proxy and the requests that it sends in between. */
const DELAY = '1s';

const newSecret = (): string => randomBytes(32).toString('base64');
const keyPair = (kid: string, key: Buffer): string => `${kid}:${key.toString('base64')}`;

/** The statements of the guide that create the second role. */
function secondRoleSql(): string {
  const guide = readFileSync('docs/guides/rotation.md', 'utf8');
  const [, sql = ''] = /```sql\n(create role shipgate_app_2[^`]*)```/.exec(guide) ?? [];
  return sql.replace('…', PASSWORD);
}

/** Runs an action again and again, until the returned function is called. That function returns the results. */
function repeat<T>(pauseMs: number, action: (round: number) => T | Promise<T>): () => Promise<readonly T[]> {
  const results: T[] = [];
  const stopping = new AbortController();
  const loop = (async () => {
    for (let round = 0; !stopping.signal.aborted; round += 1) {
      results.push(await action(round));
      await sleep(pauseMs);
    }
  })();
  return async () => {
    stopping.abort();
    await loop;
    return results;
  };
}

/** Signs a user in. Returns `signed in`, or the status and the body of the failure. */
async function signIn(url: string, ada: User): Promise<string> {
  const { code, state, headers } = await begun({ url }, { ada });
  const query = new URLSearchParams({ code, state }).toString();
  const answer = await fetch(`${url}/api/auth/callback?${query}`, { headers, redirect: 'manual' });
  const cookies = answer.headers.getSetCookie().map((cookie) => cookie.split('=', 1)[0]);
  return cookies.includes('connect.sid') ? 'signed in' : `${answer.status} ${await answer.text()}`;
}

const APP_VARIABLES = {
  appId: 'GITHUB_APP_ID',
  clientId: 'GITHUB_APP_CLIENT_ID',
  clientSecret: 'GITHUB_APP_CLIENT_SECRET',
  webhookSecret: 'GITHUB_WEBHOOK_SECRET',
  privateKey: 'GITHUB_APP_PRIVATE_KEY',
} as const;
type AppSecret = Exclude<keyof typeof APP_VARIABLES, 'appId' | 'clientId'>;
const OPTIONS: Readonly<Record<AppSecret, string>> = {
  clientSecret: '--client-secret',
  webhookSecret: '--webhook-secret',
  privateKey: '--private-key',
};

describeWith({ postgresql: serverPrograms() })('the secrets of a service under load', () => {
  it.each([
    ['the environment', { isStored: false }],
    ['the database', { isStored: true }],
  ])(
    'are changed with the steps of the guide without a failed request, credentials of the app in %s',
    async (_, { isStored }) => {
      const [server, port] = [await PostgresServer.start(), await freePort()];
      const webPorts = [await freePort(), await freePort()];
      const host = await startGitHub(port);
      const ada = host.github.createUser({ login: 'ada' });
      const proxy = await ReadinessProxy.start(port, webPorts);
      const folder = await mkdtemp(path.join(tmpdir(), 'shipgate-secrets-'));
      const roles = [
        { ROLE: 'worker' },
        { ROLE: 'worker' },
        ...webPorts.map((webPort) => ({ ROLE: 'web', PORT: String(webPort) })),
      ];
      const services: BuiltService[] = [];
      const exitCodes: (number | null)[] = [];
      let variables: Readonly<Record<string, string>> = {};

      /** Restarts all processes with changed variables, one after the other, as the guide says. */
      async function restartAll(changes: Readonly<Record<string, string>>): Promise<void> {
        variables = { ...variables, ...changes };
        for (const [index, role] of roles.entries()) {
          const former = services[index];
          if (former) exitCodes.push(await former.stop());
          services[index] = await BuiltService.start({ ...variables, ...role });
          if ('PORT' in role) await proxy.untilReady(Number(role.PORT));
        }
      }
      const asSuperuser = (sql: string, values: readonly unknown[] = []): Promise<unknown> =>
        withDedicatedClient(server.superuserUrl, (client) => client.query(sql, [...values]));
      const command = async (name: string, args: readonly string[] = []): Promise<string> => {
        const { status, stdout, stderr } = await runCommand(name, args, variables);
        expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
        return stdout;
      };

      /** Completes the set-up, as its page does. */
      async function setUp(credentials: Readonly<Record<string, string>>): Promise<void> {
        await asSuperuser('select add_setup_code($1, now())', [hashSetupCode(SETUP_CODE)]);
        const entries = Object.entries(APP_VARIABLES).map(([member, name]) => [member, credentials[name]]);
        const response = await fetch(`http://127.0.0.1:${port}/api/config/setup`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ setupCode: SETUP_CODE, ...Object.fromEntries(entries) }),
        });
        expect(response.status).toBe(201);
      }

      /** Changes credentials of the app where they are. Returns the variables that change. */
      async function changeCredentials(
        changes: Partial<Record<AppSecret, string>>,
      ): Promise<Readonly<Record<string, string>>> {
        const entries = Object.entries(changes) as [AppSecret, string][];
        if (!isStored) return Object.fromEntries(entries.map(([member, value]) => [APP_VARIABLES[member], value]));
        const options: string[] = [];
        for (const [member, value] of entries) {
          const file = path.join(folder, member);
          await writeFile(file, value);
          options.push(OPTIONS[member], file);
        }
        expect(await command('change-app-credentials', options)).toMatch(/^Changed: /);
        return {};
      }

      try {
        const { runtimeUrl, migrationUrl } = await server.makeDatabase();
        const [oldKey, newKey] = [keyPair(ENCRYPTION_KEY.kid, ENCRYPTION_KEY.key), keyPair('next', randomBytes(32))];
        const surroundings = environmentOf(host, { appUrl: runtimeUrl, ownerUrl: migrationUrl }, port);
        const withoutApp = Object.entries(surroundings).filter(([name]) => !/^GITHUB_(APP|WEBHOOK)_/.test(name));
        await restartAll({
          ...(isStored ? Object.fromEntries(withoutApp) : surroundings),
          SESSION_SECRET,
          ENCRYPTION_KEYS: oldKey,
          SHUTDOWN_DELAY: DELAY,
        });
        if (isStored) await setUp(surroundings);
        const url = `http://127.0.0.1:${port}`;
        const ci = await givenReleases(host, url, server.superuserUrl);
        const cookie = await givenSession(server, 'member');
        const me = async (headers: Readonly<Record<string, string>>): Promise<number> =>
          (await fetch(`${url}/api/auth/me`, { headers })).status;
        expect(await signIn(url, ada)).toBe('signed in');
        proxy.failed.length = 0;
        const stream = new CiStream(ci);
        const stopActions = repeat(3_000, (round) => performRandomActions(host, round));
        const stopSession = repeat(50, () => me({ cookie }));
        const stopSigningIn = repeat(500, () => signIn(url, ada));

        const oldWebhookSecret = host.app.webhookSecret;
        const [webhookSecret, sessionSecret] = [newSecret(), newSecret()];
        await asSuperuser(secondRoleSql());
        await restartAll({
          GITHUB_WEBHOOK_SECRET_ALSO_VALID: webhookSecret,
          SESSION_SECRET_ALSO_VALID: sessionSecret,
          ENCRYPTION_KEYS: `${oldKey},${newKey}`,
          ...(await changeCredentials({
            privateKey: host.app.generatePrivateKey(),
            clientSecret: host.app.generateClientSecret(),
          })),
          DATABASE_URL: changeDatabaseUrl(runtimeUrl, (changed) => {
            changed.username = 'shipgate_app_2';
            changed.password = PASSWORD;
          }),
        });
        host.app.webhookSecret = webhookSecret;
        host.app.publicKeys.shift();
        host.app.clientSecrets.shift();
        await asSuperuser(`alter role shipgate_app password '${newSecret()}'`);
        await restartAll({
          ...(await changeCredentials({ webhookSecret })),
          GITHUB_WEBHOOK_SECRET_ALSO_VALID: oldWebhookSecret,
          SESSION_SECRET: sessionSecret,
          SESSION_SECRET_ALSO_VALID: SESSION_SECRET,
          ENCRYPTION_KEYS: `${newKey},${oldKey}`,
        });
        expect(await command('change-encryption-key')).toMatch(/^[1-9]\d* secrets were encrypted with the key next\./);
        expect(await command('replace-signing-key')).toMatch(/ is retired\. .* is in use\.$/m);
        const answers = await stopSession();
        // An hour passes for the tokens of repositories, which are still encrypted with the old key.
        await asSuperuser(`update repository_token set received_at = received_at - interval '1 hour'`);
        await untilKeyIsNotNeeded(ENCRYPTION_KEY.kid, variables);
        await restartAll({
          GITHUB_WEBHOOK_SECRET_ALSO_VALID: '',
          SESSION_SECRET_ALSO_VALID: '',
          ENCRYPTION_KEYS: newKey,
        });

        await sleep(2_000);
        const signIns = await stopSigningIn();
        await stopActions();
        await host.outbox.waitUntilIdle();
        const acknowledged = host.acknowledged();
        const lost = await new DeliveryLedger(server.superuserUrl).listLost(acknowledged, PATIENCE_MS);
        const report = {
          ci: await stream.stop(server.superuserUrl),
          lost,
          failed: [...proxy.failed],
          exitCodes,
          sessions: [...new Set(answers)],
          signIns: [...new Set(signIns)],
        };
        const counts = { passed: proxy.passed, sessionRequests: answers.length, signIns: signIns.length };
        process.stdout.write(`${JSON.stringify({ ...report, ...counts, acknowledged: acknowledged.size })}\n`);
        expect(report).toMatchObject({
          ci: { putOff: 0, wrong: [], uploadsLost: 0, uploadsDoubled: 0 },
          lost: [],
          failed: [],
          exitCodes: Array.from({ length: 3 * roles.length }, () => 0),
          sessions: [200],
          signIns: ['signed in'],
        });
        expect(report.ci.uploads).toBeGreaterThan(0);
        // The old secrets are not valid any more.
        expect(await me({ cookie })).toBe(401);
        const [, id = ''] = /^connect\.sid=([\w-]{43})/.exec(decodeURIComponent(cookie)) ?? [];
        const signed = new Signer(cookieOptions(sessionSecret).secret as Buffer).sign(id);
        expect(await me({ cookie: `connect.sid=${encodeURIComponent(signed)}` })).toBe(200);
      } finally {
        await Promise.all(services.map((service) => service.kill()));
        await host.outbox.stop();
        await proxy.stop();
        await host.github.stop();
        await server.remove();
        await rm(folder, { recursive: true });
      }
    },
  );
});

/** Waits until the doctor says that the key can be removed. */
async function untilKeyIsNotNeeded(kid: string, variables: Readonly<Record<string, string>>): Promise<void> {
  const deadline = Date.now() + 2 * PATIENCE_MS;
  for (;;) {
    const { stdout } = await runCommand('doctor', [], variables);
    if (stdout.includes(`${kid} is no longer needed and can be removed from ENCRYPTION_KEYS`)) return;
    if (Date.now() > deadline) throw new Error(`The key is still needed:\n${stdout}`);
    await sleep(1_000);
  }
}
