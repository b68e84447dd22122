import 'reflect-metadata';
import type { TrustedChainHead } from '../features/audit/audit-verification.service.js';
import { parseHead, verifyAudit } from './commands/audit-command.js';
import {
  withServiceDatabase,
  readCommandLine,
  readServiceEnvironment,
  exitWithUsageError,
  exitWithUsage,
} from './commands/command-runtime.js';

const USAGE = `Verifies the audit log of every workspace and prints for each its login, how many entries
are as they were written, the head of its chain, and whether all of it is intact.

  npm run audit:verify [-- --expect WORKSPACE=NUMBER:HASH]...

--expect takes a head that an earlier run printed and that was kept elsewhere: the chain has to
have passed it. Ends with 0 where all are intact, with 1 where one is not.
It uses the database of the service's own environment, while the service runs or not.
`;

const { values } = readCommandLine(USAGE, {
  options: {
    expect: { type: 'string', multiple: true, default: [] },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) exitWithUsage(USAGE);
const kept = values.expect.map(parseHead).filter((head): head is TrustedChainHead => head !== null);
if (kept.length !== values.expect.length) exitWithUsageError(USAGE, '--expect must be a head as it was printed.');

// Without the URL of who may migrate: to look must change nothing.
await withServiceDatabase(readServiceEnvironment(), { migrates: false }, async (database) => {
  const isIntact = await verifyAudit(database, kept, (line) => process.stdout.write(`${line}\n`));
  process.exitCode = isIntact ? 0 : 1;
});
