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

const USAGE = `Replaces the signing key of the service by a new one and deletes the private part of the old one. Signatures
of the old key stay valid. Its public part stays published, with the time of its use. No restart is needed.

  npm run admin -- replace-signing-key

It uses the database of the service's environment. The service may be running. It works even if ENCRYPTION_KEYS can no
longer decrypt the old key.
`;

const { values } = readCommandLine(USAGE, { options: { help: { type: 'boolean', default: false } } });
if (values.help) exitWithUsage(USAGE);

const environment = readServiceEnvironment();
await withServiceDatabase(environment, { migrates: false }, async (database) => {
  const keys = new SigningService(new SigningKeysRepository(database), new EncryptionService(environment), new Clock());
  const replaced = await keys.rotateKey();
  if (!replaced) throw new Error('There is no key yet, or another process replaced it. Nothing was changed.');
  process.stdout.write(`${replaced.retired} is retired. ${replaced.inUse} is in use.\n`);
});
