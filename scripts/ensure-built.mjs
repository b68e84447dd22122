// Builds dist/ if it is missing or older than its sources, so that a command never runs outdated code.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const SOURCES = [
  'src',
  'web',
  'migrations',
  'test',
  'bench',
  'package.json',
  'tsconfig.json',
  'config/nest-cli.json',
  'config/tsconfig.build.json',
];
const RESULTS = ['dist/src/main.js', 'dist/web/index.html', 'dist/cli/shipgate.cjs'];

function newest(file) {
  const stat = statSync(file, { throwIfNoEntry: false });
  if (!stat) return 0;
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(0, ...readdirSync(file).map((name) => newest(path.join(file, name))));
}

const built = Math.min(
  ...RESULTS.map((file) => statSync(path.join(root, file), { throwIfNoEntry: false })?.mtimeMs ?? 0),
);
if (SOURCES.some((source) => newest(path.join(root, source)) > built)) {
  // To stderr, because some commands print their result to stdout.
  process.stderr.write('Building Shipgate, which takes about a minute. The next start needs no build.\n');
  const build = spawn(process.execPath, [path.join(root, 'scripts/build.mjs')], {
    cwd: root,
    env: { ...process.env, SHOW_PROGRESS: 'true' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [status] = await once(build, 'exit');
  if (status !== 0) process.exit(status ?? 1);
}
