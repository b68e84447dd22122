import 'reflect-metadata';
import { withOwnerUrl } from '../database/dump/owner-access.js';
import { encryptWithFirstKey } from '../features/setup/secret-changes.service.js';
import {
  exitWithUsage,
  printFailure,
  readCommandLine,
  readServiceEnvironment,
  toConnectionSettings,
  withServiceDatabase,
} from './commands/command-runtime.js';

const USAGE = `Encrypts every secret in the database with the first key of ENCRYPTION_KEYS. Then the other keys can be removed.

  npm run admin -- change-encryption-key

It needs the role that migrates: DATABASE_MIGRATION_URL, a superuser's DATABASE_URL, or the embedded database. The role of the
service cannot list the secrets of all users. The service may be running. All of its processes must have the new first key already, so
that none of them encrypts with another one. The command can be repeated.
`;

const { values } = readCommandLine(USAGE, { options: { help: { type: 'boolean', default: false } } });
if (values.help) exitWithUsage(USAGE);

const environment = readServiceEnvironment();
try {
  await withOwnerUrl(toConnectionSettings(environment), (url) =>
    withServiceDatabase(environment, { migrates: false }, async (database) => {
      const encrypted = await encryptWithFirstKey(database, url, environment);
      const [{ kid }] = environment.encryptionKeys;
      process.stdout.write(
        `${encrypted} secrets were encrypted with the key ${kid}. "npm run doctor" names the keys to remove.\n`,
      );
    }),
  );
} catch (error) {
  printFailure(error);
}
