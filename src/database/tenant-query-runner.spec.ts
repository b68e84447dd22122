import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes, randomUUID } from 'node:crypto';
import type { Connection } from 'pg';
import { type EntityManager, In, IsNull } from 'typeorm';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.js';
import { Database, NO_USER_ID, type TenantTransaction } from './database.js';
import { ApiKeyEntity, ProjectEntity, OrganizationEntity } from './entities.js';
import { toOrgId, type OrgId } from './ids.js';
import type { TenantEntityManager } from './tenant-query-runner.js';

const NOW = new Date('2026-03-29T00:30:00.000Z');
let nextGithubId = 1;

const organization = (orgId: OrgId): Pick<OrganizationEntity, 'orgId' | 'githubId' | 'login' | 'createdAt'> => ({
  orgId,
  githubId: nextGithubId++,
  login: 'acme',
  createdAt: NOW,
});
const project = (
  orgId: OrgId,
  name = 'Payments',
): Omit<ProjectEntity, 'description' | 'lowerDescription' | 'targetDate'> => ({
  orgId,
  id: randomUUID(),
  name,
  lowerName: name.toLowerCase(),
  createdAt: NOW,
  updatedAt: NOW,
});
const apiKey = (orgId: OrgId): Omit<ApiKeyEntity, 'repositoryIds' | 'expiresAt' | 'revokedAt' | 'lastUsedAt'> => ({
  orgId,
  id: randomUUID(),
  name: 'Jenkins',
  prefix: 'sgk_4fZq0B',
  secretHash: randomBytes(32),
  scopes: ['evidence:write', 'gate:read'],
  createdBy: 'octo',
  createdAt: NOW,
});

describe('the entity manager of a tenant', () => {
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

  /** Creates a workspace and returns its id. */
  const createOrganization = async (): Promise<OrgId> => {
    const orgId = toOrgId(randomUUID());
    await database.inTenant(orgId, (tx) => tx.manager.insert(OrganizationEntity, organization(orgId)));
    return orgId;
  };
  /** The manager with all of its methods, as code that ignores the declared type can call them. */
  const unrestricted = (tx: TenantTransaction): EntityManager => tx.manager as EntityManager;

  describe('stored values', () => {
    it('reads texts, times, days and nulls', async () => {
      const orgId = await createOrganization();
      const stored = { ...project(orgId), description: null, lowerDescription: null, targetDate: '2026-03-29' };
      await database.inTenant(orgId, (tx) => tx.manager.insert(ProjectEntity, stored));
      const found = await database.inTenant(orgId, (tx) => tx.manager.findOneBy(ProjectEntity, { id: stored.id }));
      expect(found).toEqual(stored);
    });

    it('reads arrays and bytes', async () => {
      const orgId = await createOrganization();
      const stored = { ...apiKey(orgId), repositoryIds: [randomUUID(), randomUUID()] };
      await database.inTenant(orgId, (tx) => tx.manager.insert(ApiKeyEntity, stored));
      const found = await database.inTenant(orgId, (tx) => tx.manager.findOneBy(ApiKeyEntity, { id: stored.id }));
      expect(found).toMatchObject(stored);
    });

    it('reads JSON and large numbers', async () => {
      const orgId = toOrgId(randomUUID());
      const stored = { ...organization(orgId), installationId: 2 ** 53 - 1, grantedPermissions: { actions: 'read' } };
      await database.inTenant(orgId, (tx) => tx.manager.insert(OrganizationEntity, stored));
      const found = await database.inTenant(orgId, (tx) => tx.manager.findOneBy(OrganizationEntity, { orgId }));
      expect(found).toMatchObject({ ...stored, plan: 'free' });
    });

    it('rejects a bigint that a number cannot represent', async () => {
      const orgId = await createOrganization();
      const found = database.inTenant(orgId, async (tx) => {
        await tx.query('update organization set installation_id = 9007199254740993');
        return tx.manager.findOneBy(OrganizationEntity, { orgId });
      });
      await expect(found).rejects.toThrow('9007199254740993 is too large for a number.');
    });
  });

  it('reports how many rows an update and a delete changed, and returns columns of them', async () => {
    const orgId = await createOrganization();
    const [first, second] = [project(orgId, 'One'), project(orgId, 'Two')];
    await database.inTenant(orgId, async (tx) => {
      await tx.manager.insert(ProjectEntity, [first, second]);
      const updated = await tx.manager.update(
        ProjectEntity,
        { id: In([first.id, second.id]) },
        { targetDate: '2027-01-01' },
      );
      expect(updated.affected).toBe(2);
      const renamed = await tx.manager.update(
        ProjectEntity,
        { id: first.id, description: IsNull() },
        { name: 'Three' },
        { returning: ['name', 'lowerName'] },
      );
      expect(renamed.raw).toEqual([{ name: 'Three', lower_name: 'one' }]);
      expect((await tx.manager.delete(ProjectEntity, { id: second.id })).affected).toBe(1);
      expect((await tx.manager.delete(ProjectEntity, { id: second.id })).affected).toBe(0);
      expect(await tx.manager.countBy(ProjectEntity, { name: 'Three' })).toBe(1);
    });
  });

  it('returns inserted and unchanged rows of an insert with a conflict', async () => {
    const orgId = await createOrganization();
    const stored = project(orgId);
    await database.inTenant(orgId, async (tx) => {
      const insert = () =>
        tx.manager
          .createQueryBuilder()
          .insert()
          .into(ProjectEntity)
          .values(stored)
          .orIgnore()
          .returning(['name'])
          .execute();
      expect((await insert()).raw).toEqual([{ name: 'Payments' }]);
      expect((await insert()).raw).toEqual([]);
    });
  });

  it('locks rows', async () => {
    const orgId = await createOrganization();
    const { id } = project(orgId);
    const found = await database.inTenant(orgId, (tx) =>
      tx.manager.findOne(ProjectEntity, { where: { id }, lock: { mode: 'pessimistic_write' } }),
    );
    expect(found).toBeNull();
  });

  it('runs each call as one statement, and sends the first together with the begin', async () => {
    const orgId = await createOrganization();
    const single = await Database.open({ url: test.appUrl, poolSize: 1 });
    const client = await single.pool.connect();
    let answers = 0;
    const connection: Connection = Reflect.get(client, 'connection');
    connection.on('readyForQuery', () => (answers += 1));
    client.release();
    await single.inTenant(orgId, () => Promise.resolve());
    const stored = project(orgId);
    const count = async (work: (manager: TenantEntityManager) => Promise<unknown>): Promise<number> => {
      answers = 0;
      await single.inTenant(orgId, (tx) => work(tx.manager));
      return answers - 1; // The commit.
    };
    expect(await count((manager) => manager.insert(ProjectEntity, stored))).toBe(1);
    expect(await count((manager) => manager.findOneBy(ProjectEntity, { id: stored.id }))).toBe(1);
    expect(await count((manager) => manager.update(ProjectEntity, { id: stored.id }, { name: 'Orders' }))).toBe(1);
    expect(await count((manager) => manager.delete(ProjectEntity, { id: stored.id }))).toBe(1);
    expect(await count(async (manager) => [await manager.find(ProjectEntity), await manager.find(ProjectEntity)])).toBe(
      2,
    );
    await single.close();
  });

  describe('one tenant', () => {
    it('neither reads nor changes rows of another tenant', async () => {
      const [mine, other] = [await createOrganization(), await createOrganization()];
      const stored = project(other);
      await database.inTenant(other, (tx) => tx.manager.insert(ProjectEntity, stored));
      await database.inTenant(mine, async ({ manager }) => {
        expect(await manager.find(ProjectEntity)).toEqual([]);
        expect(await manager.findOneBy(ProjectEntity, { orgId: other, id: stored.id })).toBeNull();
        expect(await manager.existsBy(ProjectEntity, { id: stored.id })).toBe(false);
        expect((await manager.update(ProjectEntity, { id: stored.id }, { name: 'Stolen' })).affected).toBe(0);
        expect((await manager.delete(ProjectEntity, { id: stored.id })).affected).toBe(0);
        expect(await manager.createQueryBuilder(ProjectEntity, 'p').getMany()).toEqual([]);
      });
      expect(await database.inTenant(other, (tx) => tx.manager.findBy(ProjectEntity, { id: stored.id }))).toMatchObject(
        [{ name: 'Payments' }],
      );
    });

    it('cannot insert a row of another tenant, or move one to it', async () => {
      const [mine, other] = [await createOrganization(), await createOrganization()];
      const inserted = database.inTenant(mine, (tx) => tx.manager.insert(ProjectEntity, project(other)));
      await expect(inserted).rejects.toMatchObject({ code: '42501' });
      const moved = database.inTenant(mine, async (tx) => {
        await tx.manager.insert(ProjectEntity, project(mine));
        await tx.manager.update(ProjectEntity, { orgId: mine }, { orgId: other });
      });
      await expect(moved).rejects.toMatchObject({ code: '42501' });
    });

    it('hides what the viewer cannot read, and writes nothing in a read-only transaction', async () => {
      const orgId = await createOrganization();
      const viewer = { orgId, userId: NO_USER_ID };
      expect(await database.readOnlyAsViewer(viewer, (tx) => tx.manager.find(OrganizationEntity))).toHaveLength(1);
      const written = database.readOnlyAsViewer(viewer, (tx) => tx.manager.insert(ProjectEntity, project(orgId)));
      await expect(written).rejects.toMatchObject({ code: '25006' });
    });
  });

  it('saves nothing if the transaction fails', async () => {
    const orgId = await createOrganization();
    const failed = database.inTenant(orgId, async (tx) => {
      await tx.manager.insert(ProjectEntity, project(orgId));
      throw new Error('stop');
    });
    await expect(failed).rejects.toThrow('stop');
    expect(await database.inTenant(orgId, (tx) => tx.manager.find(ProjectEntity))).toEqual([]);
  });

  it('repeats the transaction after a serialization failure', async () => {
    const orgId = await createOrganization();
    let attempts = 0;
    await database.inTenant(orgId, async (tx) => {
      attempts += 1;
      if (attempts === 1) await unrestricted(tx).query(`do $$ begin raise serialization_failure; end $$`);
    });
    expect(attempts).toBe(2);
  });

  it('rejects every statement after the transaction ended', async () => {
    const orgId = await createOrganization();
    let ended!: TenantTransaction;
    const builder = await database.inTenant(orgId, async (tx) => {
      ended = tx;
      await tx.manager.find(ProjectEntity);
      return tx.manager.createQueryBuilder(ProjectEntity, 'p');
    });
    const message = 'This transaction has ended.';
    await expect(ended.manager.find(ProjectEntity)).rejects.toThrow(message);
    await expect(ended.manager.insert(ProjectEntity, project(orgId))).rejects.toThrow(message);
    await expect(builder.getMany()).rejects.toThrow(message);
  });

  it('cannot begin or end a transaction, and cannot take a connection', async () => {
    const orgId = await createOrganization();
    await database.inTenant(orgId, async (tx) => {
      const manager = unrestricted(tx);
      const runner = manager.queryRunner;
      if (!runner) throw new Error('The manager has no query runner.');
      await expect(manager.transaction(() => Promise.resolve())).rejects.toThrow('cannot begin a transaction');
      await expect(runner.startTransaction()).rejects.toThrow('cannot begin a transaction');
      await expect(runner.commitTransaction()).rejects.toThrow('cannot commit');
      await expect(runner.rollbackTransaction()).rejects.toThrow('cannot roll back');
      await expect(runner.connect()).rejects.toThrow('cannot take a connection');
      await expect(runner.stream('select 1')).rejects.toThrow('pg-query-stream');
      await expect(manager.release()).rejects.toThrow('cannot release its connection');
      // None of these calls changed the transaction.
      expect(await tx.manager.find(OrganizationEntity)).toHaveLength(1);
    });
  });

  it('saves and removes entities in the transaction of the tenant', async () => {
    const orgId = await createOrganization();
    const saved = database.inTenant(orgId, async (tx) => {
      await unrestricted(tx).save(ProjectEntity, project(orgId));
      expect(await tx.query('select from project')).toHaveLength(1);
      throw new Error('stop');
    });
    await expect(saved).rejects.toThrow('stop');
    expect(await database.inTenant(orgId, (tx) => tx.manager.find(ProjectEntity))).toEqual([]);
  });

  it('finds no rows of tenants over other connections of its data source', async () => {
    const orgId = await createOrganization();
    await database.inTenant(orgId, async (tx) => {
      expect(await unrestricted(tx).dataSource.manager.find(OrganizationEntity)).toEqual([]);
    });
  });

  it('rejects a condition without a value instead of ignoring it', async () => {
    const orgId = await createOrganization();
    await database.inTenant(orgId, async ({ manager }) => {
      for (const id of [undefined, null] as unknown as string[]) {
        await expect(manager.findOneBy(ProjectEntity, { id })).rejects.toThrow(/where/i);
        await expect(manager.find(ProjectEntity, { where: { id } })).rejects.toThrow(/where/i);
        await expect(manager.update(ProjectEntity, { id }, { name: 'All' })).rejects.toThrow(/where/i);
        await expect(manager.delete(ProjectEntity, { id })).rejects.toThrow(/where/i);
      }
      await expect(manager.delete(ProjectEntity, {})).rejects.toThrow(/empty criteria/i);
    });
  });

  it('is created once per transaction', async () => {
    await database.inTenant(await createOrganization(), (tx) => {
      expect(tx.manager).toBe(tx.manager);
      return Promise.resolve();
    });
  });
});
