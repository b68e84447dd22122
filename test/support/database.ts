import { randomBytes } from 'node:crypto';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import { createRoles, databaseUrl, OWNER_ROLE } from '../../src/database/roles.js';
import { TEMPLATE_DATABASE, testServer } from './test-server.js';

/** A database for one test, with the whole schema and no rows. */
export interface TestDatabase {
  readonly name: string;
  /** The URL of the role of the service. */
  readonly appUrl: string;
  /** The URL of the role of migrations, a member of the owner. */
  readonly ownerUrl: string;
  readonly superuserUrl: string;
  drop(): Promise<void>;
}

const newName = (): string => `test_${randomBytes(6).toString('hex')}`;

/** Clones the migrated template. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const { superuserUrl, runtimeUrl, migrationUrl } = testServer();
  const maintenanceUrl = databaseUrl(superuserUrl, 'postgres');
  const name = newName();
  await withDedicatedClient(maintenanceUrl, async (client) => {
    // `file_copy`, because with fsync off it is faster than the write-ahead log.
    await client.query(`create database ${name} template ${TEMPLATE_DATABASE} owner ${OWNER_ROLE} strategy file_copy`);
    // A clone copies the content of its template, but not the rights to connect.
    await client.query(`
      revoke all on database ${name} from public;
      grant connect on database ${name} to shipgate_migrator, shipgate_app`);
  });
  return describeDatabase(name, runtimeUrl, migrationUrl);
}

/** Creates a database without a schema, for a version of the service that migrates it. */
export async function createEmptyDatabase(): Promise<TestDatabase> {
  const name = newName();
  const { runtimeUrl, migrationUrl } = await createRoles(databaseUrl(testServer().superuserUrl, name));
  return describeDatabase(name, runtimeUrl, migrationUrl);
}

function describeDatabase(name: string, runtimeUrl: string, migrationUrl: string): TestDatabase {
  const { superuserUrl } = testServer();
  return {
    name,
    appUrl: databaseUrl(runtimeUrl, name),
    ownerUrl: databaseUrl(migrationUrl, name),
    superuserUrl: databaseUrl(superuserUrl, name),
    drop: () =>
      withDedicatedClient(databaseUrl(superuserUrl, 'postgres'), async (client) => {
        await client.query(`drop database if exists ${name} with (force)`);
      }),
  };
}
