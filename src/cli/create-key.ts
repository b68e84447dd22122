import 'reflect-metadata';
import { parseArgs } from 'node:util';
import { readEnvironment } from '../config/read-environment.js';
import { KEY_SCOPES, type KeyScope } from '../domain/keys/key-scope.js';
import { createKey } from './key-command.js';
import { onOwnDatabase } from './own-database.js';

const USAGE = `Makes an API key for a CI system and prints its secret, once.

  npm run key -- --org LOGIN --name NAME [--scope ${KEY_SCOPES.join('|')}]... [--days N]

It uses the database of the service's own environment, while the service runs or not.
`;

const { values } = parseArgs({
  options: {
    org: { type: 'string' },
    name: { type: 'string' },
    scope: { type: 'string', multiple: true, default: [...KEY_SCOPES] },
    days: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
const scopes = values.scope.filter((scope): scope is KeyScope => (KEY_SCOPES as readonly string[]).includes(scope));
const days = values.days === undefined ? null : Number(values.days);
const isWrong = scopes.length !== values.scope.length || (days !== null && !(Number.isInteger(days) && days > 0));
if (values.help || values.org === undefined || values.name === undefined || isWrong) {
  process.stderr.write(USAGE);
  process.exit(values.help ? 0 : 64);
}

const environment = readEnvironment(process.env);
const order = { org: values.org, name: values.name, scopes, days };
await onOwnDatabase(environment, { migrates: true }, async (database) => {
  process.stdout.write(`${await createKey(database, environment, order)}\n`);
});
