/**
 * Measures how many bytes the database needs for a release, an upload, a decision and a delivery, by releases that go through
 * their whole life in the service. `--quick` runs a shorter measurement.
 */
import { spawnSync } from 'node:child_process';

// The simulated GitHub and the scenarios of the tests run from their sources.
const { status } = spawnSync(
  process.execPath,
  [
    '--no-warnings',
    '--import',
    './test/support/typescript.mjs',
    'bench/storage/release-lives.ts',
    ...process.argv.slice(2),
  ],
  { stdio: 'inherit' },
);
process.exitCode = status ?? 1;
