// Runs a command of src/cli/: `npm run admin -- backup --to FILE`.
import { readdirSync } from 'node:fs';
import './ensure-built.mjs';

const folder = new URL('../dist/src/cli/', import.meta.url);
const names = readdirSync(folder, { withFileTypes: true })
  .filter((file) => file.isFile() && file.name.endsWith('.js'))
  .map((file) => file.name.replace('.js', ''));

const [name] = process.argv.splice(2, 1);
if (names.includes(name)) {
  await import(new URL(`${name}.js`, folder));
} else {
  process.stderr.write(`Usage: npm run admin -- COMMAND [OPTIONS]\n\nThe commands, each with --help:\n`);
  for (const command of names) process.stderr.write(`  ${command}\n`);
  process.exitCode = 64;
}
