import 'reflect-metadata';
import { readFileSync } from 'node:fs';
import { withOwnerUrl } from '../database/dump/owner-access.js';
import { closeGates } from '../database/dump/restored-database.js';
import { ObjectStore } from '../features/evidence/storage/s3-report-store.js';
import { createLogger } from '../observability/logger.js';
import { archiveLocation } from './backup/archive-location.js';
import { type ArchiveSummary, checkArchive, restoreArchive } from './backup/restore-archive.js';
import {
  exitWithUsage,
  exitWithUsageError,
  printFailure,
  readCommandLine,
  readServiceEnvironment,
  toConnectionSettings,
} from './commands/command-runtime.js';

const USAGE = `Restores a backup into an empty database, and its report files into the store of STORAGE_URL or into the database.

  npm run admin -- restore --from FILE|s3://BUCKET/PATH?endpoint=…&region=… [--identity FILE]... [--without-secrets]
  npm run admin -- restore --from … --check
  npm run admin -- restore --close-gates

  --identity        the file with the key of an encrypted backup
  --check           reads the whole backup and compares its digests; restores nothing
  --close-gates     after a point-in-time recovery: closes every gate until its facts are read again, ends all sessions
  --without-secrets restores even if ENCRYPTION_KEYS or the app's credentials of the backup are lost

It uses the service's environment: DATABASE_MIGRATION_URL or a superuser's DATABASE_URL, or the embedded database in
DATA_DIR. The service must not run. Afterwards every gate is closed until its facts are read again.
`;

const { values } = readCommandLine(USAGE, {
  options: {
    from: { type: 'string' },
    identity: { type: 'string', multiple: true, default: [] },
    check: { type: 'boolean', default: false },
    'close-gates': { type: 'boolean', default: false },
    'without-secrets': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) exitWithUsage(USAGE);
if (!values.from && !values['close-gates']) exitWithUsageError(USAGE, '--from is required.');
const from = values.from ?? '';
const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** Reads the keys of files as `age-keygen` writes them, with comments. */
const readIdentities = (): readonly string[] =>
  values.identity.flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '' && !line.startsWith('#')),
  );

function printSummary({ header, end }: ArchiveSummary): void {
  const { database, shipgate } = header;
  print(`The backup is of ${database.at}, of Shipgate ${shipgate}, with ${database.workspaces.length} workspaces.`);
  if (header.files === 'left out') print('It has no report files. Those outside the database must be in their bucket.');
  for (const file of end.missingFiles) print(`The bucket did not have ${file} at the time of the backup.`);
}

async function restore(): Promise<void> {
  const environment = readServiceEnvironment();
  const objects = new ObjectStore(createLogger('silent'));
  try {
    const archive = await archiveLocation(from, '').read();
    const summary = await withOwnerUrl(toConnectionSettings(environment), (url) =>
      restoreArchive(archive, {
        environment,
        url,
        identities: readIdentities(),
        objects,
        withoutSecrets: values['without-secrets'],
      }),
    );
    printSummary(summary);
    print('It is restored. Every gate is closed until its facts are read again, and every user signs in again.');
    print('Check it with "npm run doctor" and "npm run admin -- verify-audit" before you start the service.');
  } finally {
    await objects.onApplicationShutdown();
  }
}

try {
  if (values['close-gates']) {
    await withOwnerUrl(toConnectionSettings(readServiceEnvironment()), closeGates);
    print('Every gate is closed until its facts are read again, and every user signs in again.');
  } else if (values.check) {
    printSummary(await checkArchive(await archiveLocation(from, '').read(), readIdentities()));
    print('It is complete.');
  } else await restore();
} catch (error) {
  printFailure(error);
}
