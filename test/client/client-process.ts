import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

let bundle = '';

/** The Node that runs the bundle: that of the tests, or the one of `node scripts/test-client-on-nodes.mjs`. */
const NODE = process.env['CLIENT_NODE'] ?? process.execPath;

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
  /** The input through a pipe. */
  readonly input?: string;
  /** Resolves when the process must be killed. */
  readonly killed?: Promise<unknown>;
  /** The user that runs the process. */
  readonly uid?: number | undefined;
}

/**
 * Bundles the present sources into a folder of this test file, because another file may run its bundle at the same
 * time.
 */
export function buildClient(): void {
  bundle = path.join(mkdtempSync(path.join(tmpdir(), 'shipgate-cli-')), 'shipgate.cjs');
  const { status, stderr } = spawnSync(process.execPath, ['scripts/bundle.mjs', bundle], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`The bundle cannot be built: ${stderr}`);
  // A test may run it as another user.
  chmodSync(path.dirname(bundle), 0o755);
}

/** Returns the bundle as a service would send it. */
export const clientContent = (): Buffer => readFileSync(bundle);

/** Returns the command that runs the bundle. */
export const clientCommand = (): readonly string[] => [NODE, bundle];

export const removeClient = (): void => rmSync(path.dirname(bundle), { recursive: true });

/** Runs the bundle in its own process, with the given variables only. */
export async function shipgate(
  args: readonly string[],
  { env = {}, cwd, input = '', killed, uid }: ClientCall = {},
): Promise<ClientOutcome> {
  const child = spawn(NODE, [bundle, ...args], {
    ...(cwd !== undefined && { cwd }),
    ...(uid !== undefined && { uid }),
    env: { PATH: process.env['PATH'], HOME: '/nonexistent', ...env },
    stdio: 'pipe',
  });
  void killed?.then(() => child.kill('SIGKILL'));
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
