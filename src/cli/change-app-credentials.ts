import 'reflect-metadata';
import { readFileSync } from 'node:fs';
import { Clock } from '../config/clock.js';
import { type ChangedCredentials, changeStoredCredentials } from '../features/setup/secret-changes.service.js';
import {
  exitWithUsage,
  exitWithUsageError,
  readCommandLine,
  readServiceEnvironment,
  withServiceDatabase,
} from './commands/command-runtime.js';

const USAGE = `Changes credentials of the GitHub App that the set-up stored in the database. Each option is a file with the new value.

  npm run admin -- change-app-credentials [--webhook-secret FILE] [--private-key FILE] [--client-secret FILE]

GitHub must accept the private key and the client secret. The processes of the service use the new values after a restart.
`;

const file = { type: 'string' } as const;
const { values } = readCommandLine(USAGE, {
  options: {
    'webhook-secret': file,
    'private-key': file,
    'client-secret': file,
    help: { type: 'boolean', default: false },
  },
});
if (values.help) exitWithUsage(USAGE);

const changes: ChangedCredentials = {
  ...readOption('webhookSecret', values['webhook-secret']),
  ...readOption('privateKey', values['private-key']),
  ...readOption('clientSecret', values['client-secret']),
};
if (Object.keys(changes).length === 0) exitWithUsageError(USAGE, 'Give at least one of the options.');

const environment = readServiceEnvironment();
await withServiceDatabase(environment, { migrates: false }, async (database) => {
  await changeStoredCredentials(database, environment, changes, new Clock());
  process.stdout.write(`Changed: ${Object.keys(changes).join(', ')}. Restart the processes of the service.\n`);
  if (environment.app !== null)
    process.stdout.write('The environment has credentials of the app, which take precedence over the stored ones.\n');
});

/** A secret is in a file, because other users of the machine can read the arguments of a process. */
function readOption(name: keyof ChangedCredentials, path: string | undefined): ChangedCredentials {
  if (path === undefined) return {};
  let text: string;
  try {
    text = readFileSync(path, 'utf8').trim();
  } catch (error) {
    return exitWithUsageError(USAGE, `${path} cannot be read: ${String(error)}`);
  }
  if (text === '') exitWithUsageError(USAGE, `${path} is empty.`);
  return { [name]: text };
}
