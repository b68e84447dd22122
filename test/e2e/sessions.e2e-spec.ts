import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { NO_USER_ID } from '../../src/database/database.js';
import type { OrgId } from '../../src/database/ids.js';
import { TestEnvironment } from '../support/world.js';

let world: TestEnvironment;
let orgId: OrgId;

beforeAll(async () => {
  world = await TestEnvironment.start();
  world.github.createRepository(world.organization, { name: 'open', private: false });
  world.github.createRepository(world.organization, { name: 'secret', private: true });
  orgId = await world.install();
});
afterAll(() => world.stop());

describe('a viewer', () => {
  const seenBy = (person: number): Promise<string[]> =>
    world.database.asViewer({ orgId, userId: person }, async (tx) =>
      (await tx.query<{ name: string }>('select name from repository order by name')).map(({ name }) => name),
    );

  it('is shown no private repository but those that the code host lets them read', async () => {
    await world.database.inTenant(orgId, async (tx) => {
      await tx.query(
        `insert into member (org_id, person, role, joined_at, confirmed_at) values ($1, 7, 'member', now(), now())`,
        [orgId],
      );
      await tx.query(
        `insert into repository_access (org_id, person, repository_github_id)
         select $1, 7, github_id from repository where name = 'secret'`,
        [orgId],
      );
    });
    expect(await seenBy(7)).toEqual(['open', 'secret']);
    expect(await seenBy(8)).toEqual(['open']);
    expect(await seenBy(NO_USER_ID)).toEqual(['open']);
  });
});
