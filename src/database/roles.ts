import { createHmac } from 'node:crypto';
import { type Client, type DatabaseError, escapeIdentifier, escapeLiteral } from 'pg';
import { changeDatabaseUrl, hostUrls } from '../config/database-url.js';
import { DatabaseSetupError } from './database-setup.error.js';
import { withDedicatedClient, withAdvisoryLock } from './dedicated-client.js';

/** Owns every table. It cannot log in. */
export const OWNER_ROLE = 'shipgate_owner';
/** Migrates with the rights of the owner. */
const MIGRATOR_ROLE = 'shipgate_migrator';
/** The runtime role: no superuser, no owner, subject to row-level security. */
export const APP_ROLE = 'shipgate_app';
/** Owns the definer functions for lookups before the tenant is known. It cannot log in. */
export const LOOKUP_ROLE = 'shipgate_lookup';

const ROLES_LOCK = 0x5347_0001n;
// The lock may be in any database of the server, because roles belong to the whole server.
const MAINTENANCE_DATABASE = 'postgres';

/** The connection URLs of the roles. */
export interface RoleUrls {
  readonly runtimeUrl: string;
  readonly migrationUrl: string;
}

/** Returns whether the user of the URL is a superuser, who can create the roles. */
export function isSuperuser(url: string): Promise<boolean> {
  return withDedicatedClient(databaseUrl(url, MAINTENANCE_DATABASE), readSuperuser).catch((error: unknown) => {
    // 3D000 undefined database, 42501 and 28000 no access to it. A superuser always has access.
    const { code } = error as DatabaseError;
    if (code === '3D000' || code === '42501' || code === '28000') return withDedicatedClient(url, readSuperuser);
    throw error;
  });
}

async function readSuperuser(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ rolsuper: boolean }>(
    'select rolsuper from pg_roles where rolname = current_user',
  );
  return rows[0]?.rolsuper === true;
}

/**
 * Creates the missing roles and the database of the URL, and returns the URLs of the roles. Safe to run again and from
 * several processes. The passwords are derived from the superuser's password, so every process with that password can
 * compute them, and none is stored.
 */
export async function createRoles(superuserUrl: string): Promise<RoleUrls> {
  const { password, pathname } = new URL(hostUrls(superuserUrl)[0]);
  if (password === '') {
    throw new DatabaseSetupError([
      'DATABASE_URL names a superuser without a password, from which those of the service’s own roles would be derived; ' +
        'add it, or give DATABASE_URL and DATABASE_MIGRATION_URL for roles that you made.',
    ]);
  }
  const secret = decodeURIComponent(password);
  const database = decodeURIComponent(pathname.slice(1)) || MAINTENANCE_DATABASE;
  await withAdvisoryLock(databaseUrl(superuserUrl, MAINTENANCE_DATABASE), ROLES_LOCK, async (client) => {
    await client.query(rolesSql((role) => derivePassword(role, secret)));
    const { rowCount } = await client.query('select from pg_database where datname = $1', [database]);
    if (rowCount === 0) await client.query(`create database ${escapeIdentifier(database)} owner ${OWNER_ROLE}`);
    await withDedicatedClient(databaseUrl(superuserUrl, database), (inDatabase) =>
      inDatabase.query(grantsSql(database)),
    );
  });
  return {
    runtimeUrl: roleUrl(superuserUrl, APP_ROLE, derivePassword(APP_ROLE, secret)),
    migrationUrl: roleUrl(superuserUrl, MIGRATOR_ROLE, derivePassword(MIGRATOR_ROLE, secret)),
  };
}

/** Throws with every problem if roles are missing or if the user of the URL may not migrate. */
export async function assertRoles(migrationUrl: string): Promise<void> {
  const { missing, migrates, user } = await withDedicatedClient(migrationUrl, async (client) => {
    const { rows } = await client.query<{ missing: string[]; migrates: boolean | null; user: string }>(
      `select current_user as user,
         (select coalesce(array_agg(wanted), '{}') from unnest($1::text[]) wanted
          where not exists (select from pg_roles where rolname = wanted)) as missing,
         (select pg_has_role(oid, 'member') from pg_roles where rolname = $2) as migrates`,
      [[OWNER_ROLE, APP_ROLE, LOOKUP_ROLE], OWNER_ROLE],
    );
    return rows[0] as { missing: string[]; migrates: boolean | null; user: string };
  });
  const problems = missing.map((role) => `the role ${role} is missing`);
  if (migrates === false) problems.push(`${user}, of DATABASE_MIGRATION_URL, is no member of ${OWNER_ROLE}`);
  if (problems.length > 0) throw new DatabaseSetupError(problems);
}

/** Returns the URL for another database of the same server. */
export const databaseUrl = (url: string, database: string): string =>
  changeDatabaseUrl(url, (changed) => (changed.pathname = `/${encodeURIComponent(database)}`));

const roleUrl = (url: string, role: string, password: string): string =>
  changeDatabaseUrl(url, (changed) => {
    changed.username = role;
    changed.password = password;
  });

const derivePassword = (role: string, secret: string): string =>
  createHmac('sha256', secret).update(`shipgate:${role}`).digest('base64url');

function rolesSql(password: (role: string) => string): string {
  const powerless = 'nosuperuser nobypassrls nocreatedb nocreaterole noreplication';
  const roles = [
    [OWNER_ROLE, 'nologin'],
    [LOOKUP_ROLE, 'nologin'],
    [MIGRATOR_ROLE, `login password ${escapeLiteral(password(MIGRATOR_ROLE))}`],
    [APP_ROLE, `login password ${escapeLiteral(password(APP_ROLE))}`],
  ] as const;
  const make = roles.map(
    ([role, attributes]) => `
      do $$ begin
        if to_regrole('${role}') is null then create role ${role}; end if;
      end $$;
      alter role ${role} ${powerless} ${attributes};`,
  );
  // Giving a function to the lookup role requires membership in it.
  return `${make.join('')}
    ${roleSettingsSql(APP_ROLE)}
    grant ${OWNER_ROLE} to ${MIGRATOR_ROLE};
    grant ${LOOKUP_ROLE} to ${OWNER_ROLE};`;
}

function grantsSql(database: string): string {
  const name = escapeIdentifier(database);
  return `
    revoke all on database ${name} from public;
    grant create on database ${name} to ${OWNER_ROLE};
    grant connect on database ${name} to ${MIGRATOR_ROLE}, ${APP_ROLE};
    alter schema public owner to ${OWNER_ROLE};
    revoke all on schema public from public;
    grant usage on schema public to ${APP_ROLE}, ${LOOKUP_ROLE};`;
}

/**
 * The settings of the runtime role. They are not parameters of a connection, because poolers reject those. JIT is off, because it
 * takes longer than any statement of the service.
 */
const SETTINGS = {
  jit: 'off',
  statement_timeout: '15s',
  lock_timeout: '5s',
  idle_in_transaction_session_timeout: '15s',
} as const;

const SETTINGS_LOCK = 0x5347_0003n;

/** Returns the SQL that gives a role the settings. */
const roleSettingsSql = (role: string): string =>
  Object.entries(SETTINGS)
    .map(([name, value]) => `alter role ${role} set ${escapeIdentifier(name)} = ${escapeLiteral(value)};`)
    .join('\n');

/**
 * Gives the role of the URL its settings, if it does not have them. Every role may change its own. Throws if another
 * setting takes precedence.
 */
export async function ensureRoleSettings(url: string): Promise<void> {
  if ((await withDedicatedClient(url, listWrongSettings)).length === 0) return;
  await withAdvisoryLock(url, SETTINGS_LOCK, (client) => client.query(roleSettingsSql('current_user')));
  const wrong = await withDedicatedClient(url, listWrongSettings);
  if (wrong.length === 0) return;
  throw new DatabaseSetupError(
    wrong.map(
      ({ name, value, role }) =>
        `${name} is ${value} and not ${SETTINGS[name]} for ${role}; remove this setting of the database, of the role in the database or of the URL`,
    ),
  );
}

interface WrongSetting {
  readonly name: keyof typeof SETTINGS;
  readonly value: string;
  readonly role: string;
}

async function listWrongSettings(client: Client): Promise<readonly WrongSetting[]> {
  const { rows } = await client.query<WrongSetting>(
    `select key as name, current_setting(key) as value, current_user as role
     from json_each_text($1) where current_setting(key) <> value order by key`,
    [JSON.stringify(SETTINGS)],
  );
  return rows;
}
