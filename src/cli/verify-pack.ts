import { readFile } from 'node:fs/promises';
import { readCommandLine, exitWithUsageError, exitWithUsage } from './commands/command-runtime.js';
import { readTrustedKeys, verifyPack } from './verify-pack/verify-pack-command.js';

const USAGE = `Verifies an audit pack: that its bytes are those that were signed, who signed them, and that every decision
follows from its inputs. Names the first changed byte. Needs no network and no database, and writes nothing.

  npm run verify-pack -- PACK.zip [--keys KEYS.json]

--keys takes the keys that the service publishes at /.well-known/shipgate-keys.json, from a source that you trust.
Without them the signer is unknown. Exits with 0 if the pack is intact, otherwise with 1.
`;

const { values, positionals } = readCommandLine(USAGE, {
  allowPositionals: true,
  options: { keys: { type: 'string' }, help: { type: 'boolean', default: false } },
});
if (values.help) exitWithUsage(USAGE);
const [pack, ...rest] = positionals;
if (pack === undefined || rest.length > 0) exitWithUsageError(USAGE, 'Exactly one pack is required.');

try {
  const trusted = values.keys === undefined ? null : readTrustedKeys(await readFile(values.keys, 'utf8'));
  if (values.keys !== undefined && trusted === null) throw new Error(`${values.keys} contains no signing keys.`);
  const isIntact = await verifyPack(pack, trusted, (line) => process.stdout.write(`${line}\n`));
  process.exitCode = isIntact ? 0 : 1;
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
