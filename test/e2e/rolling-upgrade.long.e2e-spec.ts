import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { Client, type DatabaseError } from 'pg';
import { migrations } from '../../migrations/index.js';
import { RenameUserAccounts1790709000000 } from '../../migrations/1790709000000-rename-user-accounts.js';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import { JOB_NAME_TABLE, JOB_TABLE } from '../../src/database/job-tables.js';
import { migrate } from '../../src/database/migrate.js';
import { FORMER_JOB_NAMES } from '../../src/jobs/job.js';
import { APP_ROLE } from '../../src/database/roles.js';
import { columnsOf, insertRow, insertTenantRows, PAIR } from '../architecture/tenant-rows.js';
import { createEmptyDatabase, type TestDatabase } from '../support/database.js';
import { dumpSchema } from '../support/schema-dump.js';
import { TestEnvironment } from '../support/test-environment.js';
import { RepositoryScenario } from './scenarios/repository-scenario.js';

/** Renamed tables by their former names, which are views for the code of the previous version. */
const TENANT_TABLES: Readonly<Record<string, string>> = {
  break_glass: 'break_glass_request',
  event_count: 'event_sequence',
  evidence_pull: 'evidence_pull_request',
  history_record: 'deployment_record',
  host_token: 'repository_token',
  idempotent_upload: 'upload_idempotency_key',
  repository_tally: 'repository_count_change',
  scope_claim: 'scope_lock',
  storage_tally: 'storage_usage_change',
  test_roll: 'test_results',
};
const APPEND_ONLY = ['history_record', 'test_roll'];
/** The tables that only definer functions read. They have no view. */
const GLOBAL_TABLES: Readonly<Record<string, string>> = {
  delivery_watch: 'delivery_scan',
  person: 'user_account',
  rate_window: 'rate_limit_window',
};

/**
 * The statements of the previous version with renamed tables or columns; `scripts/record-statements.mjs` wrote them.
 */
const STATEMENTS = JSON.parse(
  readFileSync(new URL('../fixtures/statements/before-renames.json', import.meta.url), 'utf8'),
) as readonly string[];

/** Values that a check of the table requires. */
const REQUIRED: Readonly<Record<string, ReadonlyMap<string, string>>> = {
  published_workflow: new Map([['blob_sha', 'a'.repeat(40)]]),
  signing_key: new Map([['sealed_private_key', 'sealed']]),
};

let database: TestDatabase;
let client: Client;
/** Every row of every table before the upgrade, by table. */
let before: ReadonlyMap<string, readonly (readonly unknown[])[]>;
let schemaBefore: string;

const SESSION = Buffer.from([9]);

/** Returns the schema without the bodies of functions in PL/pgSQL, whose comments may change. */
const schema = async (): Promise<string> =>
  (await dumpSchema(database.superuserUrl)).replaceAll(/AS \$function\$.*?\$function\$/gs, '');

/** Returns all rows of a table as they are stored, without the names of the columns. */
async function rowsOf(table: string): Promise<readonly (readonly unknown[])[]> {
  const { rows } = await client.query<unknown[]>({ text: `select * from ${table} order by 1, 2`, rowMode: 'array' });
  return rows;
}

beforeAll(async () => {
  database = await createEmptyDatabase();
  const first = migrations.indexOf(RenameUserAccounts1790709000000);
  await migrate(database.ownerUrl, migrations.slice(0, first));

  client = new Client(database.superuserUrl);
  await client.connect();
  const { rows: tables } = await client.query<{ name: string; tenant: boolean }>(
    `select c.relname as name, exists (select from pg_attribute where attrelid = c.oid and attname = 'org_id') as tenant
     from pg_class c where relnamespace = 'public'::regnamespace and relkind = 'r' and relname <> 'schema_migration' order by 1`,
  );
  await client.query('begin');
  for (const table of tables) {
    if (table.tenant) await insertTenantRows(client, table.name);
    else await insertRow(client, table.name, REQUIRED[table.name] ?? new Map(), 1);
  }
  await client.query('commit');
  before = new Map(await Promise.all(tables.map(async (table) => [table.name, await rowsOf(table.name)] as const)));

  schemaBefore = await schema();

  await migrate(database.ownerUrl);
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

/** Runs `work` as the runtime role of a tenant, in a transaction that is rolled back. */
async function asTenant<T>(tenant: string, work: () => Promise<T>): Promise<T> {
  await client.query('begin');
  try {
    await client.query('set local session_replication_role = replica');
    await client.query(`set local role ${APP_ROLE}`);
    await client.query(`select set_config('app.org_id', $1, true)`, [tenant]);
    return await work();
  } finally {
    await client.query('rollback');
  }
}
const codeOf = (work: Promise<unknown>): Promise<string | undefined> =>
  work.then(
    () => undefined,
    (error: DatabaseError) => error.code,
  );

describe('an upgrade', () => {
  it('preserves every row of every table', async () => {
    expect(before.size).toBeGreaterThan(50);
    for (const [table, rows] of before) {
      expect(rows.length).toBeGreaterThan(0);
      const after = await rowsOf(TENANT_TABLES[table] ?? GLOBAL_TABLES[table] ?? table);
      // A column that the upgrade adds is the last one.
      expect({ table, rows: after.map((row) => row.slice(0, rows[0]?.length)) }).toEqual({ table, rows });
    }
  });

  it('preserves the former name of each tenant table, with the same columns and rows', async () => {
    for (const former of Object.keys(TENANT_TABLES)) {
      expect({ former, rows: await rowsOf(former) }).toEqual({ former, rows: before.get(former) });
    }
  });

  it('gives the name of a former table only to its view', async () => {
    const formers = Object.keys({ ...TENANT_TABLES, ...GLOBAL_TABLES });
    const { rows } = await client.query<{ name: string }>(
      `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind <> 'v'
       union select conname from pg_constraint where connamespace = 'public'::regnamespace`,
    );
    expect(
      rows.filter(({ name: part }) =>
        formers.some(
          (former) =>
            new RegExp(`^${former}(_|$)`).test(part) &&
            !Object.values(TENANT_TABLES).some((table) => part.startsWith(table)),
        ),
      ),
    ).toEqual([]);
  });
});

describe('a process of the previous version', () => {
  it('can still prepare each of its statements', async () => {
    expect(STATEMENTS.length).toBeGreaterThan(80);
    const refused: string[] = [];
    await withDedicatedClient(database.appUrl, async (app) => {
      for (const [n, statement] of STATEMENTS.entries()) {
        const code = await codeOf(app.query(`prepare former_${n} as ${statement}`));
        if (code !== undefined) refused.push(`${code}: ${statement}`);
      }
    });
    expect(refused).toEqual([]);
  });

  it('cannot prepare them without the former names', async () => {
    const refused = new Set<string | undefined>();
    await client.query('begin');
    for (const former of Object.keys(TENANT_TABLES)) await client.query(`drop view ${former}`);
    for (const [n, statement] of STATEMENTS.entries()) {
      await client.query('savepoint statement');
      refused.add(await codeOf(client.query(`prepare without_${n} as ${statement}`)));
      await client.query('rollback to savepoint statement');
    }
    await client.query('rollback');
    expect(refused).toContain('42P01');
  });

  it.each(Object.keys(TENANT_TABLES))('reads and writes only the rows of its tenant in %s', async (former) => {
    const columns = await columnsOf(client, former);
    const isTaken = `select org_id from ${former}`;
    await asTenant(PAIR.first, async () => {
      expect((await client.query(isTaken)).rows).toEqual([{ org_id: PAIR.first }]);
      await client.query(`select set_config('app.org_id', '', true)`);
      expect((await client.query(isTaken)).rows).toEqual([]);
    });
    // A row of another tenant can be neither added nor changed.
    await asTenant(PAIR.second, async () => {
      const foreign = `insert into ${former} (${columns}) overriding system value
        select ${columns.replace('org_id', `'${PAIR.first}'::uuid`)} from ${former}`;
      expect(await codeOf(client.query(foreign))).toBe('42501');
    });
    if (APPEND_ONLY.includes(former)) {
      await asTenant(PAIR.first, async () => expect(await codeOf(client.query(`delete from ${former}`))).toBe('42501'));
      return;
    }
    await asTenant(PAIR.first, async () => {
      expect((await client.query(`${isTaken} for update`)).rowCount).toBe(1);
      expect((await client.query(`update ${former} set org_id = org_id returning org_id`)).rowCount).toBe(1);
      expect((await client.query(`delete from ${former} where org_id = $1`, [PAIR.second])).rowCount).toBe(0);
      expect((await client.query(`delete from ${former}`)).rowCount).toBe(1);
    });
    await asTenant(PAIR.first, async () => {
      expect(await codeOf(client.query(`update ${former} set org_id = $1`, [PAIR.second]))).toBe('42501');
    });
    expect(await rowsOf(former)).toEqual(before.get(former));
  });

  it('hides rows of a private repository from a viewer through the former name', async () => {
    await client.query('begin');
    await client.query('set local session_replication_role = replica');
    await client.query(`update repository set private = true;
      update evidence_pull set repository_id = (select id from repository r where r.org_id = evidence_pull.org_id)`);
    await client.query(`set local role ${APP_ROLE}`);
    await client.query(`select set_config('app.org_id', $1, true)`, [PAIR.first]);
    expect((await client.query('select from evidence_pull')).rowCount).toBe(1);
    await client.query(`select set_config('app.viewer', '999', true)`);
    expect((await client.query('select from evidence_pull')).rowCount).toBe(0);
    await client.query('rollback');
  });

  it('takes a lock, replaces a token and counts under the former names of tables and columns', async () => {
    const [repository, release, holder] = ['1', '2', '3'].map((digit) => `00000000-0000-4000-8000-00000000000${digit}`);
    await asTenant(PAIR.first, async () => {
      const acquire = `insert into scope_claim as known (org_id, repository_id, issue_number, release_id, holder, until)
        values ($1, $2, 7, $3, $4, $5)
        on conflict (org_id, repository_id, issue_number) do update
        set release_id = excluded.release_id, holder = excluded.holder, until = excluded.until
        where known.until <= $6 returning holder`;
      const term = ['2026-01-01T00:00:00Z', '2025-12-31T00:00:00Z'];
      for (const rowCount of [1, 0]) {
        const { rowCount: taken } = await client.query(acquire, [PAIR.first, repository, release, holder, ...term]);
        expect(taken).toBe(rowCount);
      }
      const locks = await client.query('select lock_token from scope_lock where issue_number = 7');
      expect(locks.rows).toEqual([{ lock_token: holder }]);

      const save = `insert into host_token (org_id, repository_id, sealed_token, sealed_key, received_at)
        values ($1, $2, $3, 'key', now())
        on conflict (org_id, repository_id) do update set sealed_token = excluded.sealed_token`;
      for (const token of ['one', 'two']) await client.query(save, [PAIR.first, holder, token]);
      const tokens = await client.query('select encrypted_token from repository_token where repository_id = $1', [
        holder,
      ]);
      expect(tokens.rows).toEqual([{ encrypted_token: 'two' }]);

      await client.query(
        `with taken as (delete from storage_tally returning *)
         insert into storage_tally (org_id, bytes) select org_id, sum(bytes) + 5 from taken group by org_id`,
      );
      expect((await client.query('select from storage_usage_change')).rowCount).toBe(1);
    });
  });

  it('signs users in through the former functions, in the sessions that the new version reads', async () => {
    await withDedicatedClient(database.appUrl, async (app) => {
      await app.query(
        `select remember_person(4711, 'ada', 'Ada', 'https://avatars.example.com/1', 'sealed', null, null, null, now())`,
      );
      await app.query(`select open_session($2, 4711, $1, now())`, [PAIR.first, SESSION]);
      const window = `now() - interval '1 day', now() - interval '1 day', now() + interval '1 day'`;
      const former = await app.query(`select person, login from read_session('\\x09', ${window})`);
      const present = await app.query(`select user_id as person, login from get_session('\\x09', ${window})`);
      expect(former.rows).toEqual([{ person: '4711', login: 'ada' }]);
      expect(present.rows).toEqual(former.rows);
      const until = `now() + interval '1 minute', now() + interval '1 hour'`;
      const leases = await app.query(
        `select claim_token_refresh(4711, 1, now(), ${until}) as one, lease_token_refresh(4711, 1, now(), ${until}) as two`,
      );
      expect(leases.rows).toEqual([{ one: true, two: false }]);
      expect(await codeOf(app.query('select from user_account'))).toBe('42501');
    });
  });
});

describe('the return to the previous version', () => {
  it('restores every name and every row', async () => {
    const undo = migrations.slice(migrations.indexOf(RenameUserAccounts1790709000000)).toReversed();
    await client.query('delete from session where id_hash = $1', [SESSION]);
    await client.query(`delete from user_account where github_id = 4711`);
    await client.query('begin');
    await client.query('grant create on schema public to shipgate_lookup; set local role shipgate_owner');
    for (const migration of undo) await new migration().down({ query: (sql: string) => client.query(sql) } as never);
    await client.query('reset role; revoke create on schema public from shipgate_lookup; commit');
    for (const [table, rows] of before) expect({ table, rows: await rowsOf(table) }).toEqual({ table, rows });
    expect(await schema()).toBe(schemaBefore);
  });
});

describe('a job of the previous version', () => {
  it('is run by the present handler with its former payload', async () => {
    const env = await TestEnvironment.start({ BILLING: 'off' });
    try {
      const scenario = new RepositoryScenario(env, { name: 'payments' });
      scenario.milestone('v1.0.0');
      const orgId = await env.install();
      const [release] = await env.asSuperuser<{ readonly id: string; readonly repository: string }>(
        'select id, repository_id as repository from release',
      );
      const payload = {
        orgId,
        repositoryId: release?.repository,
        releaseId: release?.id,
        releaseIds: [release?.id],
        person: scenario.reviewer.id,
        cause: 'upgrade',
        headSha: scenario.commit(),
        mergeGroup: null,
      };
      await env.database.inTenant(orgId, (tx) =>
        tx.query(`insert into host_token (org_id, repository_id, sealed_token, sealed_key, received_at)
          select org_id, id, 'sealed', 'key', '2020-01-01' from repository`),
      );
      await env.asSuperuser(
        `create table finished (task text); grant insert on finished to ${APP_ROLE};
         create function note() returns trigger language plpgsql as $$ begin
           insert into public.finished select identifier from ${JOB_NAME_TABLE} where id = old.task_id; return null; end $$;
         create trigger note after delete on ${JOB_TABLE} for each row execute function note()`,
      );
      for (const former of Object.keys(FORMER_JOB_NAMES)) {
        await env.asSuperuser(`select graphile_worker.add_job('${former}', '${JSON.stringify(payload)}'::json)`);
      }
      await env.waitUntilIdle();
      const finished = await env.asSuperuser<{ readonly task: string }>('select distinct task from finished');
      expect(finished.map(({ task }) => task)).toEqual(expect.arrayContaining(Object.keys(FORMER_JOB_NAMES)));
      const failed = 'select last_error from graphile_worker.jobs where last_error is not null';
      expect(await env.asSuperuser(failed)).toEqual([]);
      expect(await env.asSuperuser('select from repository_token')).toEqual([]);
    } finally {
      await env.stop();
    }
  });
});
