// Checks the alert rules and runs their tests with promtool, which Debian's package "prometheus" has. Without promtool the tests are skipped;
// with --required, as in a workflow, they fail.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../deploy/monitoring');

function promtool(...args) {
  const { status, error } = spawnSync('promtool', args, { cwd: folder, stdio: 'inherit' });
  if (error?.code === 'ENOENT') {
    const required = process.argv.includes('--required');
    console.log(`${required ? 'Failed' : 'Skipped'}: promtool is not installed (apt-get install prometheus).`);
    process.exit(required ? 1 : 0);
  }
  if (status !== 0) process.exit(status ?? 1);
}

promtool('check', 'rules', 'alerts.yaml');
promtool('test', 'rules', 'alerts.test.yaml');
