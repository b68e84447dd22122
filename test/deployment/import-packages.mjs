// Runs in the image: imports every package that the built service names in an import, and prints how many there are.
import { readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import path from 'node:path';

const IMPORT =
  /^(?:import|export)\s+(?:[\w$*{}\s,]+\sfrom\s+)?['"]([^.'"][^'"]*)['"]|\bimport\(['"]([^.'"][^'"]*)['"]\)/gm;
/** The dashboard and the command line are bundles; the command line's sources are compiled, too, but nothing loads them. */
const BUNDLED = /^dist\/(?:web|cli|src\/client)\b/;

const names = new Set();
for (const entry of readdirSync('dist', { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || !entry.name.endsWith('.js') || BUNDLED.test(entry.parentPath)) continue;
  for (const [, whole, part] of readFileSync(path.join(entry.parentPath, entry.name), 'utf8').matchAll(IMPORT)) {
    const name = whole ?? part;
    if (!isBuiltin(name)) names.add(name);
  }
}
for (const name of names) await import(name);
process.stdout.write(`${names.size}\n`);
process.exit(0);
