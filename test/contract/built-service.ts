import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** What the service signs its cookies with. */
export const SESSION_SECRET = 'a secret that no deployment has!';

/** What the service seals secrets with. */
export const ENCRYPTION_KEY = { kid: 'test', key: Buffer.alloc(32, 7) };

const SILENCE_MS = 60_000;

/** The service as it is shipped: the built code in a process of its own. */
export class BuiltService {
  private constructor(
    private readonly process: ChildProcess,
    /** Where it listens. */
    readonly url: string,
  ) {}

  /** Builds what is older than its sources: the description is made of what the build adds to the code. */
  static build(): void {
    const { status, stderr } = spawnSync(process.execPath, ['scripts/ensure-built.mjs'], { encoding: 'utf8' });
    if (status !== 0) throw new Error(`The service cannot be built: ${stderr}`);
  }

  static async start(variables: Readonly<Record<string, string>>): Promise<BuiltService> {
    const child = spawn(process.execPath, ['--enable-source-maps', 'dist/src/main.js'], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        PATH: process.env['PATH'],
        PORT: '0',
        SESSION_SECRET,
        ENCRYPTION_KEYS: `${ENCRYPTION_KEY.kid}:${ENCRYPTION_KEY.key.toString('base64')}`,
        TRUSTED_PROXIES: '127.0.0.1',
        ...variables,
      },
    });
    return new BuiltService(child, await listeningAt(child));
  }

  /** Whether it has ended, on request or by itself. */
  get hasEnded(): boolean {
    return this.process.exitCode !== null || this.process.signalCode !== null;
  }

  /** Asks it to end, and answers the code with which it does; null where a signal ended it. */
  async stop(): Promise<number | null> {
    await this.end('SIGTERM');
    return this.process.exitCode;
  }

  /** Ends it as a machine that fails would: nothing of it is told, and nothing waited for. */
  async kill(): Promise<void> {
    await this.end('SIGKILL');
  }

  /** Lets it stand still, with all its connections, or go on. */
  halt(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.process.kill(signal);
  }

  private async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    if (this.hasEnded) return;
    const ended = once(this.process, 'exit');
    this.process.kill(signal);
    await ended;
  }
}

/** Reads the log up to the line that says where it listens, and lets the rest of it run out. */
async function listeningAt(child: ChildProcess): Promise<string> {
  if (!child.stdout) throw new Error('The service has no output to read.');
  const giveUp = setTimeout(() => child.kill('SIGKILL'), SILENCE_MS);
  const lines: string[] = [];
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      lines.push(line);
      const { msg, url } = JSON.parse(line) as { msg?: string; url?: string };
      if (msg === 'listening' && url !== undefined) {
        child.stdout.resume();
        return url;
      }
    }
  } finally {
    clearTimeout(giveUp);
  }
  throw new Error(`The service ended before it listened:\n${lines.join('\n')}`);
}
