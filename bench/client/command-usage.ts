import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { keySecret } from '../../src/domain/keys/key-secret.js';

/** The command line rejects a key with a wrong checksum before it sends anything. */
const KEY = keySecret('sgk', new Uint8Array(32));

export const MEGABYTE = 1_048_576;
export const BARE_NODE = 'bare Node';
const SHA = '4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392';

/** The usage of one process. */
export interface Usage {
  readonly cpuMs: number;
  readonly wallMs: number;
  readonly megabytes: number;
}

export interface MeasuredCommand {
  readonly name: string;
  readonly arguments: readonly string[];
  /** The allowed CPU time in addition to that of bare Node; null if there is no target. */
  readonly targetCpuMs: number | null;
}

/** Writes the usage of the process when it ends. It also runs in bare Node, so its cost does not affect the difference. */
const HOOK = `process.on('exit', () => {
  const { existsSync, readFileSync, writeSync } = require('node:fs');
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  // \`maxRSS\` includes the memory of the benchmark at the fork.
  const status = '/proc/self/status';
  const kilobytes = existsSync(status) ? Number(/VmHWM:\\s*(\\d+)/.exec(readFileSync(status, 'utf8'))[1]) : maxRSS;
  writeSync(3, JSON.stringify({ cpuMs: (userCPUTime + systemCPUTime) / 1000, megabytes: kilobytes / 1024 }));
});`;

/** Returns a JUnit report of about this size. */
function junit(megabytes: number): string {
  const line =
    '<testcase classname="com.example.payments.LedgerTest" name="rounds the amount of item 00000" time="0.012"/>\n';
  return `<testsuite name="s">${line.repeat(Math.ceil((megabytes * MEGABYTE) / line.length))}</testsuite>`;
}

/** Starts a service that reads a request to its end, and answers at once. */
async function startService(): Promise<Server> {
  const service = createServer((request, response) => {
    request.resume().once('end', () => {
      const isUpload = request.method === 'POST';
      response.writeHead(isUpload ? 201 : 200, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify(isUpload ? { evidenceId: 'e' } : { version: 'v1.4.0', can_deploy: true, reasons: [] }),
      );
    });
  });
  service.listen(0, '127.0.0.1');
  await once(service, 'listening');
  return service;
}

/** Runs the commands of a bundle, each in its own process, and bare Node with an empty script. */
export class CommandUsage {
  private readonly usages = new Map<string, Usage[]>();

  private constructor(readonly commands: readonly MeasuredCommand[]) {}

  static async measure(bundle: string, rounds: number): Promise<CommandUsage> {
    const folder = mkdtempSync(path.join(tmpdir(), 'shipgate-client-'));
    const service = await startService();
    try {
      const [hook, bare] = [write(folder, 'usage.cjs', HOOK), write(folder, 'bare.cjs', '')];
      const measured = new CommandUsage(commandsIn(folder));
      const address = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
      // In turns, so that other work of the computer affects all of them.
      for (let round = 0; round < rounds; round += 1) {
        measured.add(BARE_NODE, await run(hook, [bare], folder, address));
        for (const { name, arguments: args } of measured.commands) {
          measured.add(name, await run(hook, [bundle, ...args, '--quiet'], folder, address));
        }
      }
      return measured;
    } finally {
      service.close();
      rmSync(folder, { recursive: true });
    }
  }

  of(name: string, member: keyof Usage): readonly number[] {
    return (this.usages.get(name) ?? []).map((usage) => usage[member]);
  }

  private add(name: string, usage: Usage): void {
    this.usages.set(name, [...(this.usages.get(name) ?? []), usage]);
  }
}

function write(folder: string, name: string, content: string): string {
  const file = path.join(folder, name);
  writeFileSync(file, content);
  return file;
}

function commandsIn(folder: string): readonly MeasuredCommand[] {
  write(folder, 'sdlc.yaml', 'version: v1\n');
  const small = ['a.xml', 'b.xml', 'c.xml', 'd.xml'].map((name) => write(folder, name, junit(0.01)));
  const large = ['1.xml', '2.xml', '3.xml'].map((name) => write(folder, name, junit(8)));
  const identified = ['--release', 'v1.4.0', '--repo', 'acme/payments'];
  const upload = ['upload', ...identified, '--pipeline', 'build', '--commit', SHA];
  return [
    { name: 'version', arguments: ['version'], targetCpuMs: 60 },
    { name: '--help', arguments: ['--help'], targetCpuMs: 60 },
    { name: 'policy check', arguments: ['policy', 'check'], targetCpuMs: 200 },
    { name: 'gate', arguments: ['gate', ...identified, '--sha', SHA], targetCpuMs: 200 },
    { name: 'upload --dry-run, 4 files', arguments: [...upload, '--dry-run', ...small], targetCpuMs: 200 },
    { name: 'upload, 4 files', arguments: [...upload, ...small], targetCpuMs: 200 },
    { name: 'upload, 24 MB in 3 files', arguments: [...upload, ...large], targetCpuMs: null },
  ];
}

async function run(hook: string, args: readonly string[], folder: string, address: string): Promise<Usage> {
  const begin = performance.now();
  const child = spawn(process.execPath, ['--require', hook, ...args], {
    cwd: folder,
    env: { PATH: process.env['PATH'], SHIPGATE_URL: address, SHIPGATE_API_KEY: KEY },
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
  });
  let text = '';
  child.stdio[3]?.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${String(code)}.`);
  return { ...(JSON.parse(text) as Omit<Usage, 'wallMs'>), wallMs: performance.now() - begin };
}
