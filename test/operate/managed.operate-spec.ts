import { expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { changeDatabaseUrl } from '../../src/config/database-url.js';
import { openConnections } from '../../src/database/connections.js';
import { Database } from '../../src/database/database.js';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import { databaseUrl } from '../../src/database/roles.js';
import { assertTenantIsolation } from '../../src/database/tenancy-check.js';
import { describeWith } from './installed.js';
import { PostgresServer, serverPrograms } from './postgres-server.js';

const PASSWORD = 'given-by-the-operator';

/** The statements of the guide, before and after it connects to the new database. */
function guideSql(): readonly string[] {
  const guide = readFileSync('docs/guides/self-hosting.md', 'utf8');
  const [, sql = ''] = /```sql\n(create role shipgate_owner[^`]*)```/.exec(guide) ?? [];
  return sql.replaceAll('…', PASSWORD).split('\\connect shipgate\n');
}

describeWith({ postgresql: serverPrograms() })('the roles of a managed database', () => {
  it('are created by the SQL of the guide, as a user who is no superuser', async () => {
    const server = await PostgresServer.start();
    try {
      const maintenance = databaseUrl(server.superuserUrl, 'postgres');
      await withDedicatedClient(maintenance, (client) =>
        client.query(`create role admin login createdb createrole password '${PASSWORD}'`),
      );
      const urlOf = (role: string, url = server.superuserUrl): string =>
        changeDatabaseUrl(url, (changed) => {
          changed.username = role;
          changed.password = PASSWORD;
        });
      const [before = '', after = ''] = guideSql();
      for (const [url, sql] of [
        [urlOf('admin', maintenance), before],
        [urlOf('admin'), after],
      ] as const) {
        // One after the other, because a database cannot be created in a transaction.
        await withDedicatedClient(url, async (client) => {
          for (const statement of sql.split(';').filter((text) => text.trim() !== '')) await client.query(statement);
        });
      }
      const { runtimeUrl, migrated } = await openConnections({
        databaseUrl: urlOf('shipgate_app'),
        migrationUrl: urlOf('shipgate_migrator'),
        dataDir: '/nowhere',
      });
      expect(migrated.length).toBeGreaterThan(0);
      const database = await Database.open({ url: runtimeUrl, poolSize: 1 });
      await assertTenantIsolation(database.pool);
      expect(await database.findWriteProblem()).toBeNull();
      const { rows } = await database.pool.query(`select current_setting('statement_timeout') as "limit"`);
      expect(rows).toEqual([{ limit: '15s' }]);
      await database.close();
    } finally {
      await server.remove();
    }
  });
});
