import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { NO_USER_ID } from '../../src/database/database.js';
import type { OrgId } from '../../src/database/ids.js';
import { TestEnvironment } from '../support/test-environment.js';

let env: TestEnvironment;
let orgId: OrgId;

beforeAll(async () => {
  env = await TestEnvironment.start();
  env.github.createRepository(env.organization, { name: 'open', private: false });
  env.github.createRepository(env.organization, { name: 'secret', private: true });
  orgId = await env.install();
});
afterAll(() => env.stop());

describe('a viewer', () => {
  const seenBy = (userId: number): Promise<string[]> =>
    env.database.asViewer({ orgId, userId }, async (tx) =>
      (await tx.query<{ name: string }>('select name from repository order by name')).map(({ name }) => name),
    );

  it('reads only the private repositories that GitHub lets them read', async () => {
    await env.database.inTenant(orgId, async (tx) => {
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
