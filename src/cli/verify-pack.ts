import { readFile } from 'node:fs/promises';
import { readCommandLine, exitWithUsageError, exitWithUsage } from './commands/command-runtime.js';
import { readTrustedKeys, verifyPack } from './verify-pack/verify-pack-command.js';

const USAGE = `Verifies an audit pack: that it is byte by byte what was signed, by whom, and that every decision in it
follows from its inputs. Where a byte was changed it names the first one. It needs neither a network nor a database,
and writes nothing.

  npm run verify-pack -- PACK.zip [--keys KEYS.json]

--keys takes the keys that the service publishes at /.well-known/shipgate-keys.json, got by a way that you trust:
without it nobody knows who signed. Ends with 0 where the pack is intact, with 1 where it is not.
`;

const { values, positionals } = readCommandLine(USAGE, {
  allowPositionals: true,
  options: { keys: { type: 'string' }, help: { type: 'boolean', default: false } },
});
if (values.help) exitWithUsage(USAGE);
const [pack, ...rest] = positionals;
if (pack === undefined || rest.length > 0) exitWithUsageError(USAGE, 'One pack is verified at a time.');

try {
  const trusted = values.keys === undefined ? null : readTrustedKeys(await readFile(values.keys, 'utf8'));
  if (values.keys !== undefined && trusted === null) throw new Error(`${values.keys} holds no keys of the service.`);
  const isIntact = await verifyPack(pack, trusted, (line) => process.stdout.write(`${line}\n`));
  process.exitCode = isIntact ? 0 : 1;
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
