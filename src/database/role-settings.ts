import { type Client, escapeIdentifier, escapeLiteral } from 'pg';
import { DatabaseSetupError } from './database-setup.error.js';
import { withAdvisoryLock, withDedicatedClient } from './dedicated-client.js';

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
export const roleSettingsSql = (role: string): string =>
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
