import type { Client } from 'pg';
import { actAsOwner } from '../dump/owner-url.js';
import type { OrgId } from '../ids.js';

/** Runs work in a transaction as the owner. The policies let it change only the rows of this workspace, and none if `orgId` is null. */
export async function asOwner<T>(client: Client, orgId: OrgId | null, work: () => Promise<T>): Promise<T> {
  await client.query(`begin; set local statement_timeout = 0; set local lock_timeout = '30s'`);
  try {
    await actAsOwner(client);
    await client.query(`select set_config('app.org_id', $1, true)`, [orgId ?? '']);
    const result = await work();
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}
