// Builds the service, the dashboard and the command line into an empty dist/, at the same time.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
// Nest would delete it later, with the dashboard.
rmSync(path.join(root, 'dist'), { recursive: true, force: true });

// A test runner sets another value, with which React and its libraries log warnings to the console.
const env = { ...process.env, NODE_ENV: 'production' };

async function run(script, ...args) {
  const child = spawn(process.execPath, [path.join(root, script), ...args], { cwd: root, env, stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  if (code !== 0) process.exitCode = code ?? 1;
}

const PROGRESS_MS = 10_000;
const began = Date.now();
const unfinished = new Set();
const progress = process.env.SHOW_PROGRESS ? (text) => process.stderr.write(`  ${seconds()} s: ${text}\n`) : () => {};
const seconds = () => Math.round((Date.now() - began) / 1000);
const waiting = setInterval(() => progress(`still building ${[...unfinished].join(' and ')}`), PROGRESS_MS);

async function part(name, running) {
  unfinished.add(name);
  await running;
  unfinished.delete(name);
  progress(`${name} is built`);
}

await Promise.all([
  part('the service', run('scripts/nest.mjs', 'build')),
  part('the dashboard', run('node_modules/vite/bin/vite.js', 'build', 'web', '--logLevel', 'warn')),
  // The bundles of the actions are committed, and `bundle:check` compares them.
  part('the command line', run('scripts/bundle.mjs', 'dist/cli/shipgate.cjs')),
]);
clearInterval(waiting);
if (!process.exitCode) await run('scripts/web-sizes.mjs');

// The metric `shipgate_build_info` shows the commit. A build of an image has no repository and gets it as GIT_COMMIT.
const commit = process.env.GIT_COMMIT || findCommit();
if (!process.exitCode && commit) writeFileSync(path.join(root, 'dist/src/config/commit'), commit);

function findCommit() {
  try {
    return execFileSync('git', ['rev-parse', 'HEAD'], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch {
    return null;
  }
}
