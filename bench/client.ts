/** Measures the size of the command line, and the CPU time, the wall time and the memory of its commands, compared with bare Node. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { BARE_NODE, CommandUsage, MEGABYTE } from './client/command-usage.js';
import { median } from './measuring/median.js';

const ROUNDS = process.argv.includes('--quick') ? 5 : 20;
const BUNDLE = fileURLToPath(new URL('../cli/shipgate.cjs', import.meta.url));

const table = (cells: readonly string[]): void =>
  console.log(cells.map((cell, at) => (at === 0 ? cell.padEnd(28) : cell.padStart(13))).join(''));

const usage = await CommandUsage.measure(BUNDLE, ROUNDS);
const content = readFileSync(BUNDLE);
console.log(`\nNode ${process.versions.node}, ${ROUNDS} runs of each command in turns`);
console.log(
  `bundle: ${content.length} bytes, ${gzipSync(content).length} gzipped  (target: at most ${2 * MEGABYTE})\n`,
);
table(['', 'CPU ms', 'over bare', 'target', 'wall ms min', 'memory MB']);
for (const { name, targetCpuMs } of [{ name: BARE_NODE, targetCpuMs: null }, ...usage.commands]) {
  const cpu = median(usage.of(name, 'cpuMs'));
  table([
    name,
    cpu.toFixed(0),
    (cpu - median(usage.of(BARE_NODE, 'cpuMs'))).toFixed(0),
    targetCpuMs === null ? '' : `at most ${targetCpuMs}`,
    Math.min(...usage.of(name, 'wallMs')).toFixed(0),
    Math.max(...usage.of(name, 'megabytes')).toFixed(0),
  ]);
}
