import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import { BuiltService } from '../contract/built-service.js';
import { type CiAnswer, CiClient } from '../faults/ci-client.js';
import { givenReleases, OPEN, until } from '../faults/open-release.js';
import { environmentOf, type Host, startGitHub } from '../faults/start-github.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { freePort } from '../support/free-port.js';
import { createBundle, createSigstoreInstance } from '../support/sigstore-instance.js';

const LOCK = 4_711;
const START_MS = 180_000;
const TEST_MS = 240_000;
/** The jobs of a killed process wait until another one takes them over. */
const PATIENCE_MS = 120_000;
/** The delays after which a process is killed during a stream of requests. */
const DELAYS_MS = [20, 60, 120, 250, 400];
const PARALLEL = 4;

/** A moment of a request: a row is about to be written to a table, or the transaction that wrote it is being committed. */
interface Moment {
  readonly table: string;
  readonly on?: 'insert' | 'update';
  readonly atCommit?: boolean;
}

let [folder, port, url] = ['', 0, ''];
let [database, host]: [TestDatabase | null, Host | null] = [null, null];
let service: BuiltService | null = null;
let ci: CiClient;
let bundle: (digest: string) => Promise<object>;
const start = async (): Promise<void> => {
  const variables = { ...environmentOf(host!, database!, port), PORT: String(port), TRUSTED_ROOTS: folder };
  service = await BuiltService.start(variables);
};

beforeAll(() => BuiltService.build(), 240_000);
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'shipgate-roots-'));
  const instance = await createSigstoreInstance('private');
  writeFileSync(path.join(folder, 'root.json'), JSON.stringify(instance.trustedRoot));
  database = await createTestDatabase();
  port = await freePort();
  url = `http://127.0.0.1:${port}`;
  host = await startGitHub(port);
  await start();
  await givenReleases(host, url, database.superuserUrl);
  const { repository } = host;
  ci = await CiClient.given(url, database.superuserUrl, repository.fullName, [
    'evidence:write',
    'gate:read',
    'deployment:write',
  ]);
  bundle = (digest) =>
    createBundle(instance, {
      digest,
      extensions: {
        13: repository.git.branchHead(repository.defaultBranch),
        15: String(repository.id),
        21: `https://github.com/${repository.fullName}/actions/runs/7000/attempts/1`,
      },
    });
}, START_MS);
afterAll(async () => {
  await service?.kill();
  await host?.outbox.stop();
  await host?.github.stop();
  await database?.drop();
  rmSync(folder, { recursive: true, force: true });
});

async function read<R extends object>(statement: string): Promise<readonly R[]> {
  return withDedicatedClient(database!.superuserUrl, async (client) => (await client.query<R>(statement)).rows);
}
const count = async (from: string): Promise<number> =>
  (await read<{ readonly count: number }>(`select count(*)::int as count from ${from}`))[0]?.count ?? -1;

const WAITING = `pg_locks where locktype = 'advisory' and objid = ${LOCK} and not granted
  and database = (select oid from pg_database where datname = current_database())`;

/** Kills the process, and waits until the database has rolled back or finished what it was doing. */
async function kill(): Promise<void> {
  await service?.kill();
  await until(
    async () => (await count(`pg_stat_activity where datname = current_database() and usename = 'shipgate_app'`)) === 0,
  );
}

/** Sends a request, and kills the process when the request is at this moment. */
async function killedAt(
  { table, on = 'insert', atCommit = false }: Moment,
  send: () => Promise<CiAnswer>,
): Promise<CiAnswer> {
  const holder = new Client({ connectionString: database!.superuserUrl });
  await holder.connect();
  try {
    await holder.query(`
      select pg_advisory_lock(${LOCK});
      create or replace function wait_for_kill() returns trigger language plpgsql as
        $$ begin perform pg_advisory_xact_lock_shared(${LOCK}); return new; end $$;
      create ${atCommit ? 'constraint trigger wait_for_kill after' : 'trigger wait_for_kill before'} ${on} on ${table}
        ${atCommit ? 'deferrable initially deferred' : ''} for each row execute function wait_for_kill()`);
    const answer = send();
    await until(async () => (await count(WAITING)) > 0);
    await service?.kill();
    await holder.query(`select pg_advisory_unlock(${LOCK})`);
    await kill();
    await holder.query(`drop trigger wait_for_kill on ${table}`);
    return await answer;
  } finally {
    await holder.end();
  }
}

const reportsOf = (deployment: string): string =>
  `deployment_report r join reported_deployment d on d.org_id = r.org_id and d.id = r.deployment_id
   where d.reported_id = '${deployment}'`;
/** Everything that a report can write. */
const countWritten = async (): Promise<readonly number[]> =>
  Promise.all([
    count('reported_deployment'),
    count('deployment_report'),
    count('deployment_record'),
    count(`audit_entry where action = 'deployment.reported'`),
    count(`audit_entry where action = 'artifact.stated'`),
    count('artifact'),
    count('artifact_bundle'),
  ]);

/** Expects that the request is stored by its repetition, and that a further one changes nothing. */
async function expectStoredOnce(send: () => Promise<CiAnswer>, repeated: number): Promise<CiAnswer> {
  const first = await send();
  expect([200, 201]).toContain(first.status);
  const before = await countWritten();
  const second = await send();
  expect(second.status).toBe(repeated);
  expect(await countWritten()).toEqual(before);
  return first;
}

describe('a report of a deployment', () => {
  const starts: readonly (readonly [string, Moment, number])[] = [
    ['before its deployment is stored', { table: 'reported_deployment' }, 0],
    ['before it is stored', { table: 'deployment_report' }, 0],
    ['before its audit entry is stored', { table: 'audit_entry' }, 0],
    ['while it is committed', { table: 'deployment_report', atCommit: true }, 1],
  ];
  it.each(starts)(
    'whose process is killed %s is stored once',
    async (_, moment, stored) => {
      const deployment = `start-${moment.table}-${String(moment.atCommit)}`;
      const send = (): Promise<CiAnswer> => ci.report(deployment, 'started', OPEN);
      expect((await killedAt(moment, send)).status).toBe(0);
      expect(await count(reportsOf(deployment))).toBe(stored);
      await start();
      const { body } = await expectStoredOnce(send, 201);
      expect(body['gate']).toMatchObject({ can_deploy: true });
      expect(await count(reportsOf(deployment))).toBe(1);
    },
    TEST_MS,
  );

  it(
    'that was answered is stored, whenever the process is killed',
    async () => {
      const acknowledged = new Set<string>();
      const all: string[] = [];
      for (const delay of DELAYS_MS) {
        const killing = new AbortController();
        const send = async (lane: number): Promise<void> => {
          for (let index = 0; !killing.signal.aborted; index += 1) {
            const deployment = `stream-${delay}-${lane}-${index}`;
            all.push(deployment);
            if ((await ci.report(deployment, 'failed', OPEN)).status === 201) acknowledged.add(deployment);
          }
        };
        const lanes = Array.from({ length: PARALLEL }, (__, lane) => send(lane));
        await until(() => Promise.resolve(acknowledged.size > 0));
        await sleep(delay);
        killing.abort();
        await kill();
        await Promise.all(lanes);
        await start();
      }
      const stored = `deployment_report r join reported_deployment d on d.org_id = r.org_id and d.id = r.deployment_id
        where d.reported_id like 'stream-%'`;
      const rows = await read<{ readonly id: string }>(`select d.reported_id as id from ${stored}`);
      const known = new Set(rows.map(({ id }) => id));
      expect([...acknowledged].filter((deployment) => !known.has(deployment))).toEqual([]);
      for (const deployment of all) expect((await ci.report(deployment, 'failed', OPEN)).status).toBe(201);
      expect(await count(stored)).toBe(all.length);
    },
    TEST_MS,
  );
});

describe('a statement of an artifact', () => {
  const moments: readonly (readonly [string, Moment, number])[] = [
    ['before it is stored', { table: 'artifact' }, 0],
    ['before its bundle is stored', { table: 'artifact_bundle' }, 0],
    ['before its audit entry is stored', { table: 'audit_entry' }, 0],
    ['while it is committed', { table: 'artifact', atCommit: true }, 1],
  ];
  it.each(moments)(
    'whose process is killed %s is stored once, and its bundle is verified',
    async (_, moment, stored) => {
      const name = `killed-${moment.table.replace('_', '-')}-${moment.atCommit === true ? 'commit' : 'write'}`;
      const digest = `sha256:${'a'.repeat(64)}`;
      const artifact = { name, digest, bundle: await bundle(digest) };
      const send = (): Promise<CiAnswer> => ci.state(OPEN, artifact);
      expect((await killedAt(moment, send)).status).toBe(0);
      const mine = `artifact where name = '${name}'`;
      expect(await count(mine)).toBe(stored);
      await start();
      await expectStoredOnce(send, 200);
      expect(await count(mine)).toBe(1);
      await untilVerified(name);
    },
    TEST_MS,
  );

  it(
    'that was answered is verified although the process is killed before the result is stored',
    async () => {
      const digest = `sha256:${'b'.repeat(64)}`;
      const artifact = { name: 'killed-in-job', digest, bundle: await bundle(digest) };
      const answer = await killedAt({ table: 'artifact_bundle', on: 'update' }, () => ci.state(OPEN, artifact));
      expect(answer.status).toBe(201);
      await start();
      await untilVerified(artifact.name);
    },
    TEST_MS,
  );
});

it(
  'a success whose process is killed before it is stored, and before the release is shipped, ships once',
  async () => {
    const deployment = 'ships';
    expect((await ci.report(deployment, 'started', OPEN)).body['gate']).toMatchObject({ can_deploy: true });
    const send = (): Promise<CiAnswer> => ci.report(deployment, 'succeeded', OPEN);
    const stored = `${reportsOf(deployment)} and r.status = 'succeeded'`;
    expect((await killedAt({ table: 'deployment_report' }, send)).status).toBe(0);
    expect(await count(stored)).toBe(0);
    await start();
    expect((await killedAt({ table: 'deployment_record' }, send)).status).toBe(0);
    expect([await count(stored), await count('deployment_record')]).toEqual([1, 0]);
    await start();
    // A job ships it, or the report that is repeated.
    await expectStoredOnce(send, 201);
    await until(async () => (await count('deployment_record')) > 0, PATIENCE_MS);
    expect(await read('select kind from deployment_record')).toEqual([{ kind: 'release' }]);
  },
  TEST_MS,
);

const untilVerified = (name: string): Promise<true> =>
  until(async () => {
    const [row] = await read<{ readonly status: string }>(
      `select b.status from artifact_bundle b join artifact a on a.id = b.artifact_id where a.name = '${name}'`,
    );
    return row?.status === 'verified';
  }, PATIENCE_MS);
