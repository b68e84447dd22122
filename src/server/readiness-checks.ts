import type { Database } from '../database/database.js';
import { listPendingMigrations } from '../database/migrate.js';
import type { ReadinessCheck } from '../observability/readiness.js';

/** What a process needs before it should get traffic. */
export const readinessChecks = (database: Database): readonly ReadinessCheck[] => [
  {
    name: 'database',
    async check() {
      if (!(await database.isHealthy())) throw new Error('the database does not answer');
    },
  },
  {
    name: 'migrations',
    async check() {
      const pending = await listPendingMigrations(database.pool);
      if (pending.length > 0) throw new Error(`not migrated: ${pending.join(', ')}`);
    },
  },
  {
    name: 'queue',
    async check() {
      await database.pool.query('select 1 from graphile_worker._private_jobs limit 1');
    },
  },
];
