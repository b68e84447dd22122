import 'reflect-metadata';
import { encryptWithFirstKey } from '../features/setup/encryption-key-change.service.js';
import {
  exitWithUsage,
  readCommandLine,
  readServiceEnvironment,
  withServiceDatabase,
} from './commands/command-runtime.js';

const USAGE = `Encrypts every secret in the database with the first key of ENCRYPTION_KEYS. Then the other keys can be removed.

  npm run change-encryption-key

The service may be running. All of its processes must have the new first key already, so that none of them encrypts with
another one. The command can be repeated.
`;

const { values } = readCommandLine(USAGE, { options: { help: { type: 'boolean', default: false } } });
if (values.help) exitWithUsage(USAGE);

const environment = readServiceEnvironment();
await withServiceDatabase(environment, { migrates: false }, async (database) => {
  const encrypted = await encryptWithFirstKey(database, environment);
  const [{ kid }] = environment.encryptionKeys;
  process.stdout.write(
    `${encrypted} secrets were encrypted with the key ${kid}. "npm run doctor" names the keys to remove.\n`,
  );
});
