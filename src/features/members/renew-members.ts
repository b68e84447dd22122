import type { TenantTx } from '../../database/database.js';
import type { Jobs } from '../../jobs/jobs.js';

/** Has the host asked about the members of the transaction's workspace; asking twice while it waits is asking once. */
export const renewMembers = (jobs: Jobs, tx: TenantTx): Promise<void> =>
  jobs.add(tx, 'renew-members', { orgId: tx.orgId }, { key: `members:${tx.orgId}` });
