import { expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import { BuiltService, ENCRYPTION_KEY, SESSION_SECRET } from '../contract/built-service.js';
import { givenSession } from '../contract/given-session.js';
import { PLAIN_POLICY } from '../e2e/scenarios/repository-scenario.js';
import { CiClient } from '../faults/ci-client.js';
import { DeliveryLedger } from '../faults/delivery-ledger.js';
import { until } from '../faults/open-release.js';
import { performRandomActions } from '../faults/random-actions.js';
import { environmentOf, type Host, startGitHub } from '../faults/start-github.js';
import { freePort } from '../support/free-port.js';
import { describeWith } from './installed.js';
import { PostgresServer, runInShell, serverFolder, serverPrograms } from './postgres-server.js';

/** Approved before the moment, and still approved. */
const APPROVED = 'v100.0.0';
/** Approved before the moment. The review was dismissed after it. */
const WITHDRAWN = 'v200.0.0';
/** Approved after the moment. */
const APPROVED_LATER = 'v300.0.0';
/** Has a failed test, and gets the uploads of the stream. */
const UPLOADED = 'v400.0.0';
/** Created after the moment. */
const CREATED_LATER = 'v500.0.0';
const PATIENCE_MS = 60_000;

/** The settings and the commands of the guide, with other folders, another URL and another moment. */
function readGuide(replacements: Readonly<Record<string, string>>): readonly string[] {
  const [, section = ''] =
    /\n## Point-in-time recovery\n([^]*?)\n## /.exec(readFileSync('docs/guides/backup.md', 'utf8')) ?? [];
  return [...section.matchAll(/```(?:ini|sh)\n([^`]*)```/g)].map(([, block = '']) =>
    Object.entries(replacements).reduce((text, [example, value]) => text.replaceAll(example, value), block),
  );
}

/** Runs a command of the service's environment in the form for containers. Returns its exit code and its output. */
function runCommand(
  command: 'restore' | 'verify-audit',
  options: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<readonly [number | string, string]> {
  return new Promise((resolve) =>
    execFile(process.execPath, [`dist/src/cli/${command}.js`, ...options], { env }, (error, stdout, stderr) =>
      resolve([error?.code ?? 0, stdout + stderr]),
    ),
  );
}

/** The command and the options of a line `npm run admin -- …`. */
function parseLine(line: string): readonly ['restore' | 'verify-audit', readonly string[]] {
  const [, command, options = ''] = /^npm run admin -- (\S+) (.*?)(?: +#.*)?$/.exec(line) ?? [];
  return [command === 'verify-audit' ? command : 'restore', options.split(' ')];
}

interface Upload {
  readonly pipeline: string;
  readonly sentAt: number;
  acknowledgedAt: number | null;
}

/** Uploads one after the other until it is stopped. */
class UploadStream {
  readonly uploads: Upload[] = [];
  private isStopped = false;
  private readonly loop: Promise<void>;

  constructor(private readonly ci: CiClient) {
    this.loop = this.run();
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    await this.loop;
  }

  private async run(): Promise<void> {
    for (let number = 1; !this.isStopped; number += 1) {
      const upload: Upload = { pipeline: `stream-${number}`, sentAt: performance.now(), acknowledgedAt: null };
      this.uploads.push(upload);
      const { status } = await this.ci.upload(UPLOADED, upload.pipeline, { failed: 0 }, randomUUID());
      if (status === 201) upload.acknowledgedAt = performance.now();
      await sleep(10);
    }
  }
}

/** The deliveries that were first sent after the time, and acknowledged. */
function listLateDeliveries({ app, outbox, acknowledged }: Host, time: Date): readonly string[] {
  const attempts = outbox.list(app.id) as { readonly guid: string; readonly delivered_at: string }[];
  const early = new Set(attempts.filter((one) => new Date(one.delivered_at) <= time).map(({ guid }) => guid));
  return [...acknowledged()].filter((guid) => !early.has(guid));
}

/** Installs the app, and brings two releases to an open gate and another one to a missing approval. */
async function givenReleases(host: Host, url: string, superuserUrl: string): Promise<CiClient> {
  const { repository, organization } = host;
  const reviewer = host.github.createUser({ login: 'rita' });
  organization.addMember(reviewer);
  repository.setCollaborator(reviewer, 'write');
  repository.commit({ files: { 'sdlc.yaml': PLAIN_POLICY } });
  for (const title of [APPROVED, WITHDRAWN, APPROVED_LATER, UPLOADED]) repository.milestones.create({ title });
  host.github.installApp(host.app, organization);
  await host.outbox.waitUntilIdle();
  const ci = await until(async () => {
    const client = await CiClient.given(url, superuserUrl, repository.fullName);
    return (await client.gate(UPLOADED)).status === 200 && client;
  });
  for (const version of [APPROVED, WITHDRAWN, APPROVED_LATER, UPLOADED]) {
    const failed = version === UPLOADED ? 1 : 0;
    await until(async () => (await ci.upload(version, 'build', { failed }, version)).status < 300);
  }
  for (const version of [APPROVED, WITHDRAWN]) {
    await approve(host, version);
    await until(() => isOpen(ci, version));
  }
  await until(async () => findPull(host, APPROVED_LATER) !== undefined);
  return ci;
}

const findPull = ({ repository }: Host, version: string) =>
  repository.pulls.list().findLast(({ headRef }) => headRef === `shipgate/evidence/${version}`);

async function approve(host: Host, version: string): Promise<void> {
  const pull = await until(async () => findPull(host, version) ?? false);
  const by = [...host.repository.collaborators.values()].find(({ user }) => user.login === 'rita')!.user;
  host.repository.pulls.reviews.submit(pull, { by, state: 'APPROVED' });
}

const isOpen = async (ci: CiClient, version: string): Promise<boolean> =>
  (await ci.gate(version)).body['can_deploy'] === true;

const query = <T extends object>({ superuserUrl }: PostgresServer, sql: string): Promise<readonly T[]> =>
  withDedicatedClient(superuserUrl, async (client) => (await client.query<T>(sql)).rows);

describeWith({ postgresql: serverPrograms() })('a recovery to a moment with the commands of the guide', () => {
  it('has everything that was acknowledged before the moment, nothing after it, and opens no gate by old facts', async () => {
    const folder = serverFolder();
    const port = await freePort();
    const host = await startGitHub(port);
    const primary = await PostgresServer.start();
    let recovered: PostgresServer | null = null;
    let services: BuiltService[] = [];
    let stream: UploadStream | null = null;
    let actions = 0;
    const url = `http://127.0.0.1:${port}`;
    const values = { '/srv/': `${folder}/`, 'postgres://postgres:…@primary:5432/': primary.superuserUrl };
    const [archiving = '', backUp = ''] = readGuide(values);

    const startService = async (variables: Readonly<Record<string, string>>): Promise<void> => {
      services = [];
      for (const role of [{ ROLE: 'web', PORT: String(port) }, { ROLE: 'worker' }])
        services.push(await BuiltService.start({ ...variables, ...role }));
    };
    const runFor = async (seconds: number): Promise<void> => {
      for (let second = 0; second < seconds; second += 1) {
        performRandomActions(host, (actions += 1));
        await sleep(1_000);
      }
    };

    try {
      await runInShell(`mkdir ${folder}/archive`);
      primary.configure(archiving);
      await primary.restart();
      const roles = await primary.makeDatabase();
      const variables = {
        ...environmentOf(host, { appUrl: roles.runtimeUrl, ownerUrl: roles.migrationUrl }, port),
        SESSION_SECRET,
        ENCRYPTION_KEYS: `${ENCRYPTION_KEY.kid}:${ENCRYPTION_KEY.key.toString('base64')}`,
      };
      await startService(variables);
      const ci = await givenReleases(host, url, primary.superuserUrl);
      const cookie = await givenSession(primary, 'member');
      const uploading = new UploadStream(ci);
      stream = uploading;
      await runFor(3);
      await runInShell(backUp);
      await runFor(5);

      const [, before] = await runCommand('verify-audit', [], variables);
      const [head = ''] = /[0-9a-f-]{36}=\d+:[0-9a-f]{64}/.exec(before) ?? [before];
      const deliveries = host.acknowledged();
      const readAt = performance.now();
      const [{ moment } = { moment: '' }] = await query<{ moment: string }>(
        primary,
        'select clock_timestamp()::text as moment',
      );
      const readUntil = performance.now();
      const over = new Date();

      const withdrawn = findPull(host, WITHDRAWN)!;
      host.repository.pulls.reviews.dismiss(withdrawn.reviews[0]!);
      await approve(host, APPROVED_LATER);
      host.repository.milestones.create({ title: CREATED_LATER });
      await runFor(3);
      await until(() => isOpen(ci, APPROVED_LATER));
      await until(async () => !(await isOpen(ci, WITHDRAWN)));
      await uploading.stop();
      await host.outbox.waitUntilIdle();
      const lateDeliveries = listLateDeliveries(host, over);
      expect(await Promise.all(services.map((service) => service.stop()))).toEqual([0, 0]);
      await primary.stop('fast');

      const readRecovery = (data: string): readonly string[] =>
        readGuide({
          '/srv/recovered': data,
          '2026-05-04 12:00:00+00': moment,
          'WORKSPACE=NUMBER:HASH': head,
          ...values,
        });
      const [, , , settings = '', commands = ''] = readRecovery('');
      recovered = await PostgresServer.withDataOf(primary, settings, (data) =>
        runInShell(readRecovery(data)[2] ?? 'false'),
      );
      const server = recovered;
      await until(async () => (await query(server, 'select where not pg_is_in_recovery()')).length === 1);

      const move = (text: string): string => text.replace(`:${primary.port}/`, `:${server.port}/`);
      const moved = {
        ...variables,
        DATABASE_URL: move(roles.runtimeUrl),
        DATABASE_MIGRATION_URL: move(roles.migrationUrl),
      };
      // By their times the recovered facts would open the gate of the release whose approval was withdrawn.
      const listOpen = (): Promise<readonly object[]> =>
        query(server, 'select version from release where open_until > now() and valid_until > now() order by version');
      expect(await listOpen()).toEqual([{ version: APPROVED }, { version: WITHDRAWN }]);
      for (const line of commands.trim().split('\n')) {
        expect(await runCommand(...parseLine(line), moved)).toEqual([0, expect.stringMatching(/closed|intact/)]);
      }
      expect(await listOpen()).toEqual([]);

      const listOpenGates = async (): Promise<readonly string[]> => {
        const open: string[] = [];
        for (const version of [APPROVED, WITHDRAWN, APPROVED_LATER]) if (await isOpen(ci, version)) open.push(version);
        return open;
      };
      host.github.faults.next({ kind: '5xx', times: Number.POSITIVE_INFINITY });
      await startService(moved);
      for (let round = 0; round < 5; round += 1) {
        expect(await listOpenGates()).toEqual([]);
        await sleep(500);
      }
      expect((await ci.gate(APPROVED, { explain: true })).body['reasons']).toEqual([
        expect.objectContaining({ code: 'facts_stale' }),
      ]);
      host.github.faults.clear();
      const answersAt = performance.now();
      let open = await listOpenGates();
      for (
        const deadline = Date.now() + PATIENCE_MS;
        open.length < 2 && Date.now() < deadline;
        open = await listOpenGates()
      ) {
        expect(open).not.toContain(WITHDRAWN);
        await sleep(100);
      }
      const openAfterMs = Math.round(performance.now() - answersAt);
      expect(open).toEqual([APPROVED, APPROVED_LATER]);

      // The sync finds a release whose delivery the lost server had processed, without a request for it.
      await until(
        async () => (await query(server, `select from release where version = '${CREATED_LATER}'`)).length === 1,
      );
      host.repository.milestones.create({ title: 'v600.0.0' });
      await until(async () => (await ci.upload('v600.0.0', 'build', { failed: 0 }, 'new')).status === 201);
      const ledger = new DeliveryLedger(server.superuserUrl);
      const lost = await ledger.listLost(deliveries, PATIENCE_MS);
      const list = async (sql: string): Promise<ReadonlySet<string>> =>
        new Set((await query<{ name: string }>(server, sql)).map(({ name }) => name));
      const stored = await list('select pipeline as name from evidence');
      const received = await list('select guid as name from webhook_delivery');
      const due = uploading.uploads.filter(({ acknowledgedAt }) => acknowledgedAt !== null && acknowledgedAt < readAt);
      const late = uploading.uploads.filter(({ sentAt }) => sentAt > readUntil);
      const report = {
        lost,
        doubled: await ledger.countDoubled(),
        uploadsLost: due.filter(({ pipeline }) => !stored.has(pipeline)),
        uploadsOfLater: late.filter(({ pipeline }) => stored.has(pipeline)),
        deliveriesOfLater: lateDeliveries.filter((guid) => received.has(guid)),
        open: await listOpenGates(),
        session: (await fetch(`${url}/api/auth/me`, { headers: { cookie } })).status,
      };
      const counts = {
        uploads: due.length,
        lateUploads: late.length,
        deliveries: deliveries.size,
        lateDeliveries: lateDeliveries.length,
        openAfterMs,
      };
      process.stdout.write(`${JSON.stringify({ ...report, ...counts })}\n`);
      expect(report).toEqual({
        lost: [],
        doubled: 0,
        uploadsLost: [],
        uploadsOfLater: [],
        deliveriesOfLater: [],
        open: [APPROVED, APPROVED_LATER],
        session: 401,
      });
      expect(Math.min(due.length, late.length, deliveries.size, lateDeliveries.length)).toBeGreaterThan(0);
      // The new server continues the archive.
      expect(readdirSync(`${folder}/archive`)).toContain('00000002.history');
    } finally {
      await stream?.stop().catch(() => undefined);
      await Promise.all(services.map((service) => service.kill()));
      await host.outbox.stop();
      await host.github.stop();
      await recovered?.remove();
      await primary.remove();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
