import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { Logger, makeWorkerUtils, parseCronItems, run } from 'graphile-worker';
import { Pool } from 'pg';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { migrations } from '../../migrations/index.js';
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../../test/support/database.js';
import { openConnections } from './connections.js';
import { withDedicatedClient } from './dedicated-client.js';
import { assertKnownMigrations } from './dump/restored-database.js';
import { listPendingMigrations, migrate } from './migrate.js';
import { type MigrationClass, type MigrationStatus, readMigrationStatus } from './migration-status.js';
import { JOB_SCHEDULE_TABLE, JOB_TABLE } from './job-tables.js';

// The library declares its log levels as a const enum, which single-file compilers cannot read.
const FAILURE: ReadonlySet<string> = new Set(['error']);

class First1000000000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('create table first (n int)');
  }
  async down(): Promise<void> {}
}
class Failing1000000000002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('create table second (n int); select 1/0');
  }
  async down(): Promise<void> {}
}

describe('migrate', () => {
  let database: TestDatabase;
  let migrationUrl: string;
  let runtimeUrl: string;

  beforeAll(async () => {
    database = await createEmptyDatabase();
    ({ ownerUrl: migrationUrl, appUrl: runtimeUrl } = database);
  });
  afterAll(() => database.drop());

  const rowsOf = (url: string, sql: string): Promise<unknown[]> =>
    withDedicatedClient(url, async (client) => (await client.query<Record<string, unknown>>(sql)).rows);
  const pending = (): Promise<readonly string[]> =>
    withDedicatedClient(runtimeUrl, (client) =>
      listPendingMigrations(client, [First1000000000001, Failing1000000000002]),
    );

  it('reports all migrations as pending on an empty database', async () => {
    expect(await pending()).toEqual(['First1000000000001', 'Failing1000000000002']);
  });

  it('runs a migration once when several processes start together', async () => {
    const runs = await Promise.all([1, 2, 3].map(() => migrate(migrationUrl, [First1000000000001])));
    expect(runs.flat()).toEqual(['First1000000000001']);
    expect(await rowsOf(migrationUrl, `select tableowner as owner from pg_tables where tablename = 'first'`)).toEqual([
      { owner: 'shipgate_owner' },
    ]);
  });

  it('rolls back a migration that fails, which stays pending', async () => {
    await expect(migrate(migrationUrl, [First1000000000001, Failing1000000000002])).rejects.toMatchObject({
      code: '22012',
    });
    expect(await rowsOf(migrationUrl, `select to_regclass('second') as table`)).toEqual([{ table: null }]);
    expect(await pending()).toEqual(['Failing1000000000002']);
    expect(
      await rowsOf(migrationUrl, `select has_schema_privilege('shipgate_lookup', 'public', 'create') as creates`),
    ).toEqual([{ creates: false }]);
  });

  it('rejects a migration as the runtime role', async () => {
    await expect(migrate(runtimeUrl, [First1000000000001])).rejects.toThrow(/permission denied to set role/);
  });

  it('reverts all migrations and runs them again', async () => {
    const database = await createTestDatabase();
    await withDedicatedClient(database.ownerUrl, async (client) => {
      await client.query('set role shipgate_owner');
      await client.query('grant create on schema public to shipgate_lookup');
      const runner = { query: (sql: string) => client.query(sql) } as unknown as QueryRunner;
      const classes: readonly (new () => MigrationInterface)[] = migrations;
      const instances = classes.map((Migration) => new Migration());
      for (const migration of instances.toReversed()) await migration.down(runner);
      const left = await client.query(
        `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
         union all select proname from pg_proc where pronamespace = 'public'::regnamespace`,
      );
      expect(left.rows).toEqual([{ name: 'schema_migration' }]);
      for (const migration of instances) await migration.up(runner);
    });
    await database.drop();
  });
});

describe('readMigrationStatus', () => {
  class Earlier1000000000001 implements MigrationInterface {
    async up(runner: QueryRunner): Promise<void> {
      await runner.query('create table earlier (n int)');
    }
    async down(): Promise<void> {}
  }
  class Later1000000000002 implements MigrationInterface {
    async up(runner: QueryRunner): Promise<void> {
      await runner.query('create table later (n int)');
    }
    async down(): Promise<void> {}
  }
  class Dropping1000000000003 implements MigrationInterface {
    static readonly requires = Later1000000000002.name;
    async up(runner: QueryRunner): Promise<void> {
      await runner.query('drop table earlier');
    }
    async down(): Promise<void> {}
  }
  /** The migration with its name and other statements. */
  const changed = {
    [Earlier1000000000001.name]: class extends Earlier1000000000001 {
      override async up(runner: QueryRunner): Promise<void> {
        await runner.query('create table earlier (m int)');
      }
    },
  }[Earlier1000000000001.name]!;
  const ALL = [Earlier1000000000001, Later1000000000002, Dropping1000000000003];
  let database: TestDatabase;

  beforeEach(async () => {
    database = await createEmptyDatabase();
  });
  afterEach(() => database.drop());
  const asOwner = (sql: string): Promise<unknown> =>
    withDedicatedClient(database.ownerUrl, (client) => client.query(`set role shipgate_owner; ${sql}`));
  const statusOf = (known: readonly MigrationClass[]): Promise<MigrationStatus> =>
    withDedicatedClient(database.appUrl, (client) => readMigrationStatus(client, known));

  it('finds no conflict if the same migrations ran in the same order', async () => {
    for (const end of [1, 2, 3]) await migrate(database.ownerUrl, ALL.slice(0, end));
    expect(await statusOf(ALL)).toEqual({ pending: [], newer: [], conflicts: [] });
  });

  it('lists the migrations of a newer version if the previous version works with their schema', async () => {
    await migrate(database.ownerUrl, ALL);
    expect(await statusOf(ALL.slice(0, 2))).toEqual({ pending: [], newer: ['Dropping1000000000003'], conflicts: [] });
    expect(await migrate(database.ownerUrl, ALL.slice(0, 2))).toEqual([]);
  });

  it.each<[string, readonly MigrationClass[], string]>([
    [
      'a version that is too old for the schema',
      ALL.slice(0, 1),
      'its schema is too new for this version: Dropping1000000000003 ran, which requires a version with Later1000000000002',
    ],
    [
      'a version without a migration that ran before others that it has',
      [Earlier1000000000001, Dropping1000000000003],
      'the migration Later1000000000002 ran, but this version does not have it',
    ],
    [
      'a version in which a migration is changed',
      [changed, Later1000000000002, Dropping1000000000003],
      'the migration Earlier1000000000001 ran with other statements than this version has',
    ],
  ])('stops %s', async (_, known, conflict) => {
    await migrate(database.ownerUrl, ALL);
    class Next1000000000004 extends Earlier1000000000001 {}
    await expect(migrate(database.ownerUrl, [...known, Next1000000000004])).rejects.toThrow(conflict);
    expect(await statusOf(known)).toMatchObject({ conflicts: [{ problem: conflict }] });
  });

  it('records the digests of migrations that ran before the process was killed', async () => {
    await migrate(database.ownerUrl, ALL.slice(0, 2));
    await asOwner('update schema_migration set digest = null, requires = null');
    expect(await statusOf([changed, Later1000000000002])).toEqual({ pending: [], newer: [], conflicts: [] });
    await migrate(database.ownerUrl, ALL);
    expect(await statusOf(ALL)).toEqual({ pending: [], newer: [], conflicts: [] });
    expect((await statusOf([changed, Later1000000000002])).conflicts).toHaveLength(1);
  });
});

describe('a database of a version before 0.1.0', () => {
  const EXPLANATION =
    'it was created by a version before 0.1.0, which was never released. Create a new database, or delete the one in DATA_DIR, and start again.';
  const COLUMNS = 'id integer generated always as identity primary key, timestamp bigint not null, name text not null';
  let database: TestDatabase;

  beforeEach(async () => {
    database = await createEmptyDatabase();
  });
  afterEach(() => database.drop());

  it.each([
    ['with the digests of its migrations', `${COLUMNS}, digest text, requires text`],
    ['without digests', COLUMNS],
  ])('is rejected with the way to begin anew, and not changed, %s', async (_, columns) => {
    await withDedicatedClient(database.ownerUrl, (client) =>
      client.query(`set role shipgate_owner; create table schema_migration (${columns});
        insert into schema_migration (timestamp, name) values (1790000000000, 'CreateOrganizationsAndRepositories1790000000000');
        grant select on schema_migration to shipgate_app`),
    );
    await expect(migrate(database.ownerUrl)).rejects.toThrow(EXPLANATION);
    const ofService = { databaseUrl: database.appUrl, dataDir: 'none' };
    const starts = [ofService, { ...ofService, migrationUrl: database.ownerUrl }];
    for (const settings of starts) await expect(openConnections(settings)).rejects.toThrow(EXPLANATION);
    const { rows } = await withDedicatedClient(database.ownerUrl, (client) =>
      client.query(`select relname from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'`),
    );
    expect(rows).toEqual([{ relname: 'schema_migration' }]);
  });

  it('has no backup that can be restored', () => {
    const names = ['CreateOrganizationsAndRepositories1790000000000', 'CreateReleases1790000000100'];
    for (const known of [names, []]) {
      expect(() => assertKnownMigrations(known)).toThrow(
        'it was created by a version before 0.1.0, which was never released',
      );
    }
    expect(() => assertKnownMigrations(migrations.map(({ name }) => name))).not.toThrow();
  });
});

describe('the job queue', () => {
  let database: TestDatabase;
  let pool: Pool;

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = new Pool({ connectionString: database.appUrl });
    pool.on('error', () => undefined);
    pool.on('connect', (client) => client.on('error', () => undefined));
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  it('adds, announces, runs, retries and schedules jobs as the runtime role', async () => {
    const work = new EventEmitter();
    const attempts: number[] = [];
    const problems: string[] = [];
    const runner = await run({
      pgPool: pool,
      noHandleSignals: true,
      // Longer than the test, so that the job below runs only because it was announced.
      pollInterval: 60_000,
      logger: new Logger(() => (level, message) => {
        if (FAILURE.has(level) && !message.includes('not yet')) problems.push(message);
      }),
      parsedCronItems: parseCronItems([{ task: 'tick', match: '* * * * *', options: { backfillPeriod: 120_000 } }]),
      taskList: {
        greet: (payload) => void work.emit('greeted', payload),
        fail: (_, { job }) => {
          attempts.push(job.attempts);
          work.emit('failed');
          throw new Error('not yet');
        },
        tick: () => void work.emit('ticked'),
      },
    });
    const greeted = once(work, 'greeted');
    await pool.query(`select graphile_worker.add_job('greet', '{"name":"Ada"}', queue_name := 'q', job_key := 'k')`);
    expect(await greeted).toEqual([{ name: 'Ada' }]);

    const failed = once(work, 'failed');
    const { rows } = await pool.query<{ id: string }>(`select id from graphile_worker.add_job('fail', '{}')`);
    await failed;
    // Neither the worker nor its stop waits for the statement that saves the failure.
    const retried = async (): Promise<unknown> =>
      (
        await pool.query<{ readonly attempts: number; readonly reported: boolean | null }>(
          `select attempts, last_error like '%not yet%' as reported from graphile_worker.jobs where id = $1`,
          [rows[0]?.id],
        )
      ).rows[0];
    for (let tries = 0; tries < 500 && !isDeepStrictEqual(await retried(), { attempts: 1, reported: true }); tries += 1)
      await sleep(10);
    expect(await retried()).toEqual({ attempts: 1, reported: true });
    await runner.stop();
    expect(attempts).toEqual([1]);
    const scheduled = await pool.query(`select identifier from ${JOB_SCHEDULE_TABLE}`);
    expect(scheduled.rows).toEqual([{ identifier: 'tick' }]);

    const utils = await makeWorkerUtils({ pgPool: pool, logger: new Logger(() => () => undefined) });
    await utils.forceUnlockWorkers(['worker-gone']);
    await utils.permanentlyFailJobs([rows[0]?.id ?? ''], 'given up');
    await utils.cleanup({});
    await utils.release();
    expect(problems).toEqual([]);
  });

  it('removes a job with the transaction that added it', async () => {
    const client = await pool.connect();
    await client.query('begin');
    await client.query(`select graphile_worker.add_job('never', '{}')`);
    await client.query('rollback');
    client.release();
    const { rows } = await pool.query(`select from graphile_worker.jobs where task_identifier = 'never'`);
    expect(rows).toEqual([]);
  });

  it('does not let the runtime role change its schema', async () => {
    await expect(pool.query('delete from graphile_worker.migrations')).rejects.toMatchObject({ code: '42501' });
    await expect(pool.query(`truncate ${JOB_TABLE}`)).rejects.toMatchObject({ code: '42501' });
  });
});
