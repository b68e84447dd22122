import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { Database } from '../../src/database/database.js';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/database/embedded/embedded-postgres.js';
import { migrate } from '../../src/database/migrate.js';
import { databaseUrl } from '../../src/database/roles.js';
import { assertTenantIsolation } from '../../src/database/tenancy-check.js';

interface ComposeFile {
  readonly services: Readonly<
    Record<string, { readonly environment?: Readonly<Record<string, string>>; readonly secrets?: readonly string[] }>
  >;
}

const { services } = parse(readFileSync('docker/compose.yaml', 'utf8')) as ComposeFile;

let folder: string;
let server: EmbeddedPostgres;
let superuserUrl: string;

// A server of its own: roles belong to all databases of one.
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'shipgate-roles-'));
  chmodSync(folder, 0o755);
  server = await startEmbeddedPostgres({ folder, durable: false });
  await withDedicatedClient(server.superuserUrl, (client) => client.query('create database compose'));
  superuserUrl = databaseUrl(server.superuserUrl, 'compose');
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

it('gives the service no superuser secret', () => {
  const { environment = {}, secrets = [] } = services['shipgate'] ?? {};
  expect(environment['DATABASE_URL']).toMatch(/^postgres:\/\/shipgate_app:/);
  expect(environment['DATABASE_MIGRATION_URL']).toMatch(/^postgres:\/\/shipgate_migrator:/);
  expect(JSON.stringify(environment)).not.toContain('POSTGRES_PASSWORD');
  expect(secrets).not.toContain('postgres_password');
});

it('creates the roles for migrations and for the service, also when it runs again with other passwords', async () => {
  for (const [app, migrator] of [
    ['one', 'two'],
    ['three', 'four'],
  ] as const) {
    await makeRoles(app, migrator);
    await migrate(urlAs('shipgate_migrator', migrator));
    const database = await Database.open({ url: urlAs('shipgate_app', app), poolSize: 1 });
    try {
      await assertTenantIsolation(database.pool);
    } finally {
      await database.close();
    }
  }
  await expect(withDedicatedClient(urlAs('shipgate_app', 'one'), () => Promise.resolve())).rejects.toThrow(
    'authentication',
  );
});

/** As the compose file does: settings of the session tell the passwords. */
function makeRoles(app: string, migrator: string): Promise<unknown> {
  const options = `-c shipgate.app_password=${app} -c shipgate.migrator_password=${migrator}`;
  return withDedicatedClient(`${superuserUrl}?options=${encodeURIComponent(options)}`, (client) =>
    client.query(readFileSync('docker/roles.sql', 'utf8')),
  );
}

function urlAs(role: string, password: string): string {
  const url = new URL(superuserUrl);
  [url.username, url.password] = [role, password];
  return url.href;
}
