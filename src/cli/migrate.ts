import 'reflect-metadata';
import {
  withServiceDatabase,
  readCommandLine,
  readServiceEnvironment,
  exitWithUsage,
} from './commands/command-runtime.js';

const USAGE = `Migrates the database to the schema of this version, and ends. If nothing is missing, it changes nothing.

  npm run admin -- migrate

It uses DATABASE_MIGRATION_URL of the service's environment. Processes of the previous version may be running. If another
process migrates, it waits.
`;

const { values } = readCommandLine(USAGE, { options: { help: { type: 'boolean', default: false } } });
if (values.help) exitWithUsage(USAGE);

await withServiceDatabase(readServiceEnvironment(), { migrates: true }, async () => {
  process.stdout.write('The database has the schema of this version.\n');
});
