import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { startEmbeddedPostgres, type EmbeddedPostgres } from './embedded-postgres.js';
import { EmbeddedPostgresError } from '../database-setup.error.js';
import { isAlive, canAccess } from './os-processes.js';
import { findPostmaster } from './postmaster.js';

const asRoot = process.getuid?.() === 0;
const itAsRoot = asRoot ? it : it.skip;
const unprivileged = { uid: 65534, gid: 65534 };
const itAsUnprivileged = asRoot && canAccess(unprivileged, process.cwd()) ? it : it.skip;
const source = JSON.stringify(join(process.cwd(), 'src/database/embedded/embedded-postgres.ts'));
const runSource = ['--import', join(process.cwd(), 'test/support/typescript.mjs'), '--input-type=module', '--eval'];

describe('the embedded Postgres', () => {
  let base: string;
  let folder: string;
  const running: EmbeddedPostgres[] = [];
  const children: ChildProcess[] = [];

  beforeEach(() => {
    base = mkdtempSync(join(tmpdir(), 'shipgate-embedded-'));
    chmodSync(base, 0o755);
    folder = base;
  });
  afterEach(async () => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    await Promise.all(running.splice(0).map((server) => server.stop()));
    // A server whose processes were all killed still runs. Registering and unregistering stops it.
    if (existsSync(dataFolder())) await (await startEmbeddedPostgres({ folder, durable: false })).stop();
    rmSync(base, { recursive: true, force: true });
  });

  const dataFolder = (): string => join(folder, 'postgres', 'data');
  const start = async (): Promise<EmbeddedPostgres> => {
    const server = await startEmbeddedPostgres({ folder, durable: false });
    running.push(server);
    return server;
  };
  const run = async (url: string, sql: string): Promise<unknown[]> => {
    const client = new Client(url);
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(sql)).rows;
    } finally {
      await client.end();
    }
  };
  /** Starts the server in a process of its own, which runs until its input ends. */
  const startInChild = async (
    account: { uid?: number; gid?: number } = {},
  ): Promise<{ child: ChildProcess; superuserUrl: string; adopted: boolean }> => {
    const script = `
      import { startEmbeddedPostgres } from ${source};
      const server = await startEmbeddedPostgres({ folder: ${JSON.stringify(folder)}, durable: false });
      console.log(JSON.stringify({ superuserUrl: server.superuserUrl, adopted: server.adopted }));
      process.stdin.resume().once('end', () => server.stop());`;
    const child = spawn(process.execPath, [...runSource, script], {
      ...account,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    children.push(child);
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
    return { child, ...(JSON.parse(line) as { superuserUrl: string; adopted: boolean }) };
  };
  const killed = async (child: ChildProcess): Promise<void> => {
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  };

  it('starts, retains data across a restart, and leaves no process behind', async () => {
    const first = await startEmbeddedPostgres({ folder });
    await run(first.superuserUrl, 'create table kept (n int); insert into kept values (7)');
    const pid = findPostmaster(dataFolder())?.pid ?? 0;
    await first.stop();
    expect(isAlive(pid)).toBe(false);
    expect(findPostmaster(dataFolder())).toBeNull();

    const second = await start();
    expect(second.adopted).toBe(false);
    expect(await run(second.superuserUrl, 'select n from kept')).toEqual([{ n: 7 }]);
  });

  it('listens only on loopback, requires the password, and stores it in a private file', async () => {
    const { superuserUrl } = await start();
    const [settings] = await run(
      superuserUrl,
      `select current_setting('listen_addresses') as addresses, current_setting('unix_socket_directories') as sockets`,
    );
    expect(settings).toEqual({ addresses: '127.0.0.1', sockets: '' });
    const wrong = new URL(superuserUrl);
    wrong.password = 'wrong';
    await expect(run(wrong.href, 'select 1')).rejects.toMatchObject({ code: '28P01' });
    expect(readFileSync(join(folder, 'postgres', 'superuser.secret'), 'utf8')).toBe(new URL(superuserUrl).password);
  });

  it('survives a killed service and is adopted by the next one', async () => {
    const { child, superuserUrl } = await startInChild();
    await run(superuserUrl, 'create table kept (n int)');
    const orphan = findPostmaster(dataFolder());
    await killed(child);
    expect(isAlive(orphan?.pid ?? 0)).toBe(true);

    const next = await start();
    expect(next).toMatchObject({ adopted: true, superuserUrl });
    await next.stop();
    expect(isAlive(orphan?.pid ?? 0)).toBe(false);
  });

  it('shares one server between two processes, and the last one stops it', async () => {
    const first = await startInChild();
    const second = await start();
    expect(second).toMatchObject({ adopted: true, superuserUrl: first.superuserUrl });
    const pid = findPostmaster(dataFolder())?.pid ?? 0;

    const exit = once(first.child, 'exit');
    first.child.stdin?.end();
    await exit;
    expect(await run(second.superuserUrl, 'select 1 as one')).toEqual([{ one: 1 }]);
    await second.stop();
    expect(isAlive(pid)).toBe(false);
  });

  it('starts once when several processes start it together', async () => {
    const servers = await Promise.all([startInChild(), startInChild(), start()]);
    expect(new Set(servers.map((server) => server.superuserUrl)).size).toBe(1);
    expect(servers.filter((server) => !server.adopted)).toHaveLength(1);
    expect(readdirSync(folder)).toEqual(['postgres']);
  });

  it('starts after its server was killed', async () => {
    await start();
    const pid = findPostmaster(dataFolder())?.pid ?? 0;
    process.kill(pid, 'SIGKILL');
    while (isAlive(pid)) await sleep(10);
    expect(existsSync(join(dataFolder(), 'postmaster.pid'))).toBe(true);

    const next = await start();
    expect(next.adopted).toBe(false);
    expect(await run(next.superuserUrl, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it.each([
    ['this process', () => process.pid],
    ['a process that has ended', () => 2 ** 22 + 1],
    ['an ancestor of every process', () => 1],
  ])('starts if the pid file of its last server names %s', async (_, pid) => {
    const before = await startEmbeddedPostgres({ folder, durable: false });
    const content = readFileSync(join(dataFolder(), 'postmaster.pid'), 'utf8');
    await before.stop();
    writeFileSync(
      join(dataFolder(), 'postmaster.pid'),
      content.replace(/^\d+/, String(pid())).replace('stopping', 'ready   '),
    );

    const next = await start();
    expect(next.adopted).toBe(false);
    expect(await run(next.superuserUrl, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('starts again after a killed initialization, and removes its files', async () => {
    const script = `
      import { startEmbeddedPostgres } from ${source};
      await startEmbeddedPostgres({ folder: ${JSON.stringify(folder)}, durable: false });`;
    const child = spawn(process.execPath, [...runSource, script], { stdio: 'inherit' });
    const half = (): string | undefined => readdirSync(folder).find((name) => name.startsWith('initializing-'));
    while (half() === undefined || !existsSync(join(folder, half() ?? '', 'data', 'base'))) await sleep(5);
    await killed(child);
    expect(existsSync(dataFolder())).toBe(false);

    const { superuserUrl } = await start();
    expect(await run(superuserUrl, 'select 1 as one')).toEqual([{ one: 1 }]);
    expect(readdirSync(folder).filter((name) => existsSync(join(folder, name, 'data', 'PG_VERSION')))).toEqual([
      'postgres',
    ]);
  });

  it('does not pass the secrets of the service to a server that outlives it', async () => {
    process.env['SHIPGATE_SPEC_SECRET'] = 'secret';
    await start();
    delete process.env['SHIPGATE_SPEC_SECRET'];
    const environment = `/proc/${findPostmaster(dataFolder())?.pid ?? 0}/environ`;
    const serverEnvironment = existsSync(environment) ? readFileSync(environment, 'utf8') : 'LC_ALL=C';
    expect(serverEnvironment).toContain('LC_ALL=C');
    expect(serverEnvironment).not.toContain('SHIPGATE_SPEC_SECRET');
  });

  it('reports what to do if the folder cannot be created', async () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    const failure = startEmbeddedPostgres({ folder: join(file, 'data'), durable: false });
    await expect(failure).rejects.toThrow(EmbeddedPostgresError);
    await expect(failure).rejects.toThrow(/DATA_DIR \(.*file\/data\) cannot be made: ENOTDIR.*Set DATA_DIR/);
  });

  it('reports the end of the log if the server does not start', async () => {
    await (await startEmbeddedPostgres({ folder, durable: false })).stop();
    const settings = join(dataFolder(), 'postgresql.conf');
    const sound = readFileSync(settings, 'utf8');
    writeFileSync(settings, `${sound}\nno_such_setting = 1\n`);
    await expect(start()).rejects.toThrow(/does not start\. It said last:[^]*no_such_setting/);
    writeFileSync(settings, sound);
  });

  itAsRoot('runs for root in a new folder, which other users can only traverse', async () => {
    folder = join(folder, 'new');
    const { superuserUrl } = await start();
    const [row] = await run(superuserUrl, `select current_setting('data_directory') as data`);
    expect(row).toEqual({ data: dataFolder() });
    expect(statSync(folder).mode & 0o777).toBe(0o711);
  });

  itAsRoot('runs for root in a folder that only root can enter', async () => {
    chmodSync(folder, 0o700);
    folder = join(folder, 'inner');
    const { superuserUrl } = await start();
    const [row] = await run(superuserUrl, `select current_setting('data_directory') as data`);
    const { data } = row as { data: string };
    expect(data).toMatch(/^\/var\/lib\/shipgate\/postgres-\w+\/data$/);
    await running.pop()?.stop();
    rmSync(join(data, '..'), { recursive: true });
    rmSync(folder, { recursive: true });
  });

  itAsUnprivileged('reports to an unprivileged user that the folder is not writable', async () => {
    const script = `
      import { startEmbeddedPostgres } from ${source};
      await startEmbeddedPostgres({ folder: ${JSON.stringify(folder)} }).catch((error) => console.log(error.message));`;
    const child = spawn(process.execPath, [...runSource, script], unprivileged);
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    await once(child, 'close');
    expect(output).toMatch(/cannot be made in .*: EACCES.*Set DATA_DIR to a folder that this user may write to/);
  });

  itAsUnprivileged('runs for an unprivileged user as that user', async () => {
    chmodSync(folder, 0o777);
    const { child } = await startInChild(unprivileged);
    expect(readFileSync(`/proc/${findPostmaster(dataFolder())?.pid ?? 0}/status`, 'utf8')).toMatch(/^Uid:\t65534/m);
    const exit = once(child, 'exit');
    child.stdin?.end();
    await exit;
    expect(findPostmaster(dataFolder())).toBeNull();
    rmSync(folder, { recursive: true });
  });
});
