import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.js';
import { Database, NO_USER_ID, type TenantTransaction } from './database.js';
import { toOrgId, type OrgId } from './ids.js';

const READER = 4711;

describe('readOnlyAsViewer', () => {
  let test: TestDatabase;
  let database: Database;
  let acme: OrgId;
  let globex: OrgId;
  let githubId = 0;

  beforeAll(async () => {
    test = await createTestDatabase();
    acme = await given('acme');
    globex = await given('globex');
  });
  beforeEach(async () => {
    await database?.close();
    // One connection that all callers share.
    database = await Database.open({ url: test.appUrl, poolSize: 1 });
  });
  afterAll(async () => {
    await database.close();
    await test.drop();
  });

  /** Creates a workspace with a public repository, a private one that the reader can read, and a private one that no user can read. */
  async function given(login: string): Promise<OrgId> {
    const orgId = toOrgId(randomUUID());
    const writing = await Database.open({ url: test.appUrl, poolSize: 1 });
    await writing.inTenant(orgId, async (tx) => {
      githubId += 10;
      await tx.query('insert into organization (org_id, github_id, login, created_at) values ($1, $2, $3, now())', [
        orgId,
        githubId,
        login,
      ]);
      await tx.query(
        `insert into repository (org_id, id, github_id, name, private, default_branch, created_at, updated_at)
         select $1, gen_random_uuid(), $2::bigint + n, name, n > 1, 'main', now(), now()
         from unnest(array['public', 'shared', 'secret']) with ordinality as named (name, n)`,
        [orgId, githubId],
      );
      await tx.query(
        `insert into member (org_id, person, role, joined_at, confirmed_at) values ($1, $2, 'member', now(), now())`,
        [orgId, READER],
      );
      await tx.query('insert into repository_access (org_id, person, repository_github_id) values ($1, $2, $3)', [
        orgId,
        READER,
        githubId + 2,
      ]);
    });
    await writing.close();
    return orgId;
  }

  const names = async (tx: TenantTransaction): Promise<string[]> =>
    (
      await tx.queryPrepared<{ name: string }>(
        'names',
        `select o.login || '/' || r.name as name from repository r join organization o on o.org_id = r.org_id
         where r.default_branch = $1 order by r.github_id`,
        ['main'],
      )
    ).map(({ name }) => name);
  const settings = async (): Promise<unknown> =>
    (
      await database.pool.query(
        `select coalesce(current_setting('app.org_id', true), '') as org, coalesce(current_setting('app.viewer', true), '') as viewer,
           current_setting('transaction_read_only') as reading, (select count(*)::int from repository) as seen`,
      )
    ).rows;
  const CLEAN = [{ org: '', viewer: '', reading: 'off', seen: 0 }];

  it('returns with each statement only the rows that the user can read in the workspace', async () => {
    const namesFor = (orgId: OrgId, userId: number): Promise<string[]> =>
      database.readOnlyAsViewer({ orgId, userId }, names);
    for (let round = 0; round < 7; round += 1) {
      expect(await namesFor(acme, READER)).toEqual(['acme/public', 'acme/shared']);
      expect(await namesFor(globex, READER)).toEqual(['globex/public', 'globex/shared']);
      expect(await namesFor(acme, NO_USER_ID)).toEqual(['acme/public']);
      expect(await namesFor(toOrgId(randomUUID()), READER)).toEqual([]);
    }
  });

  it('leaves no setting on the connection', async () => {
    await database.readOnlyAsViewer({ orgId: acme, userId: READER }, names);
    expect(await settings()).toEqual(CLEAN);
    expect(await database.inTenant(globex, names)).toHaveLength(3);
  });

  it('answers concurrent statements in their order', async () => {
    const answers = await database.readOnlyAsViewer({ orgId: acme, userId: READER }, (tx) =>
      Promise.all([names(tx), tx.query('select $1::int as n', [1]), names(tx), tx.query('select 2 as n')]),
    );
    const both = ['acme/public', 'acme/shared'];
    expect(answers).toEqual([both, [{ n: 1 }], both, [{ n: 2 }]]);
    expect(await settings()).toEqual(CLEAN);
  });

  it('answers a statement without rows, and one that is no select', async () => {
    const answers = database.readOnlyAsViewer({ orgId: acme, userId: READER }, async (tx) => [
      await tx.query('select 1 where false'),
      await tx.query('show transaction_read_only'),
    ]);
    expect(await answers).toEqual([[], [{ transaction_read_only: 'on' }]]);
  });

  it.each([
    ['insert into project (org_id) values (gen_random_uuid())', '25006'],
    ['delete from repository', '25006'],
    ['select 1/0', '22012'],
    ['select nonsense', '42703'],
  ])('rejects %s and leaves the connection clean', async (sql, code) => {
    const viewer = { orgId: acme, userId: READER };
    await expect(database.readOnlyAsViewer(viewer, (tx) => tx.query(sql))).rejects.toMatchObject({ code });
    expect(await settings()).toEqual(CLEAN);
    const continued = database.readOnlyAsViewer(viewer, async (tx) => {
      await tx.query(sql).catch(() => undefined);
      return names(tx);
    });
    expect(await continued).toHaveLength(2);
    expect(await settings()).toEqual(CLEAN);
  });

  const circle: { itself?: unknown } = {};
  circle.itself = circle;
  it.each([
    [
      'with the name of another statement',
      (tx: TenantTransaction) => tx.queryPrepared('names', 'select 1', []),
      'must be unique',
    ],
    [
      'with values that cannot be serialized',
      (tx: TenantTransaction) => tx.query('select $1::jsonb', [circle]),
      'circular structure',
    ],
  ])(
    'leaves no setting on a connection after a statement that could not be sent, %s',
    async (_, unsendable, problem) => {
      const viewer = { orgId: acme, userId: READER };
      const shared = ['acme/public', 'acme/shared'];
      const swallowed = await database.readOnlyAsViewer(viewer, async (tx) => {
        await names(tx);
        await expect(unsendable(tx)).rejects.toThrow(problem);
        return names(tx);
      });
      expect(swallowed).toEqual(shared);
      expect(await settings()).toEqual(CLEAN);
      const concurrent = database.readOnlyAsViewer(viewer, (tx) =>
        Promise.allSettled([
          names(tx),
          unsendable(tx),
          names(tx),
          tx.query(`select current_setting('app.viewer') as seen`),
        ]),
      );
      expect(await concurrent).toMatchObject([
        { value: shared },
        { reason: { message: expect.stringContaining(problem) } },
        { value: shared },
        { value: [{ seen: String(READER) }] },
      ]);
      await expect(database.readOnlyAsViewer(viewer, unsendable)).rejects.toThrow(problem);
      expect(await settings()).toEqual(CLEAN);
      expect(await database.inTenant(globex, names)).toHaveLength(3);
    },
  );

  it('causes no warning of Postgres when the work rejects', async () => {
    const warnings: string[] = [];
    const client = await database.pool.connect();
    client.on('notice', ({ message }) => void warnings.push(message ?? ''));
    await client.query('rollback');
    client.release();
    expect(warnings.splice(0)).toEqual(['there is no transaction in progress']);

    const rejected = database.readOnlyAsViewer({ orgId: acme, userId: READER }, async (tx) => {
      await names(tx);
      throw new Error('There is no such repository.');
    });
    await expect(rejected).rejects.toThrow('There is no such repository.');
    await expect(
      database.readOnlyAsViewer({ orgId: acme, userId: READER }, (tx) => tx.query('select 1/0')),
    ).rejects.toThrow('division by zero');
    expect(await settings()).toEqual(CLEAN);
    expect(warnings).toEqual([]);
  });

  it('does not send an unawaited statement to the next user of the connection', async () => {
    const left = database.readOnlyAsViewer({ orgId: acme, userId: READER }, async (tx) => {
      void names(tx).catch(() => undefined);
    });
    const others = database.inTenant(globex, async (tx) => [await names(tx), await names(tx)]);
    await left;
    const all = ['globex/public', 'globex/shared', 'globex/secret'];
    expect(await others).toEqual([all, all]);
  });

  it('rejects an invalid tenant or user, and statements after the end', async () => {
    const forged = `${randomUUID()}', false); --` as OrgId;
    await expect(database.readOnlyAsViewer({ orgId: forged, userId: READER }, names)).rejects.toThrow('A tenant id');
    await expect(database.readOnlyAsViewer({ orgId: acme, userId: 1.5 }, names)).rejects.toThrow('A viewer is named');
    let ended: TenantTransaction | undefined;
    await database.readOnlyAsViewer({ orgId: acme, userId: READER }, async (tx) => {
      ended = tx;
    });
    await expect(ended?.query('select 1')).rejects.toThrow('This transaction has ended.');
  });

  it('survives a connection that is closed between two statements', async () => {
    const cut = database.readOnlyAsViewer({ orgId: acme, userId: READER }, async (tx) => {
      const [backend] = await tx.query<{ pid: number }>('select pg_backend_pid() as pid');
      const other = await Database.open({ url: test.superuserUrl, poolSize: 1 });
      await other.pool.query('select pg_terminate_backend($1, 5000)', [backend?.pid]);
      await other.close();
      return names(tx);
    });
    await expect(cut).rejects.toThrow(/terminating|connection error|Connection terminated/);
    expect(await database.readOnlyAsViewer({ orgId: acme, userId: READER }, names)).toHaveLength(2);
  });
});
