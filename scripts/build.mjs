// Builds the service and the dashboard into an empty dist/, at the same time.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
// Nest would delete it later, with the dashboard.
rmSync(path.join(root, 'dist'), { recursive: true, force: true });

async function run(script, ...args) {
  const child = spawn(process.execPath, [path.join(root, script), ...args], { cwd: root, stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  if (code !== 0) process.exitCode = code ?? 1;
}

await Promise.all([
  run('scripts/nest.mjs', 'build'),
  run('node_modules/vite/bin/vite.js', 'build', 'web', '--logLevel', 'warn'),
]);
