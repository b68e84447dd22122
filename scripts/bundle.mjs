// Bundles the command line into one CommonJS file without dependencies: dist/cli/shipgate.cjs, or the file that is named. As an ES
// module it would load every command at its start.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));

await build({
  absWorkingDir: root,
  entryPoints: ['src/client/main.ts'],
  outfile: process.argv[2] ?? 'dist/cli/shipgate.cjs',
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20.19',
  // A reader of a CI job can read it, and it starts no slower.
  minify: false,
  legalComments: 'inline',
  charset: 'utf8',
  define: { SHIPGATE_VERSION: JSON.stringify(version), 'import.meta.url': 'moduleUrl' },
  banner: { js: "#!/usr/bin/env node\nconst moduleUrl = require('node:url').pathToFileURL(__filename).href;" },
  logLevel: 'warning',
});
