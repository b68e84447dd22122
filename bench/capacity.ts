/**
 * Estimates the needs of an installation and its first limit: processes, connections, cores and bytes.
 *
 *   npm run capacity                                        for 10, 1,000 and 100,000 workspaces
 *   npm run capacity -- --repos 100000                      for this number of repositories
 *   npm run capacity -- --deliveriesPerDay 300              with another assumption; --help lists them
 *   npm run capacity -- --corePrice 20 --gigabytePrice 0.1  with the price of a core and of a gigabyte in a month
 */
import { parseArgs } from 'node:util';
import { estimate, estimateLimits, type Shares, sum, writeVerdict } from './capacity/estimate.js';
import { ASSUMED, type AssumptionName, DEFAULT_ASSUMPTIONS, MEASURED } from './capacity/inputs.js';

const WORKSPACES = [10, 1_000, 100_000];
const names = Object.keys(ASSUMED) as AssumptionName[];
const text = { type: 'string' } as const;
const options = Object.fromEntries([...names, 'repos', 'corePrice', 'gigabytePrice'].map((name) => [name, text]));
const { values } = parseArgs({ options: { ...options, help: { type: 'boolean' } } });

const given = (name: string): number | null => {
  const value: unknown = values[name as keyof typeof values];
  if (value === undefined) return null;
  if (!(Number(value) > 0)) throw new TypeError(`--${name} must be a number above 0.`);
  return Number(value);
};
const assumptions = Object.fromEntries(names.map((name) => [name, given(name) ?? DEFAULT_ASSUMPTIONS[name]])) as Record<
  AssumptionName,
  number
>;

const round = (value: number): string =>
  value.toLocaleString('en', value < 10 ? { maximumSignificantDigits: 2 } : { maximumFractionDigits: 0 });
const gigabytes = (bytes: number): string => `${round(bytes / 1e9)} GB`;
const shares = (parts: Shares): string => {
  const total = sum(parts);
  return Object.entries(parts)
    .toSorted(([, left], [, right]) => right - left)
    .map(([name, part]) => `${name} ${Math.round((part / total) * 100)} %`)
    .join(', ');
};

/** Prints the needs of a number of repositories, and every limit. */
function print(scale: number): void {
  const estimated = estimate(scale, assumptions);
  const { load, nodeCores, databaseCores, databaseBytes } = estimated;
  const rows: readonly (readonly [string, string])[] = [
    [
      'in the busiest hour, a second',
      Object.entries(load)
        .map(([name, rate]) => `${name} ${round(rate)}`)
        .join(', '),
    ],
    ['event streams', round(estimated.eventReaders)],
    ['web processes', round(estimated.webProcesses)],
    ['workers', round(estimated.workerProcesses)],
    ['connections', round(estimated.connections)],
    ['cores of processes', `${round(sum(nodeCores))}: ${shares(nodeCores)}`],
    ['cores of Postgres', `${round(sum(databaseCores))}: ${shares(databaseCores)}`],
    ['database after a year', `${gigabytes(sum(databaseBytes))}: ${shares(databaseBytes)}`],
  ];
  console.log(`\n${round(estimated.workspaces)} workspaces, ${round(estimated.repositories)} repositories`);
  for (const [name, value] of rows) console.log(`  ${name.padEnd(30)} ${value}`);
  const [corePrice, gigabytePrice] = [given('corePrice'), given('gigabytePrice')];
  if (corePrice !== null || gigabytePrice !== null) {
    const cores = ((sum(nodeCores) + sum(databaseCores)) / assumptions.usableShareOfACore) * (corePrice ?? 0);
    const storage = (sum(databaseBytes) / 1e9) * (gigabytePrice ?? 0);
    console.log(
      `  ${'a month costs'.padEnd(30)} ${round(cores + storage)}: cores ${round(cores)}, storage ${round(storage)}`,
    );
  }
  for (const [index, { resource, needed, available, repositories, movedBy }] of estimateLimits(
    scale,
    assumptions,
  ).entries()) {
    const share = `${round((needed / available) * 100)} % used, full at ${round(repositories)} repositories`;
    console.log(`  ${(index === 0 ? 'first limit' : '').padEnd(30)} ${resource}: ${share}; moved by ${movedBy}`);
  }
}

if (values.help) {
  console.log('Measured (docs/performance.md):');
  for (const { value, unit, section, quote } of Object.values(MEASURED)) {
    console.log(`  ${`${value} ${unit}`.padEnd(20)} ${section}: ${quote.replaceAll(/[|*]+/g, '').trim()}`);
  }
  console.log('\nAssumed:');
  for (const [name, { value, unit, because }] of Object.entries(ASSUMED)) {
    console.log(`  ${`--${name} ${value}`.padEnd(36)} ${unit ? `${unit}: ` : ''}${because}`);
  }
} else {
  const repositories = given('repos');
  const scales =
    repositories === null
      ? WORKSPACES.map((workspaces) => workspaces * assumptions.repositoriesPerWorkspace)
      : [repositories];
  for (const scale of scales) console.log(writeVerdict(scale, assumptions));
  scales.forEach(print);
}
