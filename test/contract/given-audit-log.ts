import { Clock } from '../../src/config/clock.js';
import { Database } from '../../src/database/database.js';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import type { OrgId } from '../../src/database/ids.js';
import { AuditRepository } from '../../src/features/audit/audit.repository.js';
import type { TestDatabase } from '../support/database.js';

/** Adds an entry by a user and one by the service to the audit log of the workspace `acme`. */
export async function givenAuditLog({ superuserUrl, appUrl }: TestDatabase): Promise<void> {
  const orgId = await withDedicatedClient(superuserUrl, async (client) => {
    const { rows } = await client.query<{ org_id: OrgId }>(`select org_id from organization where login = 'acme'`);
    return rows[0]!.org_id;
  });
  const database = await Database.open({ url: appUrl, poolSize: 1 });
  const clock = new Clock();
  const repository = new AuditRepository(clock);
  try {
    await database.inTenant(orgId, async (tx) => {
      const actor = { type: 'person', id: 5001, login: 'ada' } as const;
      const data = { role: 'member', keys: [1, 2], note: null };
      await repository.append(tx, { actor, action: 'member.role_changed', subject: 'grace', data, repositoryIds: [] });
      await repository.append(tx, {
        actor: { type: 'service' },
        action: 'member.removed',
        subject: 'eve',
        data: {},
        repositoryIds: [],
      });
    });
  } finally {
    await database.close();
  }
}
