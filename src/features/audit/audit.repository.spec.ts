import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { FixedClock } from '../../../test/support/fixed-clock.js';
import { Database, type TenantTransaction } from '../../database/database.js';
import { withDedicatedClient } from '../../database/dedicated-client.js';
import { type OrgId, toOrgId } from '../../database/ids.js';
import type { JsonObject } from '../../domain/audit/canonical-json.js';
import { WorkspacesQueries } from '../../workspaces/workspaces.queries.js';
import { AuditVerificationService } from './audit-verification.service.js';
import { AuditRepository, type NewAuditEntry } from './audit.repository.js';

interface StoredColumns {
  readonly sequence: number;
  readonly actor: object;
  readonly data: object;
  readonly previousHash: string;
  readonly hash: string;
}

const clock = new FixedClock(new Date('2026-05-04T10:00:00.123Z'));
const repository = new AuditRepository(clock);
const POOL = 12;

let test: TestDatabase;
let database: Database;
let orgId: OrgId;

beforeAll(async () => {
  test = await createTestDatabase();
  database = await Database.open({ url: test.appUrl, poolSize: POOL });
});
afterAll(async () => {
  await database.close();
  await test.drop();
});
let nextGithubId = 1;
async function givenWorkspace(): Promise<OrgId> {
  const orgId = toOrgId(randomUUID());
  nextGithubId += 1;
  await database.inTenant(orgId, (tx) =>
    tx.query(`insert into organization (org_id, github_id, login, created_at) values ($1, $2, 'acme', now())`, [
      orgId,
      nextGithubId,
    ]),
  );
  return orgId;
}
beforeEach(async () => {
  orgId = await givenWorkspace();
});

const ADA = { type: 'person', id: 7, login: 'ada' } as const;
const entry = (changes: Partial<NewAuditEntry> = {}): NewAuditEntry => ({
  actor: ADA,
  action: 'member.joined',
  subject: 'grace',
  data: {},
  repositoryIds: [],
  ...changes,
});
const append = (changes?: Partial<NewAuditEntry>, to = orgId): Promise<void> =>
  database.inTenant(to, (tx) => repository.append(tx, entry(changes)));
const stored = (of = orgId): Promise<StoredColumns[]> =>
  database.inTenant(of, (tx) =>
    tx.query<StoredColumns>(
      `select sequence::integer as sequence, actor, data, previous_hash as "previousHash", hash from audit_entry order by sequence`,
    ),
  );
/** Returns for each advisory lock in the database whether it is granted or waited for. */
const advisoryLocks = async (): Promise<boolean[]> =>
  withDedicatedClient(test.superuserUrl, async (client) => {
    const { rows } = await client.query<{ granted: boolean }>(
      `select granted from pg_locks where locktype = 'advisory'
       and database = (select oid from pg_database where datname = current_database())`,
    );
    return rows.map(({ granted }) => granted);
  });
const until = async (holds: () => Promise<boolean>): Promise<void> => {
  while (!(await holds())) await sleep(5);
};
async function faults(): Promise<unknown[]> {
  const found: unknown[] = [];
  const verification = new AuditVerificationService(database, repository, new WorkspacesQueries(database));
  for await (const { fault } of verification.verify([])) if (fault !== null) found.push(fault);
  return found;
}

describe('the audit log', () => {
  it('numbers the entries of each workspace and chains each to the one before it', async () => {
    const other = await givenWorkspace();
    await append({ actor: { type: 'service' }, subject: 'first' });
    await append({ subject: 'elsewhere' }, other);
    await append({ subject: 'second' });
    const [first, second] = await stored();
    expect(first).toMatchObject({ sequence: 1, actor: { type: 'service' }, previousHash: '0'.repeat(64) });
    expect(second).toMatchObject({ sequence: 2, actor: ADA, previousHash: first?.hash });
    expect(await stored(other)).toEqual([expect.objectContaining({ sequence: 1, previousHash: '0'.repeat(64) })]);
    expect(await faults()).toEqual([]);
  });

  it('appends several entries in one transaction', async () => {
    await database.inTenant(orgId, async (tx) => {
      for (const subject of ['a', 'b', 'c']) await repository.append(tx, entry({ subject }));
    });
    expect((await stored()).map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
    expect(await faults()).toEqual([]);
  });

  it('saves no entry of a failed transaction and leaves no gap', async () => {
    await append();
    const failed = database.inTenant(orgId, async (tx) => {
      await repository.append(tx, entry({ subject: 'undone' }));
      throw new Error('changed my mind');
    });
    await expect(failed).rejects.toThrow('changed my mind');
    await append();
    expect((await stored()).map(({ sequence }) => sequence)).toEqual([1, 2]);
    expect(await faults()).toEqual([]);
  });

  it('has no gap and no fork when 50 transactions append at once', async () => {
    const other = await givenWorkspace();
    await Promise.all(Array.from({ length: 50 }, (_, n) => append({ data: { n } }, n % 5 === 0 ? other : orgId)));
    const [entries, elsewhere] = [await stored(), await stored(other)];
    expect(entries.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 40 }, (_, n) => n + 1));
    expect(elsewhere.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 10 }, (_, n) => n + 1));
    expect(new Set([...entries, ...elsewhere].map(({ data }) => (data as { n: number }).n)).size).toBe(50);
    expect(await faults()).toEqual([]);
  });

  it('waits for an entry that is not committed yet and chains the next one to it', async () => {
    let letGo = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const first = database.inTenant(orgId, async (tx) => {
      await repository.append(tx, entry({ subject: 'slow' }));
      await held;
    });
    await until(async () => (await advisoryLocks()).includes(true));
    const second = append({ subject: 'quick' });
    await until(async () => (await advisoryLocks()).includes(false));
    letGo();
    await Promise.all([first, second]);
    const [one, two] = await stored();
    expect(two).toMatchObject({ sequence: 2, previousHash: one?.hash });
  });

  it.each<[string, JsonObject]>([
    ['text of any script', { text: 'Ωμέγα 🚀 \u202e"\\\n\u2028\u007f\u001f' }],
    ['members in an unusual order', { bb: 1, a: 2, 10: 3, 9: 4, é: 5, '\ufb33': 6, '🚀': 7 }],
    ['the largest numbers', { most: Number.MAX_SAFE_INTEGER, least: Number.MIN_SAFE_INTEGER, none: 0 }],
    ['nested values', { a: [[], {}, [{ b: { c: [null, true, false, ''] } }]], d: null }],
    ['text that looks like a number', { text: '1e21', nested: ['-0', '0.1'] }],
    [
      'members with the names of built-in properties',
      JSON.parse('{"__proto__": {"x": 1}, "constructor": 1}') as JsonObject,
    ],
  ])('saves %s unchanged, with the right hash', async (_, data) => {
    await append({ data, subject: `of ${Object.keys(data).join(' ')}` });
    expect((await stored())[0]?.data).toEqual(data);
    expect(await faults()).toEqual([]);
  });

  it.each<[string, Partial<NewAuditEntry>]>([
    ['negative zero', { data: { n: -0 } }],
    ['a number with an exponent', { data: { n: 1e21 } }],
    ['a fraction', { data: { n: [0.1] } }],
    ['NUL in its data', { data: { text: 'a\0' } }],
    ['NUL in the name of a member', { data: { 'a\0': 1 } }],
    ['a lone surrogate in its data', { data: { text: ['\ud83d'] } }],
    ['a lone surrogate in its subject', { subject: 'a\udc00' }],
    ['NUL in its actor', { actor: { type: 'person', id: 7, login: 'a\0' } }],
    ['an actor without a number', { actor: { type: 'person', id: Number.NaN, login: 'ada' } }],
    ['a date', { data: { at: new Date(0) } as unknown as JsonObject }],
    ['an undefined value', { data: { at: undefined } as unknown as JsonObject }],
  ])('rejects %s before it is stored', async (_, changes) => {
    const tried = append(changes);
    await expect(tried).rejects.toThrow(TypeError);
    await expect(tried).rejects.toThrow(/^An audit entry \(member\.joined\) cannot be stored with /);
    expect(await stored()).toEqual([]);
  });

  it.each([
    ['update an entry', `update audit_entry set subject = 'eve'`],
    ['delete an entry', 'delete from audit_entry'],
    ['truncate the table', 'truncate audit_entry'],
    ['drop the table', 'drop table audit_entry'],
    ['disable row-level security', 'alter table audit_entry disable row level security'],
  ])('does not allow the service to %s', async (_, statement) => {
    await append();
    await expect(database.inTenant(orgId, (tx: TenantTransaction) => tx.query(statement))).rejects.toMatchObject({
      code: '42501',
    });
    expect(await stored()).toHaveLength(1);
  });

  it('rejects a second entry with the same number', async () => {
    await append();
    await append();
    const copy = database.inTenant(orgId, (tx) =>
      tx.query(
        `insert into audit_entry select org_id, sequence, gen_random_uuid(), at, actor, action, subject, data, previous_hash, hash,
           repository_ids from audit_entry where sequence = 2`,
      ),
    );
    await expect(copy).rejects.toMatchObject({ code: '23505' });
  });

  it('rejects an entry for another workspace', async () => {
    const other = await givenWorkspace();
    await append();
    const moved = database.inTenant(orgId, (tx) =>
      tx.query(
        `insert into audit_entry select $1, sequence, id, at, actor, action, subject, data, previous_hash, hash, repository_ids
         from audit_entry`,
        [other],
      ),
    );
    await expect(moved).rejects.toMatchObject({ code: '42501' });
    const rows = await withDedicatedClient(test.superuserUrl, (client) =>
      client.query('select from audit_entry where org_id = $1', [other]),
    );
    expect(rows.rowCount).toBe(0);
  });
});
