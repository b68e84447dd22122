import { expect, it } from '@jest/globals';
import { Signer } from '@fastify/cookie';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { changeDatabaseUrl } from '../../src/config/database-url.js';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import { cookieOptions } from '../../src/http/request-hooks.js';
import { BuiltService, ENCRYPTION_KEY, SESSION_SECRET } from '../contract/built-service.js';
import { givenSession } from '../contract/given-session.js';
import { CiStream } from '../faults/ci-stream.js';
import { DeliveryLedger } from '../faults/delivery-ledger.js';
import { givenReleases } from '../faults/open-release.js';
import { performRandomActions } from '../faults/random-actions.js';
import { ReadinessProxy } from '../faults/readiness-proxy.js';
import { environmentOf, startGitHub } from '../faults/start-github.js';
import { runCommand } from '../support/command-process.js';
import { freePort } from '../support/free-port.js';
import { describeWith } from './installed.js';
import { PostgresServer, serverPrograms } from './postgres-server.js';

const PASSWORD = 'of-the-second-role';
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

describeWith({ postgresql: serverPrograms() })('the secrets of a service under load', () => {
  it('are changed with the steps of the guide without a failed request', async () => {
    const [server, port] = [await PostgresServer.start(), await freePort()];
    const webPorts = [await freePort(), await freePort()];
    const host = await startGitHub(port);
    const proxy = await ReadinessProxy.start(port, webPorts);
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
    const asSuperuser = (sql: string): Promise<unknown> =>
      withDedicatedClient(server.superuserUrl, (client) => client.query(sql));
    const command = async (name: string): Promise<string> => {
      const { status, stdout, stderr } = await runCommand(name, [], variables);
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      return stdout;
    };

    try {
      const { runtimeUrl, migrationUrl } = await server.makeDatabase();
      const [oldKey, newKey] = [keyPair(ENCRYPTION_KEY.kid, ENCRYPTION_KEY.key), keyPair('next', randomBytes(32))];
      await restartAll({
        ...environmentOf(host, { appUrl: runtimeUrl, ownerUrl: migrationUrl }, port),
        SESSION_SECRET,
        ENCRYPTION_KEYS: oldKey,
        SHUTDOWN_DELAY: DELAY,
      });
      const url = `http://127.0.0.1:${port}`;
      const ci = await givenReleases(host, url, server.superuserUrl);
      const cookie = await givenSession(server, 'member');
      const me = async (headers: Readonly<Record<string, string>>): Promise<number> =>
        (await fetch(`${url}/api/auth/me`, { headers })).status;
      proxy.failed.length = 0;
      const stream = new CiStream(ci);
      const stopActions = repeat(3_000, (round) => performRandomActions(host, round));
      const stopSession = repeat(50, () => me({ cookie }));

      const oldWebhookSecret = host.app.webhookSecret;
      const [webhookSecret, sessionSecret] = [newSecret(), newSecret()];
      await asSuperuser(secondRoleSql());
      await restartAll({
        GITHUB_WEBHOOK_SECRET_ALSO_VALID: webhookSecret,
        SESSION_SECRET_ALSO_VALID: sessionSecret,
        ENCRYPTION_KEYS: `${oldKey},${newKey}`,
        GITHUB_APP_PRIVATE_KEY: host.app.generatePrivateKey(),
        DATABASE_URL: changeDatabaseUrl(runtimeUrl, (changed) => {
          changed.username = 'shipgate_app_2';
          changed.password = PASSWORD;
        }),
      });
      host.app.webhookSecret = webhookSecret;
      host.app.publicKeys.shift();
      await asSuperuser(`alter role shipgate_app password '${newSecret()}'`);
      await restartAll({
        GITHUB_WEBHOOK_SECRET: webhookSecret,
        GITHUB_WEBHOOK_SECRET_ALSO_VALID: oldWebhookSecret,
        SESSION_SECRET: sessionSecret,
        SESSION_SECRET_ALSO_VALID: SESSION_SECRET,
        ENCRYPTION_KEYS: `${newKey},${oldKey}`,
      });
      expect(await command('change-encryption-key')).toMatch(/^[1-9]\d* secrets were encrypted with the key next\./);
      expect(await command('replace-signing-key')).toMatch(/ is retired\. .* is in use\.$/m);
      const answers = await stopSession();
      // The tokens of repositories are encrypted with the old key for an hour, so it stays.
      await restartAll({ GITHUB_WEBHOOK_SECRET_ALSO_VALID: '', SESSION_SECRET_ALSO_VALID: '' });

      await sleep(2_000);
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
      };
      process.stdout.write(
        `${JSON.stringify({ ...report, acknowledged: acknowledged.size, passed: proxy.passed, sessionRequests: answers.length })}\n`,
      );
      expect(report).toMatchObject({
        ci: { putOff: 0, wrong: [], uploadsLost: 0, uploadsDoubled: 0 },
        lost: [],
        failed: [],
        exitCodes: Array.from({ length: 3 * roles.length }, () => 0),
        sessions: [200],
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
    }
  });
});
