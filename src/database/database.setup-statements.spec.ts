import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.js';
import { Database, NO_USER_ID, type TenantTransaction } from './database.js';
import { toOrgId, type OrgId } from './ids.js';

const READER = 4711;

describe('reading as a viewer', () => {
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
    // One connection, which everybody shares.
    database = await Database.open({ url: test.appUrl, poolSize: 1 });
  });
  afterAll(async () => {
    await database.close();
    await test.drop();
  });

  /** A workspace with a repository that all may read, one that the reader may, and one that nobody may. */
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
  const UNENTERED = [{ org: '', viewer: '', reading: 'off', seen: 0 }];

  it('shows with each statement what the person may read in the workspace, and no more', async () => {
    const shown = (orgId: OrgId, userId: number): Promise<string[]> =>
      database.readOnlyAsViewer({ orgId, userId }, names);
    for (let round = 0; round < 7; round += 1) {
      expect(await shown(acme, READER)).toEqual(['acme/public', 'acme/shared']);
      expect(await shown(globex, READER)).toEqual(['globex/public', 'globex/shared']);
      expect(await shown(acme, NO_USER_ID)).toEqual(['acme/public']);
      expect(await shown(toOrgId(randomUUID()), READER)).toEqual([]);
    }
  });

  it('leaves nothing of it on the connection', async () => {
    await database.readOnlyAsViewer({ orgId: acme, userId: READER }, names);
    expect(await settings()).toEqual(UNENTERED);
    expect(await database.inTenant(globex, names)).toHaveLength(3);
  });

  it('answers statements in their order that are asked at once', async () => {
    const answers = await database.readOnlyAsViewer({ orgId: acme, userId: READER }, (tx) =>
      Promise.all([names(tx), tx.query('select $1::int as n', [1]), names(tx), tx.query('select 2 as n')]),
    );
    const both = ['acme/public', 'acme/shared'];
    expect(answers).toEqual([both, [{ n: 1 }], both, [{ n: 2 }]]);
    expect(await settings()).toEqual(UNENTERED);
  });

  it('answers what has no row, and what is no select', async () => {
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
  ])('rejects %s, and hands the connection on clean', async (sql, code) => {
    const eyes = { orgId: acme, userId: READER };
    await expect(database.readOnlyAsViewer(eyes, (tx) => tx.query(sql))).rejects.toMatchObject({ code });
    expect(await settings()).toEqual(UNENTERED);
    const goesOn = database.readOnlyAsViewer(eyes, async (tx) => {
      await tx.query(sql).catch(() => undefined);
      return names(tx);
    });
    expect(await goesOn).toHaveLength(2);
    expect(await settings()).toEqual(UNENTERED);
  });

  const circle: { itself?: unknown } = {};
  circle.itself = circle;
  it.each([
    [
      'that has the name of another',
      (tx: TenantTransaction) => tx.queryPrepared('names', 'select 1', []),
      'must be unique',
    ],
    [
      'whose values cannot be told',
      (tx: TenantTransaction) => tx.query('select $1::jsonb', [circle]),
      'circular structure',
    ],
  ])('leaves nothing on a connection where a statement could not be sent, %s', async (_, unsendable, problem) => {
    const eyes = { orgId: acme, userId: READER };
    const shared = ['acme/public', 'acme/shared'];
    const swallowed = await database.readOnlyAsViewer(eyes, async (tx) => {
      await names(tx);
      await expect(unsendable(tx)).rejects.toThrow(problem);
      return names(tx);
    });
    expect(swallowed).toEqual(shared);
    expect(await settings()).toEqual(UNENTERED);
    const amidOthers = database.readOnlyAsViewer(eyes, (tx) =>
      Promise.allSettled([
        names(tx),
        unsendable(tx),
        names(tx),
        tx.query(`select current_setting('app.viewer') as seen`),
      ]),
    );
    expect(await amidOthers).toMatchObject([
      { value: shared },
      { reason: { message: expect.stringContaining(problem) } },
      { value: shared },
      { value: [{ seen: String(READER) }] },
    ]);
    await expect(database.readOnlyAsViewer(eyes, unsendable)).rejects.toThrow(problem);
    expect(await settings()).toEqual(UNENTERED);
    expect(await database.inTenant(globex, names)).toHaveLength(3);
  });

  it('tells Postgres nothing that it warns of where the work rejects', async () => {
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
    expect(await settings()).toEqual(UNENTERED);
    expect(warnings).toEqual([]);
  });

  it('lets nothing that nobody waited for reach whoever is given the connection next', async () => {
    const left = database.readOnlyAsViewer({ orgId: acme, userId: READER }, async (tx) => {
      void names(tx).catch(() => undefined);
    });
    const others = database.inTenant(globex, async (tx) => [await names(tx), await names(tx)]);
    await left;
    const all = ['globex/public', 'globex/shared', 'globex/secret'];
    expect(await others).toEqual([all, all]);
  });

  it('refuses what is no tenant or no person, and whoever reads on afterwards', async () => {
    const forged = `${randomUUID()}', false); --` as OrgId;
    await expect(database.readOnlyAsViewer({ orgId: forged, userId: READER }, names)).rejects.toThrow('A tenant id');
    await expect(database.readOnlyAsViewer({ orgId: acme, userId: 1.5 }, names)).rejects.toThrow('A viewer is named');
    let kept: TenantTransaction | undefined;
    await database.readOnlyAsViewer({ orgId: acme, userId: READER }, async (tx) => {
      kept = tx;
    });
    await expect(kept?.query('select 1')).rejects.toThrow('This transaction has ended.');
  });

  it('survives a connection that is cut between two statements', async () => {
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
