import 'reflect-metadata';
import { DEFAULT_KEY_SCOPES, KEY_SCOPES, type KeyScope } from '../domain/keys/key-scope.js';
import {
  withServiceDatabase,
  readCommandLine,
  readServiceEnvironment,
  exitWithUsageError,
  exitWithUsage,
} from './commands/command-runtime.js';
import { createKey } from './commands/key-command.js';

/** A hundred years, because the API cannot represent a date after the year 9999. */
const MAX_DAYS = 36_500;

const USAGE = `Creates an API key for a CI system and prints its secret once.

  npm run admin -- create-key --org LOGIN --name NAME [--scope ${KEY_SCOPES.join('|')}]... [--days N]

Without --scope it has ${DEFAULT_KEY_SCOPES.join(' and ')}. It uses the database of the service's environment. The service may be running.
`;

const { values } = readCommandLine(USAGE, {
  options: {
    org: { type: 'string' },
    name: { type: 'string' },
    scope: { type: 'string', multiple: true, default: [...DEFAULT_KEY_SCOPES] },
    days: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) exitWithUsage(USAGE);
if (values.org === undefined || values.name === undefined) exitWithUsageError(USAGE, '--org and --name are required.');
const scopes = values.scope.filter((scope): scope is KeyScope => (KEY_SCOPES as readonly string[]).includes(scope));
if (scopes.length !== values.scope.length)
  exitWithUsageError(USAGE, `--scope must be one of ${KEY_SCOPES.join(', ')}.`);
const days = values.days === undefined ? null : Number(values.days);
if (days !== null && !(Number.isInteger(days) && days > 0 && days <= MAX_DAYS)) {
  exitWithUsageError(USAGE, `--days must be a whole number from 1 to ${MAX_DAYS}.`);
}

const environment = readServiceEnvironment();
const request = { org: values.org, name: values.name, scopes, days };
await withServiceDatabase(environment, { migrates: true }, async (database) => {
  process.stdout.write(`${await createKey(database, environment, request)}\n`);
});
