import 'reflect-metadata';
import { writeFileSync } from 'node:fs';
import { DatabaseDump } from '../database/dump/database-dump.js';
import { withOwnerUrl } from '../database/dump/owner-access.js';
import { ObjectStore } from '../features/evidence/storage/s3-report-store.js';
import { createLogger } from '../observability/logger.js';
import { createArchiveKeys } from './backup/archive-encryption.js';
import { archiveLocation } from './backup/archive-location.js';
import { writeArchive } from './backup/write-archive.js';
import {
  exitWithUsage,
  exitWithUsageError,
  printFailure,
  readCommandLine,
  readServiceEnvironment,
  toConnectionSettings,
} from './commands/command-runtime.js';

const USAGE = `Backs up the database and the report files into one archive, while the service runs.

  npm run admin -- backup --to FILE|FOLDER/|s3://BUCKET/PATH?endpoint=…&region=… [--recipient AGE_KEY]... [--without-files]
  npm run admin -- backup --to … --workspace LOGIN
  npm run admin -- backup --create-key FILE

  --to            where to; a folder or a path that ends with a slash gets a name with the time
  --recipient     encrypts for this public key of age; several may decrypt
  --without-files leaves report files in their bucket, which you back up yourself
  --workspace     exports one workspace, for its owners; an export cannot be restored
  --create-key    creates a key: the file decrypts backups, the printed recipient encrypts them

Exits with 1 if no backup was written, or if report files were missing in the bucket.
It uses the service's environment. The guide docs/guides/backup.md says which secrets must be stored with a backup.
`;

const { values } = readCommandLine(USAGE, {
  options: {
    to: { type: 'string' },
    recipient: { type: 'string', multiple: true, default: [] },
    'without-files': { type: 'boolean', default: false },
    workspace: { type: 'string' },
    'create-key': { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) exitWithUsage(USAGE);
const print = (line: string): void => void process.stdout.write(`${line}\n`);

if (values['create-key'] === undefined) await backUp();
else await createKey(values['create-key']);

async function createKey(file: string): Promise<void> {
  const { identity, recipient } = await createArchiveKeys();
  try {
    writeFileSync(file, `# public key: ${recipient}\n${identity}\n`, { flag: 'wx', mode: 0o600 });
    print(`${file} decrypts backups. Store it away from them. This key encrypts them:\n${recipient}`);
  } catch (error) {
    printFailure(error);
  }
}

async function backUp(): Promise<void> {
  if (!values.to) exitWithUsageError(USAGE, '--to is required.');
  const environment = readServiceEnvironment();
  const time = new Date().toISOString().slice(0, 19).replaceAll(':', '-');
  const name = `shipgate-${values.workspace === undefined ? '' : `${values.workspace}-`}${time}Z.tar.gz`;
  const place = archiveLocation(values.to, values.recipient.length > 0 ? `${name}.age` : name);
  const objects = new ObjectStore(createLogger('silent'));
  try {
    const end = await withOwnerUrl(toConnectionSettings(environment), (url) =>
      DatabaseDump.open(url, values.workspace ?? null, (dump) =>
        writeArchive(dump, objects, {
          environment,
          place,
          recipients: values.recipient,
          workspace: values.workspace ?? null,
          withFiles: !values['without-files'],
        }),
      ),
    );
    const rows = Object.values(end.tables).reduce((sum, table) => sum + table.rows, 0);
    print(`${place.url} has ${rows} rows and ${end.files.count} report files from outside the database.`);
    if (values['without-files'] && environment.storage !== null)
      print('It has no report files. Back up their bucket as well.');
    if (values.recipient.length === 0) print('It is not encrypted. Anyone who has it can read it.');
    if (end.missingFiles.length > 0) {
      process.stderr.write(
        `The bucket does not have these report files, or not unchanged:\n${end.missingFiles.join('\n')}\n`,
      );
      process.exitCode = 1;
    }
  } catch (error) {
    printFailure(error);
  } finally {
    await objects.onApplicationShutdown();
  }
}
