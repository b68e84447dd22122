import { randomBytes } from 'node:crypto';
import { createReadStream, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createArchiveKeys } from '../../src/cli/backup/archive-encryption.js';
import { findLackingSecrets } from '../../src/cli/backup/archive-format.js';
import { archiveLocation } from '../../src/cli/backup/archive-location.js';
import { checkArchive, restoreArchive } from '../../src/cli/backup/restore-archive.js';
import { readTrustedKeys, verifyPack } from '../../src/client/verify-pack/verify-pack.js';
import { sha256, hashSecret } from '../../src/crypto/digests.js';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import { DatabaseDump } from '../../src/database/dump/database-dump.js';
import { listTables } from '../../src/database/dump/table-list.js';
import { JOB_TABLE } from '../../src/database/job-tables.js';
import { databaseUrl } from '../../src/database/roles.js';
import { replay, type StoredInputs } from '../../src/domain/release/replay.js';
import { ObjectStore } from '../../src/features/evidence/storage/s3-report-store.js';
import { createLogger } from '../../src/observability/logger.js';
import { BuiltService, ENCRYPTION_KEY, SESSION_SECRET } from '../contract/built-service.js';
import { type CommandResult, runCommand } from '../support/command-process.js';
import { readTestEnvironment } from '../support/read-test-environment.js';
import { S3TestServer } from '../support/s3-test-server.js';
import { TestEnvironment } from '../support/test-environment.js';
import { testServer } from '../support/test-server.js';
import { type UserSession, signIn } from '../support/user-session.js';
import { RepositoryScenario } from './scenarios/repository-scenario.js';
import { requestGate } from './scenarios/service-requests.js';

const VERSION = 'v1.0.0';
const PATIENCE_MS = 600_000;
const SECRETS = {
  SESSION_SECRET,
  ENCRYPTION_KEYS: `${ENCRYPTION_KEY.kid}:${ENCRYPTION_KEY.key.toString('base64')}`,
};
/** Tables in which a restore changes values, so that every gate is closed and every job can run. */
const CHANGED = ['public.release', 'public.observation', 'public.member', JOB_TABLE];
/** Tables whose rows a restore replaces, for the same reasons. */
const REPLACED = ['public.fact_hint', 'public.scheduled_job'];

let env: TestEnvironment;
let store: S3TestServer;
let folder: string;
let scenario: RepositoryScenario;
let admin: UserSession;
let key: string;
let releaseId: string;
let archive: string;
/** The rows and the sequences at the time of the backup. */
let source: ReadonlyMap<string, readonly string[]>;
let sequences: readonly object[];
const objects = new ObjectStore(createLogger('silent'));
const databases: string[] = [];

/**
 * Returns a copy of a gzip file with one changed byte, at the index or soon after. Gzip can state the same content in
 * several ways (a repetition may refer to any of its equal places), so a byte is passed over if its change alters no content.
 */
function withOtherContent(file: Buffer, index: number): Buffer {
  const content = gunzipSync(file);
  for (let at = index; at < file.length; at += 1) {
    const changed = Buffer.from(file);
    changed[at]! ^= 4;
    try {
      if (gunzipSync(changed).equals(content)) continue;
    } catch {
      // The file cannot be read any more.
    }
    return changed;
  }
  throw new Error('no byte changes the content');
}

/** The URL of a database that does not exist yet, as a superuser. */
function absentDatabase(): string {
  const name = `test_restored_${randomBytes(6).toString('hex')}`;
  databases.push(name);
  return databaseUrl(testServer().superuserUrl, name);
}

const inFolder = (name: string): string => join(folder, name);

const backUp = (...args: readonly string[]): Promise<CommandResult> =>
  runCommand('backup', args, {
    ...aws(),
    ...SECRETS,
    ...appVariables(),
    DATABASE_URL: env.databaseUrls.appUrl,
    DATABASE_MIGRATION_URL: env.databaseUrls.ownerUrl,
    STORAGE_URL: store.storageUrl(),
  });

const restore = (
  url: string,
  args: readonly string[],
  variables: Record<string, string> = {},
): Promise<CommandResult> =>
  runCommand('restore', args, { ...aws(), ...SECRETS, ...appVariables(), DATABASE_URL: url, ...variables });

const aws = (): Record<string, string> => ({ AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' });

const appVariables = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env.variables).filter(([name]) => name.startsWith('GITHUB_') || name === 'OIDC_ISSUER'),
  );

beforeAll(async () => {
  BuiltService.build();
  folder = mkdtempSync(join(tmpdir(), 'shipgate-backup-'));
  store = await S3TestServer.start();
  env = await TestEnvironment.start({ STORAGE_URL: store.storageUrl(), BILLING: 'off' });
  await env.install();
  await env.install(env.github.createOrganization({ login: 'globex' }));
  scenario = new RepositoryScenario(env, { name: 'payments', private: false });
  await scenario.approved(VERSION);
  admin = await signIn(env, env.github.createUser({ login: 'ada' }), { role: 'admin' });
  key = await env.key();
  const [release] = await env.asSuperuser<{ id: string }>('select id from release');
  releaseId = release?.id ?? '';
  await env.waitUntilIdle();
  source = await readTables(env.databaseUrls.superuserUrl);
  sequences = await readSequences(env.databaseUrls.superuserUrl);
  archive = inFolder('whole.tar.gz');
  const { status, stdout, stderr } = await backUp('--to', archive);
  expect([stderr, status]).toEqual(['', 0]);
  expect(stdout).toMatch(/has \d+ rows and 1 report files from outside the database\.\nIt is not encrypted\./);
}, PATIENCE_MS);
afterAll(async () => {
  await env.stop();
  await store.goDown();
  await store.clear();
  rmSync(folder, { recursive: true });
  await withDedicatedClient(databaseUrl(testServer().superuserUrl, 'postgres'), async (client) => {
    for (const name of databases) await client.query(`drop database if exists ${name} with (force)`);
  });
});

/** Reads all rows of each table in a backup, without the columns that are computed from others. */
async function readTables(url: string): Promise<ReadonlyMap<string, readonly string[]>> {
  return withDedicatedClient(url, async (client) => {
    const tables = new Map<string, readonly string[]>();
    for (const { name } of await listTables(client)) {
      const { rows } = await client.query<{ row: string }>(`select t::text as row from ${name} t order by 1`);
      tables.set(
        name,
        rows.map(({ row }) => row),
      );
    }
    return tables;
  });
}

/** Without the number of the next fact, because a restore uses numbers for its own hints. */
async function readSequences(url: string): Promise<readonly object[]> {
  return withDedicatedClient(url, async (client) => {
    const { rows } = await client.query<object>(
      `select schemaname, sequencename, coalesce(last_value, 0) as last from pg_sequences
       where schemaname in ('public', 'graphile_worker') and sequencename <> 'fact_number'
         and not starts_with(sequencename, 'schema_migration') order by 1, 2`,
    );
    return rows;
  });
}

/** What could open a gate by values of the past, and what could let a user in or hold the first sync back. */
async function readClosure(url: string): Promise<object | undefined> {
  return withDedicatedClient(url, async (client) => {
    const { rows } = await client.query<object>(
      `select (select count(*)::int from release where open_until > now() and valid_until > now()) as open,
         (select count(*)::int from observation where observed_at > 'epoch') as fresh,
         (select count(*)::int from member where confirmed_at > 'epoch' or access_observed_at is not null) as members,
         (select count(*)::int from session) as sessions,
         (select count(*)::int from scheduled_job where due_at + interval '15 minutes' > now()) as schedules`,
    );
    return rows[0];
  });
}

const CLOSED = { open: 0, fresh: 0, members: 0, sessions: 0, schedules: 0 };

describe('a restore into another database', () => {
  let url: string;
  let service: BuiltService;
  let heads: readonly string[];

  beforeAll(async () => {
    const before = await runCommand('verify-audit', [], { ...SECRETS, DATABASE_URL: env.databaseUrls.appUrl });
    heads = before.stdout.match(/[0-9a-f-]{36}=\d+:[0-9a-f]{64}/g) ?? [];
    expect(heads).toHaveLength(2);
    url = absentDatabase();
    const { status, stdout, stderr } = await restore(url, ['--from', archive], {
      STORAGE_URL: store.storageUrl('moved'),
    });
    expect([stderr, status]).toEqual(['', 0]);
    expect(stdout).toContain('with 2 workspaces');
  }, PATIENCE_MS);
  afterAll(() => service?.stop());

  it('contains every row with the same values, except those that keep a gate closed', async () => {
    const restored = await readTables(url);
    expect([...restored.keys()]).toEqual([...source.keys()]);
    for (const [name, rows] of source) {
      if (name === 'public.report_content') {
        expect(restored.get(name)).toEqual(rows.map((row) => row.replace('/kept/', '/moved/')));
      } else if (CHANGED.includes(name)) expect([name, restored.get(name)?.length]).toEqual([name, rows.length]);
      else if (!REPLACED.includes(name)) expect([name, restored.get(name)]).toEqual([name, rows]);
    }
    expect(source.get('public.decision')?.length).toBeGreaterThan(2);
    expect(source.get('public.audit_entry')?.length).toBeGreaterThan(0);
  });

  it('continues every sequence', async () => {
    expect(await readSequences(url)).toEqual(sequences);
  });

  it('has an intact audit log with the heads of the original', async () => {
    const expected = heads.flatMap((head) => ['--expect', head]);
    const { status, stdout } = await runCommand('verify-audit', expected, { ...SECRETS, DATABASE_URL: url });
    expect([status, stdout.match(/intact/g)?.length]).toEqual([0, 2]);
  });

  it('has decisions that can be replayed with the same result', async () => {
    const differing = await withDedicatedClient(url, async (client) => {
      const { rows } = await client.query<{ verdict: object; inputs: StoredInputs }>(
        'select verdict, inputs from decision',
      );
      expect(rows.length).toBeGreaterThan(2);
      return rows.flatMap(({ verdict, inputs }) => replay(inputs, verdict, sha256).differences);
    });
    expect(differing).toEqual([]);
  });

  it('has the row-level security and the triggers of the original', async () => {
    const state = (of: string): Promise<readonly object[]> =>
      withDedicatedClient(of, async (client) => {
        const { rows } = await client.query<object>(
          `select relname, relrowsecurity, relforcerowsecurity,
             array(select tgname::text || tgenabled::text from pg_trigger where tgrelid = c.oid and not tgisinternal order by 1) as triggers
           from pg_class c where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1`,
        );
        return rows;
      });
    expect(await state(url)).toEqual(await state(env.databaseUrls.superuserUrl));
  });

  it(
    'keeps every gate closed until a service has read the facts again',
    async () => {
      expect(await readClosure(url)).toEqual(CLOSED);
      expect((await requestGate(env, key, { repo: 'payments', version: VERSION })).body).toMatchObject({
        can_deploy: true,
      });

      service = await BuiltService.start({
        ...appVariables(),
        ...aws(),
        ROLE: 'all',
        BILLING: 'off',
        DATABASE_URL: url,
        BASE_URL: env.baseUrl,
        STORAGE_URL: store.storageUrl('moved'),
      });
      const requestRestored = async (): Promise<unknown> => {
        const response = await fetch(`${service.url}/api/milestones/check?repo=payments&version=${VERSION}`, {
          headers: { authorization: `Bearer ${key}` },
        });
        return response.json();
      };
      // A gate request for stale facts makes the service read them.
      for (
        let answer = await requestRestored();
        !JSON.stringify(answer).includes('"can_deploy":true');
        answer = await requestRestored()
      ) {
        await sleep(200);
      }
    },
    PATIENCE_MS,
  );

  it('serves an intact audit pack with the report files', async () => {
    const session = randomBytes(32).toString('base64url');
    await withDedicatedClient(url, (client) =>
      client.query('select create_session($1, $2, org_id, now()) from organization where login = $3', [
        hashSecret(session),
        admin.user.id,
        'acme',
      ]),
    );
    const cookie = `connect.sid=${encodeURIComponent(env.app.getHttpAdapter().getInstance().signCookie(session))}`;
    const pack = await fetch(`${service.url}/api/milestones/${releaseId}/audit-pack`, { headers: { cookie } });
    expect(pack.status).toBe(200);
    writeFileSync(inFolder('pack.zip'), Buffer.from(await pack.arrayBuffer()));
    const keys = await (await fetch(`${service.url}/.well-known/shipgate-keys.json`)).text();
    const lines: string[] = [];
    const isIntact =
      (await verifyPack(inFolder('pack.zip'), readTrustedKeys(keys), (line) => lines.push(line))) === 'intact';
    expect([isIntact, lines.join('\n')]).toEqual([true, expect.stringContaining('1 reports are in the pack')]);
  });
});

describe('a restore', () => {
  it(
    'leaves the database empty if the backup ends early, and can be repeated, once',
    async () => {
      const url = absentDatabase();
      writeFileSync(inFolder('half.tar.gz'), readFileSync(archive).subarray(0, -2_000));
      const half = await restore(url, ['--from', inFolder('half.tar.gz')]);
      expect([half.status, half.stderr]).toEqual([1, expect.stringContaining('The backup is damaged or ends early')]);

      // Without a bucket the report files move into the database.
      expect(await restore(url, ['--from', archive])).toMatchObject({ status: 0, stderr: '' });
      const { rows } = await withDedicatedClient(url, (client) =>
        client.query<{ digest: string; sha256: string; location: string | null }>(
          `select encode(sha256(bytes), 'hex') as digest, sha256, location from report_content`,
        ),
      );
      expect(rows).toEqual([{ digest: rows[0]?.sha256, sha256: rows[0]?.sha256, location: null }]);

      const second = await restore(url, ['--from', archive]);
      expect([second.status, second.stderr]).toEqual([1, expect.stringContaining('public.organization has rows')]);
    },
    PATIENCE_MS,
  );

  it(
    'is followed by the command that closes the gates of a recovered database',
    async () => {
      const url = absentDatabase();
      expect(await restore(url, ['--from', archive])).toMatchObject({ status: 0, stderr: '' });
      // As in a database that was recovered with its last facts, sessions and schedules.
      await withDedicatedClient(url, (client) =>
        client.query(`
          update observation set observed_at = now();
          update member set confirmed_at = now(), access_observed_at = now();
          update release set valid_until = now() + interval '1 hour', open_until = now() + interval '1 hour';
          insert into scheduled_job values ('sync-all-installations', now());
          select create_session('abc', ${admin.user.id}, null, now());`),
      );
      expect(await readClosure(url)).toEqual({
        open: 1,
        fresh: expect.any(Number),
        members: 1,
        sessions: 1,
        schedules: 1,
      });
      expect(await restore(url, ['--close-gates'])).toMatchObject({ status: 0, stderr: '' });
      expect(await readClosure(url)).toEqual(CLOSED);
    },
    PATIENCE_MS,
  );

  it(
    'moves into the embedded database and from there to another one',
    async () => {
      const embedded = { DATA_DIR: inFolder('data') };
      const into = await runCommand('restore', ['--from', archive], { ...SECRETS, ...appVariables(), ...embedded });
      expect([into.stderr, into.status]).toEqual(['', 0]);
      const again = inFolder('again.tar.gz');
      const from = await runCommand('backup', ['--to', again], { ...SECRETS, ...embedded });
      expect([from.stderr, from.status]).toEqual(['', 0]);
      const [one, other] = [await checkArchive(readable(archive), []), await checkArchive(readable(again), [])];
      for (const table of ['public.decision', 'public.audit_entry', 'public.evidence']) {
        expect([table, other.end.tables[table]]).toEqual([table, one.end.tables[table]]);
      }
    },
    PATIENCE_MS,
  );

  it(
    'is refused without the secrets of the time of the backup',
    async () => {
      const { header } = await checkArchive(readable(archive), []);
      const given = readTestEnvironment(env.variables);
      expect(findLackingSecrets(header, given)).toEqual([]);
      expect(findLackingSecrets(header, { ...given, app: null })).toEqual([
        `GITHUB_APP_* must be set to the credentials of the app ${env.githubApp.id}`,
      ]);
      const another = { ENCRYPTION_KEYS: `test:${randomBytes(32).toString('base64')}` };
      const { status, stderr } = await restore(absentDatabase(), ['--from', archive], another);
      expect([status, stderr]).toEqual([
        1,
        expect.stringContaining('ENCRYPTION_KEYS must contain the key test of the time of the backup'),
      ]);
    },
    PATIENCE_MS,
  );

  it(
    'is refused for a user that is not the owner',
    async () => {
      const { status, stderr } = await restore(env.databaseUrls.appUrl, ['--from', archive]);
      expect([status, stderr]).toEqual([
        1,
        expect.stringContaining('shipgate_app, of DATABASE_MIGRATION_URL, is no member'),
      ]);
    },
    PATIENCE_MS,
  );
});

const readable = (file: string): Readable => createReadStream(file);

describe('an archive', () => {
  it('is damaged or incomplete wherever it is cut, and wherever a byte is changed', async () => {
    const whole = readFileSync(archive);
    for (let part = 0; part < 20; part += 1) {
      const cut = whole.subarray(0, Math.floor((whole.length * part) / 20));
      await expect(checkArchive(Readable.from([cut]), [])).rejects.toThrow(/^The (backup|file) is /);
      // The first ten bytes are the header of gzip, which has a time and the name of a system.
      const changed = withOtherContent(whole, 10 + Math.floor(((whole.length - 10) * part) / 20));
      await expect(checkArchive(Readable.from([changed]), [])).rejects.toThrow(/^The (backup|file) is /);
    }
    await expect(checkArchive(Readable.from([whole]), [])).resolves.toMatchObject({ header: { format: 1 } });
  });

  it(
    'that is encrypted is read with its key only, and not if it was cut or changed',
    async () => {
      const [{ identity, recipient }, other] = [await createArchiveKeys(), await createArchiveKeys()];
      const file = inFolder('encrypted.tar.gz.age');
      const { status, stdout } = await backUp('--to', file, '--recipient', recipient);
      expect([status, stdout]).toEqual([0, expect.not.stringContaining('not encrypted')]);
      await expect(checkArchive(readable(file), [identity])).resolves.toMatchObject({ header: { format: 1 } });
      await expect(checkArchive(readable(file), [])).rejects.toThrow('The backup is encrypted.');
      await expect(checkArchive(readable(file), [other.identity])).rejects.toThrow('was encrypted for another key');

      const whole = readFileSync(file);
      await expect(checkArchive(Readable.from([whole.subarray(0, -1)]), [identity])).rejects.toThrow(/ends early/);
      const changed = Buffer.from(whole);
      changed[whole.length - 40]! ^= 1;
      await expect(checkArchive(Readable.from([changed]), [identity])).rejects.toThrow(/is damaged/);
    },
    PATIENCE_MS,
  );

  it(
    'is stored in a bucket, read from there, and never replaced',
    async () => {
      const url = store.storageUrl('backups/whole.tar.gz');
      expect(await backUp('--to', url)).toMatchObject({ status: 0, stderr: '' });
      expect(await store.keys()).toContain('backups/whole.tar.gz');
      const place = archiveLocation(url, '');
      await expect(checkArchive(await place.read(), [])).resolves.toMatchObject({ header: { format: 1 } });
      await expect(place.write(Readable.from(['another']))).rejects.toThrow(`${url} exists already.`);
      expect(await backUp('--to', archive)).toMatchObject({
        status: 1,
        stderr: `${archive} exists already. Choose another name.\n`,
      });
    },
    PATIENCE_MS,
  );

  it('contains nothing of a transaction that ended after its snapshot', async () => {
    const count = async (dump: DatabaseDump): Promise<number> => {
      const { tables } = await dump.describe();
      const table = tables.find(({ name }) => name === 'public.rate_limit_window' || name === 'public.project');
      if (!table) throw new Error('there is no such table');
      let lines = 0;
      for await (const part of dump.read(table)) lines += part.toString().split('\n').length - 1;
      return lines;
    };
    const insert = `insert into project (org_id, id, name, lower_name, created_at, updated_at)
      select org_id, gen_random_uuid(), 'late', 'late', now(), now() from organization`;
    const { ownerUrl } = env.databaseUrls;
    const seen = await DatabaseDump.open(ownerUrl, null, async (dump) => {
      await env.asSuperuser(insert);
      return count(dump);
    });
    expect([seen, await DatabaseDump.open(ownerUrl, null, count)]).toEqual([0, 2]);
  });

  it(
    'of one workspace has its rows only, and cannot be restored',
    async () => {
      const file = inFolder('export.tar.gz');
      expect(await backUp('--to', file, '--workspace', 'ACME')).toMatchObject({ status: 0, stderr: '' });
      const { end, header } = await checkArchive(readable(file), []);
      expect([header.workspace, header.database.workspaces, end.tables['public.organization']?.rows]).toEqual([
        'ACME',
        ['acme'],
        1,
      ]);
      expect(Object.keys(end.tables)).not.toContain('public.user_account');
      const nowhere = { environment: readTestEnvironment(env.variables), url: 'postgres://127.0.0.1:1/none' };
      const restored = restoreArchive(readable(file), { ...nowhere, identities: [], objects, withoutSecrets: false });
      await expect(restored).rejects.toThrow('which cannot be restored');
    },
    PATIENCE_MS,
  );

  it(
    'names the report files that the bucket has lost',
    async () => {
      const lost = (await store.keys()).find((name) => name.startsWith('kept/')) ?? '';
      await store.lose(lost);
      const { status, stderr } = await backUp('--to', inFolder('lossy.tar.gz'));
      expect([status, stderr]).toEqual([1, expect.stringContaining(lost)]);
      await expect(checkArchive(readable(inFolder('lossy.tar.gz')), [])).resolves.toMatchObject({
        end: { missingFiles: [expect.stringContaining(lost)] },
      });
    },
    PATIENCE_MS,
  );

  it('is not created by the role of the service', async () => {
    const { status, stderr } = await runCommand('backup', ['--to', inFolder('none.tar.gz')], {
      ...SECRETS,
      DATABASE_URL: env.databaseUrls.appUrl,
    });
    expect([status, stderr]).toEqual([
      1,
      expect.stringContaining('shipgate_app is no member of shipgate_owner; set DATABASE_MIGRATION_URL'),
    ]);
  });
});
