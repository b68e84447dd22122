import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdirSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { DemoClock } from './demo-clock.js';

const STARTS_WITHIN_MS = 60_000;

/** A running service, as one process or with others. */
export interface RunningService {
  readonly url: string;
  stop(): Promise<void>;
}

/** The service as a self-hoster starts it: one process with environment variables. */
export class ServiceProcess implements RunningService {
  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
  ) {}

  static async start(
    root: string,
    environment: Readonly<Record<string, string>>,
    logFile: string,
    clock?: DemoClock,
  ): Promise<ServiceProcess> {
    mkdirSync(path.dirname(logFile), { recursive: true });
    const log = createWriteStream(logFile);
    const main = clock ? 'dist/test/demo/past-service.js' : 'dist/src/main.js';
    const child = spawn(process.execPath, [path.join(root, main)], {
      cwd: root,
      env: { ...inherited(), ...environment },
      stdio: ['ignore', 'pipe', 'pipe', ...(clock ? (['ipc'] as const) : [])],
      // Ctrl-C reaches the demo alone, which then stops the service in its turn.
      detached: true,
    });
    child.stdout?.pipe(log);
    child.stderr?.pipe(log);
    try {
      await clock?.alsoSet(async (behindMs) => {
        const set = once(child, 'message');
        child.send(behindMs);
        await set;
      });
      return new ServiceProcess(child, await listening(child, logFile));
    } catch (error) {
      child.kill('SIGTERM');
      throw error;
    }
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exited = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    await exited;
  }
}

/** A free port: the preferred one if it is free. */
export async function freePort(expected: number): Promise<number> {
  for (const port of [expected, 0]) {
    const server = createServer();
    try {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, '127.0.0.1', resolve);
      });
      const { port: free } = server.address() as AddressInfo;
      await new Promise((resolve) => server.close(resolve));
      return free;
    } catch {
      // Taken: try the next one.
    }
  }
  throw new Error('no port is free');
}

/** The variables of the machine, without those of another Shipgate on it. */
export function inherited(): Record<string, string> {
  const names = ['PATH', 'HOME', 'USER', 'TMPDIR', 'TEMP', 'SystemRoot', 'NODE_OPTIONS', 'LANG', 'TZ'];
  return Object.fromEntries(
    names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
}

async function listening(child: ChildProcess, logFile: string): Promise<string> {
  const { stdout } = child;
  if (!stdout) throw new Error('the service has no output');
  return new Promise((resolve, reject) => {
    const fail = (why: string): void => {
      clearTimeout(late);
      reject(new Error(`the service did not start: ${why}; its log is in ${logFile}`));
    };
    const late = setTimeout(() => fail('it took too long'), STARTS_WITHIN_MS);
    const lines = createInterface({ input: stdout });
    lines.on('line', (line) => {
      const { msg, url } = parse(line);
      if (msg !== 'listening' || url === undefined) return;
      clearTimeout(late);
      lines.close();
      stdout.resume();
      resolve(url);
    });
    child.once('exit', (code, signal) => fail(`it ended with ${code ?? signal}`));
  });
}

function parse(line: string): { readonly msg?: string; readonly url?: string } {
  try {
    return JSON.parse(line) as { msg?: string; url?: string };
  } catch {
    return {};
  }
}
