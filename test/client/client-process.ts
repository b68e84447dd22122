import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

let bundle = '';

export interface ClientOutcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** The document of a call with `--json`. */
  readonly json: Readonly<Record<string, unknown>>;
}

export interface ClientCall {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** What a pipe writes to the process. */
  readonly input?: string;
}

/** Bundles the present sources, in a folder of this test file: another one may run its bundle at the same time. */
export function buildClient(): void {
  bundle = path.join(mkdtempSync(path.join(tmpdir(), 'shipgate-cli-')), 'shipgate.cjs');
  const { status, stderr } = spawnSync(process.execPath, ['scripts/bundle.mjs', bundle], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`The bundle cannot be built: ${stderr}`);
}

/** Returns the bundle, as a service would serve it. */
export const clientContent = (): Buffer => readFileSync(bundle);

export const removeClient = (): void => rmSync(path.dirname(bundle), { recursive: true });

/** Runs the bundle as a process of its own, with no other variables than those given. */
export async function shipgate(
  args: readonly string[],
  { env = {}, cwd, input = '' }: ClientCall = {},
): Promise<ClientOutcome> {
  const child = spawn(process.execPath, [bundle, ...args], {
    ...(cwd !== undefined && { cwd }),
    env: { PATH: process.env['PATH'], HOME: '/nonexistent', ...env },
    stdio: 'pipe',
  });
  // A process that ends early does not read its input.
  child.stdin.on('error', () => undefined).end(input);
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return {
    code,
    stdout,
    stderr,
    get json() {
      return JSON.parse(stdout) as Readonly<Record<string, unknown>>;
    },
  };
}
