import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.js';
import { FixedClock } from '../../test/support/fixed-clock.js';
import { Database } from '../database/database.js';
import { toOrgId } from '../database/ids.js';
import { KeyUsageRepository } from './key-usage.repository.js';

const NOW = new Date('2026-03-01T12:00:00Z');
const orgId = toOrgId(randomUUID());
const keys = Array.from({ length: 20 }, () => ({ orgId, keyId: randomUUID(), lastUsedAt: null }));

const clock = new FixedClock(NOW);
let test: TestDatabase;
let database: Database;
let repository: KeyUsageRepository;

beforeAll(async () => {
  test = await createTestDatabase();
  database = await Database.open({ url: test.appUrl });
  repository = new KeyUsageRepository(database, clock);
  await database.inTenant(orgId, async (tx) => {
    await tx.query(`insert into organization (org_id, github_id, login, created_at) values ($1, 1, 'acme', $2)`, [
      orgId,
      NOW,
    ]);
    await tx.query(
      `insert into api_key (org_id, id, name, prefix, secret_hash, scopes, created_by, created_at)
       select $1, id, 'deploy', 'sgk_', sha256(id::text::bytea), '{gate:read}', 'octocat', $3 from unnest($2::uuid[]) id`,
      [orgId, keys.map(({ keyId }) => keyId), NOW],
    );
  });
});

afterAll(async () => {
  await database.close();
  await test.drop();
});

describe('the use of keys', () => {
  it('is saved on one connection for any number of concurrent uses', async () => {
    for (const key of keys) repository.recordUse('api_key', key);
    await repository.flush();

    expect(database.pool.totalCount).toBe(1);
    const rows = await database.inTenant(orgId, (tx) => tx.query('select distinct last_used_at from api_key'));
    expect(rows).toEqual([{ last_used_at: NOW }]);
  });

  it('is saved once a minute, although other processes read the key before and after', async () => {
    const stale = keys[0]!;
    const lastUse = async (): Promise<unknown> =>
      (
        await database.inTenant(orgId, (tx) =>
          tx.query<{ last_used_at: Date }>('select last_used_at from api_key where id = $1', [stale.keyId]),
        )
      )[0]?.last_used_at;
    const others = [repository, new KeyUsageRepository(database, clock), new KeyUsageRepository(database, clock)];
    const everybodyNotes = async (): Promise<void> => {
      for (const other of others) other.recordUse('api_key', stale);
      await Promise.all(others.map((other) => other.flush()));
    };
    clock.advance(59_999);
    await everybodyNotes();
    expect(await lastUse()).toEqual(NOW);
    clock.advance(1);
    await everybodyNotes();
    expect(await lastUse()).toEqual(clock.now());
  });
});
