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

const USAGE = `Verifies the audit log of every workspace. Prints for each workspace its login, the number of verified
entries, the head of the chain, and whether the log is intact.

  npm run admin -- verify-audit [--expect WORKSPACE=NUMBER:HASH]...

--expect takes a head that an earlier run printed. The chain must contain it.
Exits with 0 if all logs are intact, otherwise with 1.
It uses the database of the service's environment. The service may be running.
`;

const { values } = readCommandLine(USAGE, {
  options: {
    expect: { type: 'string', multiple: true, default: [] },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) exitWithUsage(USAGE);
const trusted = values.expect.map(parseHead).filter((head): head is TrustedChainHead => head !== null);
if (trusted.length !== values.expect.length)
  exitWithUsageError(USAGE, '--expect must be a head that this command printed.');

// Never migrates, because a verification must not change anything.
await withServiceDatabase(readServiceEnvironment(), { migrates: false }, async (database) => {
  const isIntact = await verifyAudit(database, trusted, (line) => process.stdout.write(`${line}\n`));
  process.exitCode = isIntact ? 0 : 1;
});
