/**
 * Runs every measurement or those that the arguments name, one after the other, each in its own process. `--quick` runs a
 * shorter measurement.
 */
import { spawnSync } from 'node:child_process';
import { loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';

const MEASUREMENTS = [
  'gate',
  'intake',
  'events',
  'lists',
  'upload',
  'bodies',
  'routes',
  'exports',
  'web',
  'startup',
  'client',
  'tenants',
  'storage',
] as const;

const [options, named] = [true, false].map((isOption) =>
  process.argv.slice(2).filter((argument) => argument.startsWith('--') === isOption),
) as [string[], string[]];
const unknown = named.filter((name) => !MEASUREMENTS.some((measurement) => measurement === name));
if (unknown.length > 0) throw new TypeError(`There is no "${unknown.join('", "')}", only ${MEASUREMENTS.join(', ')}.`);

for (const measurement of named.length > 0 ? named : MEASUREMENTS) {
  console.log(`\n=== ${measurement} (machine load before: ${(loadavg()[0] ?? 0).toFixed(1)})`);
  const module = fileURLToPath(new URL(`${measurement}.js`, import.meta.url));
  const { status } = spawnSync(process.execPath, [module, ...options], { stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
}
