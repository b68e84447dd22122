// Bundles the command line and the actions, each into one CommonJS file without dependencies. As ES modules they would load every command
// at their start.
//
//   node scripts/bundle.mjs           writes all of them; those of the actions are committed
//   node scripts/bundle.mjs FILE      writes the command line only, to FILE
//   node scripts/bundle.mjs --check   fails if a committed bundle is not what its sources give
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));

const MODULE_URL = "const moduleUrl = require('node:url').pathToFileURL(__filename).href;";
const COMMAND_LINE = {
  entry: 'src/client/main.ts',
  file: 'dist/cli/shipgate.cjs',
  head: '#!/usr/bin/env node',
};
const ACTIONS = ['upload', 'gate'].map((name) => ({
  entry: `src/client/action/${name}.ts`,
  file: `action/dist/${name}.cjs`,
  head: `// Written by scripts/bundle.mjs from src/client/action/${name}.ts.`,
}));

const bundle = ({ entry, file, head }, write) =>
  build({
    absWorkingDir: root,
    entryPoints: [entry],
    outfile: file,
    write,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20.19',
    // A reader of a CI job can read it, and it starts no slower.
    minify: false,
    // The bundle names the files in it, which must not depend on where packages are linked to.
    preserveSymlinks: true,
    legalComments: 'inline',
    charset: 'utf8',
    define: { SHIPGATE_VERSION: JSON.stringify(version), 'import.meta.url': 'moduleUrl' },
    banner: { js: `${head}\n${MODULE_URL}` },
    logLevel: 'warning',
  });

async function isCurrent(action) {
  const { outputFiles } = await bundle(action, false);
  try {
    return readFileSync(path.join(root, action.file)).equals(outputFiles[0].contents);
  } catch {
    return false;
  }
}

const [argument] = process.argv.slice(2);
if (argument === '--check') {
  for (const action of ACTIONS) {
    if (await isCurrent(action)) continue;
    console.error(`${action.file} is not what its sources give. Run \`node scripts/bundle.mjs\` and commit it.`);
    process.exitCode = 1;
  }
} else if (argument !== undefined) {
  await bundle({ ...COMMAND_LINE, file: argument }, true);
} else {
  await Promise.all([COMMAND_LINE, ...ACTIONS].map((target) => bundle(target, true)));
}
