/** Measures the size of the command line, and the CPU time, the wall time and the memory of its commands, compared with bare Node. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { median } from './measuring/median.js';

const ROUNDS = process.argv.includes('--quick') ? 5 : 20;
const BUNDLE = fileURLToPath(new URL('../cli/shipgate.cjs', import.meta.url));
const SHA = '4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392';
const MEGABYTE = 1_048_576;

/** The usage of one process. */
interface Usage {
  readonly cpuMs: number;
  readonly wallMs: number;
  readonly megabytes: number;
}

interface Measured {
  readonly name: string;
  readonly arguments: readonly string[];
  /** The allowed CPU time in addition to that of bare Node. */
  readonly targetCpuMs: number;
}

const folder = mkdtempSync(path.join(tmpdir(), 'shipgate-client-'));
const write = (name: string, content: string): string => {
  const file = path.join(folder, name);
  writeFileSync(file, content);
  return file;
};

/** Writes the usage of the process when it ends. It also runs in bare Node, so its cost does not affect the difference. */
const hook = write(
  'usage.cjs',
  `process.on('exit', () => {
     const { existsSync, readFileSync, writeSync } = require('node:fs');
     const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
     // \`maxRSS\` includes the memory of the benchmark at the fork.
     const status = '/proc/self/status';
     const kilobytes = existsSync(status) ? Number(/VmHWM:\\s*(\\d+)/.exec(readFileSync(status, 'utf8'))[1]) : maxRSS;
     writeSync(3, JSON.stringify({ cpuMs: (userCPUTime + systemCPUTime) / 1000, megabytes: kilobytes / 1024 }));
   });`,
);
const bare = write('bare.cjs', '');

async function run(script: string, args: readonly string[], address: string): Promise<Usage> {
  const begin = performance.now();
  const child = spawn(process.execPath, ['--require', hook, script, ...args], {
    cwd: folder,
    env: { PATH: process.env['PATH'], SHIPGATE_URL: address, SHIPGATE_API_KEY: 'sgk_bench' },
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
  });
  let text = '';
  child.stdio[3]?.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${[script, ...args].join(' ')} ended with ${String(code)}.`);
  return { ...(JSON.parse(text) as Omit<Usage, 'wallMs'>), wallMs: performance.now() - begin };
}

/** Returns a JUnit report of about this size. */
function junit(megabytes: number): string {
  const line =
    '<testcase classname="com.example.payments.LedgerTest" name="rounds the amount of item 00000" time="0.012"/>\n';
  return `<testsuite name="s">${line.repeat(Math.ceil((megabytes * MEGABYTE) / line.length))}</testsuite>`;
}

/** A service that reads a request to its end, and answers at once. */
const service = createServer((request, response) => {
  request.resume().once('end', () => {
    const isUpload = request.method === 'POST';
    response.writeHead(isUpload ? 201 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(isUpload ? { evidenceId: 'e' } : { version: 'v1.4.0', can_deploy: true, reasons: [] }));
  });
});

function measurements(): readonly Measured[] {
  write('sdlc.yaml', 'version: v1\n');
  const small = ['a.xml', 'b.xml', 'c.xml', 'd.xml'].map((name) => write(name, junit(0.01)));
  const large = ['1.xml', '2.xml', '3.xml'].map((name) => write(name, junit(8)));
  const identified = ['--release', 'v1.4.0', '--repo', 'acme/payments'];
  const upload = ['upload', ...identified, '--pipeline', 'build', '--commit', SHA];
  return [
    { name: 'version', arguments: ['version'], targetCpuMs: 60 },
    { name: '--help', arguments: ['--help'], targetCpuMs: 60 },
    { name: 'policy check', arguments: ['policy', 'check'], targetCpuMs: 200 },
    { name: 'gate', arguments: ['gate', ...identified, '--sha', SHA], targetCpuMs: 200 },
    { name: 'upload --dry-run, 4 files', arguments: [...upload, '--dry-run', ...small], targetCpuMs: 200 },
    { name: 'upload, 4 files', arguments: [...upload, ...small], targetCpuMs: 200 },
    { name: 'upload, 24 MB in 3 files', arguments: [...upload, ...large], targetCpuMs: Number.NaN },
  ];
}

const table = (cells: readonly string[]): void =>
  console.log(cells.map((cell, at) => (at === 0 ? cell.padEnd(28) : cell.padStart(13))).join(''));

async function measure(address: string): Promise<void> {
  const measured = measurements();
  const usages = new Map<string, Usage[]>();
  // In turns, so that other work of the machine affects all of them.
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const { name, arguments: args } of [{ name: 'bare Node', arguments: [] }, ...measured]) {
      const usage = await run(name === 'bare Node' ? bare : BUNDLE, args, address);
      usages.set(name, [...(usages.get(name) ?? []), usage]);
    }
  }
  const of = (name: string, member: keyof Usage): readonly number[] =>
    (usages.get(name) ?? []).map((usage) => usage[member]);
  const content = readFileSync(BUNDLE);
  console.log(`\nNode ${process.versions.node}, ${ROUNDS} runs of each command in turns`);
  console.log(
    `bundle: ${content.length} bytes, ${gzipSync(content).length} gzipped  (target: at most ${2 * MEGABYTE})\n`,
  );
  table(['', 'CPU ms', 'over bare', 'target', 'wall ms min', 'memory MB']);
  for (const { name, targetCpuMs } of [{ name: 'bare Node', targetCpuMs: Number.NaN }, ...measured]) {
    const cpu = median(of(name, 'cpuMs'));
    table([
      name,
      cpu.toFixed(0),
      (cpu - median(of('bare Node', 'cpuMs'))).toFixed(0),
      Number.isNaN(targetCpuMs) ? '' : `at most ${targetCpuMs}`,
      Math.min(...of(name, 'wallMs')).toFixed(0),
      Math.max(...of(name, 'megabytes')).toFixed(0),
    ]);
  }
}

service.listen(0, '127.0.0.1');
await once(service, 'listening');
try {
  await measure(`http://127.0.0.1:${(service.address() as AddressInfo).port}`);
} finally {
  service.close();
  rmSync(folder, { recursive: true });
}
