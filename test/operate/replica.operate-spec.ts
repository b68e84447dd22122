import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkReplica } from '../../src/cli/doctor/database-server-check.js';
import { Database, NO_USER_ID, type TenantTransaction, type Viewer } from '../../src/database/database.js';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import { toOrgId } from '../../src/database/ids.js';
import { WorkspaceRows } from '../support/workspace-rows.js';
import { describeWith } from './installed.js';
import { PostgresServer, serverPrograms } from './postgres-server.js';

const viewerOf = (orgId: string): Viewer => ({ orgId: toOrgId(orgId), userId: NO_USER_ID });
const PATIENCE_MS = 60_000;

/** The server that answers, and the repositories that the viewer can see there. */
const readServer = async (
  tx: TenantTransaction,
): Promise<{ readonly isStandby: boolean; readonly names: readonly string[] }> => {
  const [server] = await tx.query<{ isStandby: boolean }>('select pg_is_in_recovery() as "isStandby"');
  const repositories = await tx.query<{ name: string }>('select name from repository order by name');
  return { isStandby: server?.isStandby ?? false, names: repositories.map(({ name }) => name) };
};

describeWith({ postgresql: serverPrograms() })('exports and whole lists with a replica', () => {
  let primary: PostgresServer;
  let standby: PostgresServer;
  let database: Database;
  let rows: WorkspaceRows;
  let viewer: Viewer;
  let replicaUrl: string;

  const onStandby = (sql: string): Promise<unknown> =>
    withDedicatedClient(standby.superuserUrl, (client) => client.query(sql));
  const untilProblem = async (expected: string | null): Promise<void> => {
    for (const deadline = Date.now() + PATIENCE_MS; database.replica?.problem !== expected; await sleep(50))
      if (Date.now() > deadline) throw new Error(`The replica has: ${database.replica?.problem ?? 'no problem'}`);
  };

  beforeAll(async () => {
    primary = await PostgresServer.start();
    const { runtimeUrl } = await primary.makeDatabase();
    standby = await PostgresServer.standbyOf(primary, 'replica');
    replicaUrl = runtimeUrl.replace(`:${primary.port}/`, `:${standby.port}/`);
    database = await Database.open({ url: runtimeUrl, replicaUrl, poolSize: 3 });
    const [acme, other] = [toOrgId(randomUUID()), toOrgId(randomUUID())];
    rows = await WorkspaceRows.of(database, acme, 'acme', 1);
    await rows.repository('open', { githubId: 10 });
    await rows.repository('hidden', { githubId: 11, isPrivate: true });
    await (await WorkspaceRows.of(database, other, 'other', 2)).repository('of-others', { githubId: 12 });
    viewer = viewerOf(acme);
    await untilProblem(null);
  });
  afterAll(async () => {
    await database?.close();
    await standby?.remove();
    await primary?.remove();
  });

  it('are read from the replica, as the viewer of one workspace, and write nothing', async () => {
    const reads = database.openLongRead(viewer);
    expect(await reads.read(readServer)).toEqual({ isStandby: true, names: ['open'] });
    expect(await reads.read((tx) => tx.query('select count(*)::int as all from organization'))).toEqual([{ all: 1 }]);
    await expect(reads.read((tx) => tx.query('delete from repository'))).rejects.toMatchObject({ code: '25006' });
    // Everything else is read from the primary.
    expect(await database.readOnlyAsViewer(viewer, readServer)).toMatchObject({ isStandby: false });
    expect(await database.asViewer(viewer, readServer)).toMatchObject({ isStandby: false });
    const environment = { databaseReplicaUrl: replicaUrl };
    expect(await checkReplica(database, environment)).toMatchObject([{ status: 'ok' }]);
  });

  it('are read from the primary while the replica is behind, and from the replica when it has caught up', async () => {
    await untilProblem(null);
    const begunBefore = database.openLongRead(viewer);
    expect(await begunBefore.read(readServer)).toMatchObject({ isStandby: true });
    await onStandby('select pg_wal_replay_pause()');
    await rows.repository('late', { githubId: 13 });
    await untilProblem('it is too far behind');
    expect(database.replica?.behindMs).toBeGreaterThan(10_000);
    expect(await begunBefore.read(readServer)).toEqual({ isStandby: false, names: ['late', 'open'] });
    await onStandby('select pg_wal_replay_resume()');
    await untilProblem(null);
    // This reader may have read rows that the replica does not have yet.
    expect(await begunBefore.read(readServer)).toMatchObject({ isStandby: false });
    expect(await database.openLongRead(viewer).read(readServer)).toEqual({ isStandby: true, names: ['late', 'open'] });
  });

  it('are read from the primary if the replica is away, also in the middle of a list', async () => {
    await untilProblem(null);
    const reads = database.openLongRead(viewer);
    expect(await reads.read(readServer)).toMatchObject({ isStandby: true });
    await standby.stop('immediate');
    expect(await reads.read(readServer)).toMatchObject({ isStandby: false, names: ['late', 'open'] });
    const [found] = await checkReplica(database, { databaseReplicaUrl: replicaUrl });
    expect(found).toMatchObject({ status: 'warn' });
    await standby.begin();
    await untilProblem(null);
  });

  it('are read from the primary if the replica was promoted, or has another role', async () => {
    const { superuserUrl } = standby;
    const asSuperuser = await checkReplica(database, { databaseReplicaUrl: superuserUrl });
    expect(asSuperuser).toMatchObject([
      { status: 'warn', message: expect.stringContaining('another database or role') },
    ]);
    await standby.promote();
    await untilProblem('it is no standby');
    expect(await database.openLongRead(viewer).read(readServer)).toMatchObject({ isStandby: false });
  });
});
