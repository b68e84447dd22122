import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { Connection } from 'pg';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.js';
import { Database, TenantTransaction } from './database.js';
import { withDedicatedClient } from './dedicated-client.js';
import { runWithFence } from './fence.js';
import { toOrgId, type OrgId } from './ids.js';

const org = (): OrgId => toOrgId(randomUUID());
let nextGithubId = 1;
const insert = (tx: TenantTransaction, login = 'acme'): Promise<object[]> =>
  tx.query('insert into organization (org_id, github_id, login, created_at) values ($1, $2, $3, now())', [
    tx.orgId,
    nextGithubId++,
    login,
  ]);
const logins = async (tx: TenantTransaction): Promise<string[]> =>
  (await tx.query<{ login: string }>('select login from organization')).map(({ login }) => login);

describe('the database', () => {
  let test: TestDatabase;
  let database: Database;

  beforeAll(async () => {
    test = await createTestDatabase();
    database = await Database.open({ url: test.appUrl, poolSize: 2 });
  });
  afterAll(async () => {
    await database.close();
    await test.drop();
  });

  const backends = async (): Promise<number[]> =>
    (await database.pool.query<{ pid: number }>('select pg_backend_pid() as pid')).rows.map(({ pid }) => pid);
  const terminate = (pid: number): Promise<unknown> =>
    withDedicatedClient(test.superuserUrl, (client) => client.query('select pg_terminate_backend($1, 5000)', [pid]));

  it('returns to each tenant only its own rows, and no rows without a tenant', async () => {
    const [first, second] = [org(), org()];
    await database.inTenant(first, (tx) => insert(tx, 'first'));
    await database.inTenant(second, (tx) => insert(tx, 'second'));
    expect(await database.inTenant(first, logins)).toEqual(['first']);
    expect(await database.inTenant(second, logins)).toEqual(['second']);
    for (let round = 0; round < 4; round += 1) {
      expect((await database.pool.query('select from organization')).rowCount).toBe(0);
    }
  });

  it('rejects a write to another tenant', async () => {
    const other = org();
    const written = database.inTenant(org(), (tx) =>
      tx.query(`insert into organization (org_id, github_id, login, created_at) values ($1, 0, 'acme', now())`, [
        other,
      ]),
    );
    await expect(written).rejects.toMatchObject({ code: '42501' });
  });

  it('saves nothing if the work rejects, and leaves the connection clean', async () => {
    const tenant = org();
    const failed = database.inTenant(tenant, async (tx) => {
      await insert(tx);
      throw new Error('stop');
    });
    await expect(failed).rejects.toThrow('stop');
    expect(await database.inTenant(tenant, logins)).toEqual([]);
    const { rows } = await database.pool.query(`select current_setting('app.org_id', true) as tenant`);
    expect(rows).toEqual([{ tenant: '' }]);
  });

  it('rejects if the commit of a failed transaction saved nothing', async () => {
    const tenant = org();
    const swallowed = database.inTenant(tenant, async (tx) => {
      await insert(tx);
      await tx.query('select 1/0').catch(() => undefined);
    });
    await expect(swallowed).rejects.toThrow('nothing of it was kept');
    expect(await database.inTenant(tenant, logins)).toEqual([]);
  });

  it('rejects an invalid tenant, and a transaction that it did not open', async () => {
    const forged = `${randomUUID()}', false); --` as OrgId;
    await expect(database.inTenant(forged, logins)).rejects.toThrow('A tenant id is a UUID');
    expect(
      () => new TenantTransaction(Symbol('forged') as never, org(), undefined as never, undefined as never),
    ).toThrow('Only Database.inTenant');
  });

  it('rejects statements after the transaction ended', async () => {
    let ended: TenantTransaction | undefined;
    await database.inTenant(org(), async (tx) => {
      ended = tx;
    });
    await expect(ended?.query('select 1')).rejects.toThrow('This transaction has ended.');
    await expect(ended?.queryPrepared('one', 'select 1', [])).rejects.toThrow('This transaction has ended.');
  });

  it('prepares a named statement once per connection, and answers with the tenant of each transaction', async () => {
    const read = (of: OrgId) =>
      database.inTenant(of, async (tx) => {
        const rows = await tx.queryPrepared<{ org_id: string }>('own_ids', 'select org_id from organization', []);
        const prepared = await tx.query(`select from pg_prepared_statements where name = 'own_ids'`);
        return { ids: rows.map(({ org_id: id }) => id), prepared: prepared.length };
      });
    const [one, other] = [org(), org()];
    for (const id of [one, other]) await database.inTenant(id, (tx) => insert(tx));
    for (const id of [one, other, one, other, one, other, one])
      expect(await read(id)).toEqual({ ids: [id], prepared: 1 });
  });

  it.each(['40001', '40P01'])('runs the work three times in all after %s', async (code) => {
    const tenant = org();
    let attempts = 0;
    const conflict = async (tx: TenantTransaction): Promise<void> => {
      attempts += 1;
      await insert(tx);
      await tx.query(`do $$ begin raise exception 'conflict' using errcode = '${code}'; end $$`);
    };
    await expect(database.inTenant(tenant, conflict)).rejects.toMatchObject({ code });
    expect(attempts).toBe(3);

    attempts = 0;
    await database.inTenant(tenant, async (tx) => {
      await (attempts === 0 ? conflict(tx) : insert(tx, 'again'));
    });
    expect(attempts).toBe(1);
    expect(await database.inTenant(tenant, logins)).toEqual(['again']);
  });

  it('runs the work once if it fails with another error', async () => {
    let attempts = 0;
    const failing = database.inTenant(org(), async (tx) => {
      attempts += 1;
      await tx.query('select 1/0');
    });
    await expect(failing).rejects.toMatchObject({ code: '22012' });
    expect(attempts).toBe(1);
  });

  describe('a connection', () => {
    let alone: Database;
    let roundTrips = 0;
    const warnings: string[] = [];
    beforeAll(async () => {
      alone = await Database.open({ url: test.appUrl, poolSize: 1 });
      const client = await alone.pool.connect();
      client.on('notice', ({ message }) => void warnings.push(message ?? ''));
      const connection: Connection = Reflect.get(client, 'connection');
      connection.on('readyForQuery', () => (roundTrips += 1));
      client.release();
      // Sends the statements that a connection needs only once.
      await alone.inTenant(org(), logins);
    });
    beforeEach(() => {
      roundTrips = 0;
    });
    afterAll(() => alone.close());
    const state = async (): Promise<unknown> =>
      (
        await alone.pool.query(
          `select coalesce(current_setting('app.org_id', true), '') as tenant, count(*)::int as seen from organization`,
        )
      ).rows;
    const CLEAN = [{ tenant: '', seen: 0 }];

    it('begins a transaction together with the first statement', async () => {
      const tenant = org();
      await alone.inTenant(tenant, (tx) => insert(tx, 'alone'));
      expect(roundTrips).toBe(2);
      roundTrips = 0;
      const answers = await alone.inTenant(tenant, (tx) =>
        Promise.all([logins(tx), tx.query('select $1::int as n', [1]), logins(tx)]),
      );
      expect(answers).toEqual([['alone'], [{ n: 1 }], ['alone']]);
      expect(roundTrips).toBe(4);
    });

    it('sends nothing for work without statements', async () => {
      expect(await alone.inTenant(org(), async () => 'thought')).toBe('thought');
      const refused = alone.inTenant(org(), async () => {
        throw new Error('not now');
      });
      await expect(refused).rejects.toThrow('not now');
      expect(warnings).toEqual([]);
    });

    it('saves nothing after a first statement that failed', async () => {
      const tenant = org();
      const later: unknown[] = [];
      const failed = alone.inTenant(tenant, async (tx) => {
        const first = tx.query('select 1/0');
        const second = insert(tx).catch((error: unknown) => later.push(error));
        await expect(first).rejects.toMatchObject({ code: '22012' });
        await second;
        await insert(tx).catch((error: unknown) => later.push(error));
      });
      await expect(failed).rejects.toThrow('nothing of it was kept');
      // in_failed_sql_transaction
      expect(later).toMatchObject([{ code: '25P02' }, { code: '25P02' }]);
      await expect(alone.inTenant(tenant, (tx) => tx.query('select nonsense'))).rejects.toMatchObject({
        code: '42703',
      });
      expect(await state()).toEqual(CLEAN);
      expect(await alone.inTenant(tenant, logins)).toEqual([]);
      expect(warnings).toEqual([]);
    });

    it('saves nothing if the begin failed', async () => {
      const refused = await Database.open({ url: test.appUrl, poolSize: 1 });
      await refused.inTenant(org(), logins);
      // As a connection pooler between service and database can do.
      await refused.pool.query('deallocate begin');
      const outcomes: unknown[] = [];
      const note = `select 1 from graphile_worker.add_job('noted', '{}', job_key := 'noted')`;
      const outside = refused.inTenant(org(), async (tx) => {
        outcomes.push(...(await Promise.allSettled([logins(tx), tx.query(note), tx.query(note)])));
      });
      await expect(outside).rejects.toThrow('was not begun');
      expect(outcomes).toMatchObject([
        { reason: { code: '26000' } },
        { reason: { message: 'The transaction was not begun, or has ended.' } },
        { reason: { message: 'The transaction was not begun, or has ended.' } },
      ]);
      const { rows } = await refused.pool.query(`select from graphile_worker.jobs where key = 'noted'`);
      expect(rows).toEqual([]);
      await refused.close();
    });

    it.each(['first', 'second'])('includes the caller of its %s statement in the stack of a failure', async (which) => {
      const theCaller = async (tx: TenantTransaction): Promise<unknown> => {
        if (which === 'second') await logins(tx);
        return await tx.query('select nonsense');
      };
      const failure: unknown = await alone.inTenant(org(), theCaller).catch((error: unknown) => error);
      expect((failure as Error).stack).toContain('theCaller');
    });

    it('begins the transaction also if the first statement could not be sent', async () => {
      const tenant = org();
      await alone.inTenant(tenant, (tx) => tx.queryPrepared('one', 'select 1', []));
      const unsendable = (tx: TenantTransaction): Promise<unknown> => tx.queryPrepared('one', 'select 2', []);
      await alone.inTenant(tenant, async (tx) => {
        await expect(unsendable(tx)).rejects.toThrow('must be unique');
        await insert(tx, 'sent');
      });
      expect(await alone.inTenant(tenant, logins)).toEqual(['sent']);
      await expect(alone.inTenant(tenant, unsendable)).rejects.toThrow('must be unique');
      expect(await state()).toEqual(CLEAN);
      expect(warnings).toEqual([]);
    });
  });

  it('survives a connection that is closed in the middle, and replaces it', async () => {
    const cut = database.inTenant(org(), async (tx) => {
      const [backend] = await tx.query<{ pid: number }>('select pg_backend_pid() as pid');
      await terminate(backend?.pid ?? 0);
      await insert(tx);
    });
    await expect(cut).rejects.toThrow(/terminating|connection error/);
    expect(await backends()).toHaveLength(1);
    expect(database.pool.totalCount).toBeLessThanOrEqual(2);
  });

  it('survives idle connections that are closed', async () => {
    for (const pid of await backends()) await terminate(pid);
    await new Promise((done) => setTimeout(done, 50));
    expect(await backends()).toHaveLength(1);
  });

  it('prepares a lookup once per connection', async () => {
    const tenant = org();
    await database.inTenant(tenant, (tx) => insert(tx, 'looked-up'));
    const sql = 'select login from list_installed_organizations() where login = $1';
    expect(await database.queryWithoutTenant('installed', sql, ['looked-up'])).toEqual([]);
    const client = await database.pool.connect();
    const prepared = await client.query(`select name from pg_prepared_statements where name = 'installed'`);
    client.release();
    expect(prepared.rows).toEqual([{ name: 'installed' }]);
  });

  it('limits the time of statements, locks and idle transactions', async () => {
    const { rows } = await database.pool.query(
      `select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock,
         current_setting('idle_in_transaction_session_timeout') as idle, current_setting('application_name') as name`,
    );
    expect(rows).toEqual([{ statement: '15s', lock: '5s', idle: '15s', name: 'shipgate' }]);
  });

  it('reports why it accepts no writes', async () => {
    const read = await createTestDatabase();
    const other = await Database.open({ url: read.appUrl, poolSize: 1 });
    expect(await other.findWriteProblem()).toBeNull();
    await withDedicatedClient(read.superuserUrl, (client) =>
      client.query(`alter database ${read.name} set default_transaction_read_only = on`),
    );
    await other.close();

    const onReadOnly = await Database.open({ url: read.appUrl, poolSize: 1 });
    expect(await onReadOnly.findWriteProblem()).toBe('it is read-only');
    await onReadOnly.close();
    await read.drop();
  });

  it('closes a connection whose server has become read-only', async () => {
    const alone = await Database.open({ url: test.appUrl, poolSize: 1 });
    const session = async (): Promise<unknown> =>
      (await alone.pool.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]?.pid;
    const before = await session();
    const failing = alone.inTenant(org(), (tx) => tx.query('select 1 / 0'));
    await expect(failing).rejects.toMatchObject({ code: '22012' });
    expect(await session()).toBe(before);
    const writing = alone.inTenant(org(), async (tx) => {
      await tx.query('set transaction read only');
      await insert(tx);
    });
    await expect(writing).rejects.toMatchObject({ code: '25006' });
    expect(await session()).not.toBe(before);
    await alone.close();
  });

  it('reports that the database does not exist', async () => {
    const dropped = await createTestDatabase();
    const other = await Database.open({ url: dropped.appUrl });
    await dropped.drop();
    expect(await other.findWriteProblem()).toBe('it does not exist');
    await other.close();
  });
});

describe('the database behind a pooler that keeps no prepared statements', () => {
  it('prepares no statement, also with a fence', async () => {
    const test = await createTestDatabase();
    const database = await Database.open({ url: test.appUrl, poolSize: 1, canPrepare: false });
    try {
      const proof = { name: 'prove', text: 'select where $1::text is null', values: ['x'] };
      await runWithFence({ proof, broken: () => new Error('broken') }, async () => {
        await database.assertFence();
        await database.inTenant(org(), async () => undefined);
        await database.inTenant(org(), (tx) => tx.queryPrepared('count', 'select count(*) from organization', []));
        await database.queryWithoutTenant('now', 'select now()', []);
      });
      await database.readOnlyAsViewer({ orgId: org(), userId: 1 }, (tx) => tx.queryPrepared('one', 'select 1', []));
      const { rows } = await database.pool.query('select name from pg_prepared_statements');
      expect(rows).toEqual([]);
    } finally {
      await database.close();
      await test.drop();
    }
  });
});
