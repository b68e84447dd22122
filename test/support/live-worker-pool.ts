import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import { lockWorkerPool } from '../../src/jobs/worker/worker-heartbeat.js';

/**
 * Shows the pool as alive during the work. Without this, the next heartbeat of the service releases each job that a test gave to a
 * pool of another process.
 */
export async function withLiveWorkerPool<T>(superuserUrl: string, poolId: string, work: () => Promise<T>): Promise<T> {
  return withDedicatedClient(superuserUrl, async (client) => {
    await lockWorkerPool(client, poolId);
    return work();
  });
}
