import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { FixedClock } from '../../../test/support/fixed-clock.js';
import { parseHead, verifyAudit } from '../../cli/commands/audit-command.js';
import { Database } from '../../database/database.js';
import { withDedicatedClient } from '../../database/dedicated-client.js';
import { type OrgId, toOrgId } from '../../database/ids.js';
import type { ChainHead } from '../../domain/audit/hash-chain.js';
import { WorkspacesQueries } from '../../workspaces/workspaces.queries.js';
import { AuditVerificationService, type ChainReport, type TrustedChainHead } from './audit-verification.service.js';
import { AuditRepository } from './audit.repository.js';

const ENTRIES = 5;
const clock = new FixedClock(new Date('2026-05-04T10:00:00.123Z'));
const repository = new AuditRepository(clock);

let test: TestDatabase;
let database: Database;
let verification: AuditVerificationService;
let orgId: OrgId;
let neighbour: OrgId;
let asWritten: Snapshot;

beforeAll(async () => {
  test = await createTestDatabase();
  database = await Database.open({ url: test.appUrl, poolSize: 4 });
  verification = new AuditVerificationService(database, repository, new WorkspacesQueries(database));
  [orgId, neighbour] = [await givenChain('acme', ENTRIES), await givenChain('globex', 2)];
  asWritten = await snapshot();
});
afterEach(() => restore(asWritten));
afterAll(async () => {
  await database.close();
  await test.drop();
});

async function givenChain(login: string, entries: number): Promise<OrgId> {
  const orgId = toOrgId(randomUUID());
  await database.inTenant(orgId, async (tx) => {
    await tx.query(`insert into organization (org_id, github_id, login, created_at) values ($1, $2, $3, now())`, [
      orgId,
      login.length + entries,
      login,
    ]);
    for (let n = 1; n <= entries; n += 1) {
      await repository.append(tx, {
        actor: { type: 'person', id: 7, login: 'ada' },
        action: 'member.joined',
        subject: `person ${n}`,
        data: { n, role: 'member', nested: { b: [1, 2], a: '🚀' } },
        repositoryIds: [],
      });
    }
  });
  return orgId;
}

type Snapshot = Readonly<Record<'organization' | 'audit_entry', string>>;

const snapshot = (): Promise<Snapshot> =>
  withDedicatedClient(test.superuserUrl, async (client) => {
    const { rows } = await client.query<Snapshot>(
      `select (select json_agg(o)::text from organization o) as organization,
         (select json_agg(e)::text from audit_entry e) as audit_entry`,
    );
    return rows[0]!;
  });

const restore = (rows: Snapshot): Promise<void> =>
  withDedicatedClient(test.superuserUrl, async (client) => {
    await client.query(
      'delete from event; delete from event_sequence; delete from audit_entry; delete from organization',
    );
    for (const table of ['organization', 'audit_entry'] as const) {
      // Postgres accepts no value for a generated column.
      const { rows: columns } = await client.query<{ readonly name: string }>(
        `select attname as name from pg_attribute
         where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
        [table],
      );
      const names = columns.map(({ name }) => name).join(', ');
      await client.query(
        `insert into ${table} (${names}) select ${names} from json_populate_recordset(null::${table}, $1)`,
        [rows[table]],
      );
    }
  });

/** Changes rows like the owner of the database: without policies, grants and triggers. */
const tamper = (statement: string): Promise<unknown> =>
  withDedicatedClient(test.superuserUrl, (client) =>
    client.query(`set session_replication_role = replica; ${statement.replaceAll('$org', `org_id = '${orgId}'`)}`),
  );

async function verify(stored: readonly TrustedChainHead[] = []): Promise<readonly ChainReport[]> {
  const reports: ChainReport[] = [];
  for await (const report of verification.verify(stored)) reports.push(report);
  return reports;
}

const acme = async (stored?: readonly TrustedChainHead[]): Promise<ChainReport> => (await verify(stored))[0]!;
const headAt = async (sequence: number): Promise<ChainHead> => {
  const [row] = await database.inTenant(orgId, (tx) =>
    tx.query<{ hash: string }>('select hash from audit_entry where sequence = $1', [sequence]),
  );
  return { sequence, hash: row!.hash };
};

const COLUMNS: Readonly<Record<string, string>> = {
  org_id: `org_id = (select org_id from organization where login = 'globex'), sequence = sequence + 100`,
  sequence: 'sequence = sequence + 100',
  id: 'id = gen_random_uuid()',
  'at, by a day': `at = at - interval '1 day'`,
  'at, by a microsecond': `at = at + interval '1 microsecond'`,
  'at, to another era': `at = to_timestamp(to_char(at, 'YYYY-MM-DD HH24:MI:SS.US') || ' BC', 'YYYY-MM-DD HH24:MI:SS.US BC')`,
  'at, to no time': `at = 'infinity'`,
  actor: `actor = jsonb_set(actor, '{login}', '"eve"')`,
  'actor, by a member more': `actor = actor || '{"name": null}'`,
  action: `action = 'member.removed'`,
  subject: `subject = subject || ' '`,
  'data, a member': `data = jsonb_set(data, '{role}', '"admin"')`,
  'data, by a member less': `data = data - 'role'`,
  'data, deep down': `data = jsonb_set(data, '{nested,b,1}', '3')`,
  'data, the order of an array': `data = jsonb_set(data, '{nested,b}', '[2, 1]')`,
  'data, by less than JavaScript can tell': `data = jsonb_set(data, '{n}', ((data->>'n') || '.00000000000000000000001')::jsonb)`,
  'data, from a number to text': `data = jsonb_set(data, '{n}', to_jsonb(data->>'n'))`,
  'data, to a list': `data = '[]'`,
  previous_hash: `previous_hash = overlay(previous_hash placing case when previous_hash like 'a%' then 'b' else 'a' end from 1)`,
  hash: `hash = overlay(hash placing case when hash like 'a%' then 'b' else 'a' end from 1)`,
  'hash, its case': 'hash = upper(hash)',
};

describe('the verification of the audit log', () => {
  it('reports every unchanged chain as intact, by login', async () => {
    expect(await verify()).toEqual([
      { orgId, login: 'acme', head: await headAt(ENTRIES), fault: null },
      { orgId: neighbour, login: 'globex', head: expect.objectContaining({ sequence: 2 }), fault: null },
    ]);
  });

  it.each(Object.entries(COLUMNS))('detects a changed %s in any row', async (_, change) => {
    for (let sequence = 1; sequence <= ENTRIES; sequence += 1) {
      await tamper(`update audit_entry set ${change} where $org and sequence = ${sequence}`);
      const reports = await verify();
      const found = { sequence, found: reports[0]?.fault?.sequence };
      // Only a trusted head shows that the last entries are missing. A moved row is detected at its new position.
      const isMovedAway = change.includes('sequence = ') && sequence === ENTRIES && change.includes('org_id');
      if (isMovedAway) expect(reports[1]?.fault).toMatchObject({ sequence: 3 });
      else expect(found).toEqual({ sequence, found: sequence });
      await restore(asWritten);
    }
    expect((await verify()).map(({ fault }) => fault)).toEqual([null, null]);
  });

  it.each([1, 2, 4])('detects that entry %d was deleted', async (sequence) => {
    await tamper(`delete from audit_entry where $org and sequence = ${sequence}`);
    expect((await acme()).fault).toEqual({ sequence, detail: `it is missing: the next is ${sequence + 1}` });
  });

  it('reports that the last entries were deleted only if a former head is given', async () => {
    const stored = { orgId, ...(await headAt(ENTRIES)) };
    await tamper(`delete from audit_entry where $org and sequence >= ${ENTRIES - 1}`);
    expect((await acme()).fault).toBeNull();
    expect((await acme([stored])).fault).toEqual({
      sequence: ENTRIES - 1,
      detail: 'it is missing: a saved head is later',
    });
  });

  it('reports that all entries and the workspace were deleted if a former head is given', async () => {
    const stored = { orgId, ...(await headAt(2)) };
    await tamper('delete from audit_entry where $org');
    expect(await acme()).toMatchObject({ head: { sequence: 0 }, fault: null });
    expect((await acme([stored])).fault).toMatchObject({ sequence: 1 });
    await tamper('delete from organization where $org');
    expect(await verify([stored, stored])).toEqual([
      expect.objectContaining({ login: 'globex', fault: null }),
      expect.objectContaining({ orgId, login: '?', fault: expect.objectContaining({ sequence: 1 }) }),
    ]);
  });

  it('finds a former head in a longer chain', async () => {
    const stored = { orgId, ...(await headAt(3)) };
    expect((await acme([stored])).fault).toBeNull();
    expect((await acme([{ ...stored, hash: 'a'.repeat(64) }])).fault).toMatchObject({ sequence: 3 });
    expect((await acme([{ ...stored, orgId: neighbour }])).fault).toBeNull();
  });

  it('detects entries that changed places', async () => {
    await tamper(
      `update audit_entry set sequence = case sequence when 2 then 13 else 12 end where $org and sequence in (2, 3)`,
    );
    await tamper('update audit_entry set sequence = sequence - 10 where $org and sequence > 10');
    expect((await acme()).fault).toMatchObject({ sequence: 2 });
  });

  it('detects a row with an impossible or a repeated number', async () => {
    const copy = (sequence: number): string =>
      `insert into audit_entry select org_id, ${sequence}, gen_random_uuid(), at, actor, action, subject, data, previous_hash, hash, repository_ids
       from audit_entry where $org and sequence = 2`;
    await tamper(
      'alter table audit_entry drop constraint audit_entry_sequence_check, drop constraint audit_entry_pkey',
    );
    await tamper(copy(0));
    expect((await acme()).fault).toEqual({ sequence: 1, detail: '6 entries are stored up to number 5' });
    await tamper(`delete from audit_entry where sequence = 0; ${copy(5)}`);
    // Either of two rows with the same number may be read first.
    expect([5, 6]).toContain((await acme()).fault?.sequence);
    await restore(asWritten);
    await tamper('alter table audit_entry add check (sequence > 0), add primary key (org_id, sequence)');
  });

  it('reads more than one batch while other transactions append entries', async () => {
    const many = await givenChain('initech', 2_050);
    let added = 0;
    for await (const { fault } of verification.verify([])) {
      expect(fault).toBeNull();
      await database.inTenant(many, (tx) =>
        repository.append(tx, {
          actor: { type: 'service' },
          action: 'plan.upgraded',
          subject: 'pro',
          data: {},
          repositoryIds: [],
        }),
      );
      added += 1;
    }
    const [, , initech] = await verify();
    expect(initech).toMatchObject({ orgId: many, head: { sequence: 2_050 + added }, fault: null });
    await withDedicatedClient(test.superuserUrl, (client) =>
      client.query(`update audit_entry set subject = 'eve' where org_id = $1 and sequence = 1500`, [many]),
    );
    expect((await verify())[2]?.fault).toMatchObject({ sequence: 1_500 });
  });
});

describe('the command', () => {
  const run = async (stored: readonly TrustedChainHead[] = []): Promise<{ isIntact: boolean; lines: string[] }> => {
    const lines: string[] = [];
    return { isIntact: await verifyAudit(database, stored, (line) => lines.push(line)), lines };
  };

  it('prints a line for each workspace, with a head that can be given later', async () => {
    const { isIntact, lines } = await run();
    const { hash } = await headAt(ENTRIES);
    expect(isIntact).toBe(true);
    expect(lines).toEqual([
      `acme  5 entries  ${orgId}=5:${hash}  intact`,
      expect.stringMatching(/^globex {2}2 entries {2}[0-9a-f-]{36}=2:[0-9a-f]{64} {2}intact$/),
    ]);
    const stored = lines.map((line) => parseHead(line.split('  ')[2]!)!);
    expect(await run(stored)).toEqual({ isIntact, lines });
  });

  it('reports that there is nothing to verify', async () => {
    await tamper('delete from audit_entry; delete from organization');
    expect(await run()).toEqual({ isIntact: true, lines: ['There is no workspace.'] });
  });

  it('names the first entry that is not intact, and continues with the next workspace', async () => {
    const { hash } = await headAt(2);
    await tamper(`update audit_entry set subject = 'eve' where $org and sequence >= 3`);
    expect(await run()).toEqual({
      isIntact: false,
      lines: [
        `acme  2 entries  ${orgId}=2:${hash}  NOT INTACT at entry 3: its content and its hash disagree`,
        expect.stringContaining('  intact'),
      ],
    });
  });

  it.each([
    ['the id of a workspace, a number and a hash', (id: string) => `${id}=1:${'a'.repeat(64)}`, true],
    ['an empty chain', (id: string) => `${id}=0:${'0'.repeat(64)}`, true],
    ['an empty chain of another hash', (id: string) => `${id}=0:${'a'.repeat(64)}`, false],
    ['a login', () => `acme=1:${'a'.repeat(64)}`, false],
    ['a shorter hash', (id: string) => `${id}=1:${'a'.repeat(63)}`, false],
    ['a hash in upper case', (id: string) => `${id}=1:${'A'.repeat(64)}`, false],
    ['a number with a leading zero', (id: string) => `${id}=01:${'a'.repeat(64)}`, false],
    ['an empty text', () => '', false],
  ])('parses as a former head %s: %#', (_, text, isOne) => {
    expect(parseHead(text(orgId)) !== null).toBe(isOne);
  });
});
