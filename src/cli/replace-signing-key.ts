import 'reflect-metadata';
import { Clock } from '../config/clock.js';
import { EncryptionService } from '../crypto/encryption.service.js';
import { SigningKeysRepository } from '../features/signing/signing-keys.repository.js';
import { SigningService } from '../features/signing/signing.service.js';
import {
  withServiceDatabase,
  readCommandLine,
  readServiceEnvironment,
  exitWithUsage,
} from './commands/command-runtime.js';

const USAGE = `Replaces the key that the service signs with by a new one, and wipes its private part. What it signed stays
valid: its public part stays published, with the time in which it was used. Nothing has to be restarted.

  npm run replace-signing-key

It uses the database of the service's own environment, while the service runs or not, and also where ENCRYPTION_KEYS
no longer open the key that is replaced.
`;

const { values } = readCommandLine(USAGE, { options: { help: { type: 'boolean', default: false } } });
if (values.help) exitWithUsage(USAGE);

const environment = readServiceEnvironment();
await withServiceDatabase(environment, { migrates: false }, async (database) => {
  const keys = new SigningService(new SigningKeysRepository(database), new EncryptionService(environment), new Clock());
  const replaced = await keys.rotateKey();
  if (!replaced) throw new Error('There is no key yet, or somebody replaced it at this moment. Nothing was changed.');
  process.stdout.write(`${replaced.retired} is retired, ${replaced.inUse} is in use\n`);
});
