// Writes a generated file of the repository: `npm run generate -- schema`. Each file of scripts/generate/ says at its top what it writes.
import { readdirSync } from 'node:fs';

const folder = new URL('generate/', import.meta.url);
const names = readdirSync(folder).map((file) => file.replace('.mjs', ''));

const [name] = process.argv.splice(2, 1);
if (names.includes(name)) {
  await import(new URL(`${name}.mjs`, folder));
} else {
  process.stderr.write(`Usage: npm run generate -- ${names.join('|')}\n`);
  process.exitCode = 64;
}
