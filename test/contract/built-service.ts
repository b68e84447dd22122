import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** The service signs its cookies with it. */
export const SESSION_SECRET = 'a secret that no deployment has!';

/** The service encrypts secrets with it. */
export const ENCRYPTION_KEY = { kid: 'test', key: Buffer.alloc(32, 7) };

const SILENCE_MS = 180_000;
/** Enough for the stack of an error that ended a process. */
const LAST_LINES = 15;

/** The service as it is shipped: the built code in a process of its own. */
export class BuiltService {
  private constructor(
    private readonly process: ChildProcess,
    /** The URL of the service. */
    readonly url: string,
    /** The lines of its log above the level info, and everything that it wrote to stderr. */
    readonly warnings: readonly string[],
  ) {}

  /**
   * Builds the parts that are older than their sources. The OpenAPI document needs a build, because the build adds its
   * data to the code.
   */
  static build(): void {
    const { status, stderr } = spawnSync(process.execPath, ['scripts/ensure-built.mjs'], { encoding: 'utf8' });
    if (status !== 0) throw new Error(`The service cannot be built: ${stderr}`);
  }

  /** Starts the build in a folder, by default that of the repository. */
  static async start(variables: Readonly<Record<string, string>>, folder = '.'): Promise<BuiltService> {
    const child = spawn(process.execPath, ['dist/src/main.js'], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env['PATH'],
        PORT: '0',
        SESSION_SECRET,
        ENCRYPTION_KEYS: `${ENCRYPTION_KEY.kid}:${ENCRYPTION_KEY.key.toString('base64')}`,
        TRUSTED_PROXIES: '127.0.0.1',
        SHUTDOWN_DELAY: '0s',
        ...variables,
      },
    });
    const warnings: string[] = [];
    return new BuiltService(child, await listeningAt(child, warnings), warnings);
  }

  get pid(): number {
    return this.process.pid ?? 0;
  }

  /** Whether the process has ended, on request or by itself. */
  get hasEnded(): boolean {
    return this.process.exitCode !== null || this.process.signalCode !== null;
  }

  /** The exit code or the signal of an ended process, and its last lines above the level info. Null if it did not end. */
  get end(): string | null {
    if (!this.hasEnded) return null;
    const { exitCode, signalCode } = this.process;
    return [signalCode ?? `exit code ${exitCode}`, ...this.warnings.slice(-LAST_LINES)].join('\n');
  }

  /** Asks the process to end. Returns its exit code, or null if a signal ended it. */
  async stop(): Promise<number | null> {
    await this.endWith('SIGTERM');
    return this.process.exitCode;
  }

  /** Ends the process as a failing machine does: without a notice to it and without a wait. */
  async kill(): Promise<void> {
    await this.endWith('SIGKILL');
  }

  /** Pauses the process with all its connections, or continues it. */
  halt(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.process.kill(signal);
  }

  private async endWith(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    if (this.hasEnded) return;
    const ended = once(this.process, 'exit');
    this.process.kill(signal);
    await ended;
  }
}

/**
 * Reads the log, and resolves with the address in the line about listening. Adds each line above the level info and each
 * line of stderr to `warnings`.
 */
async function listeningAt(child: ChildProcess, warnings: string[]): Promise<string> {
  const { stdout, stderr } = child;
  if (!stdout || !stderr) throw new Error('The service has no output to read.');
  const giveUp = setTimeout(() => child.kill('SIGKILL'), SILENCE_MS);
  createInterface({ input: stderr }).on('line', (line) => warnings.push(line));
  const log = createInterface({ input: stdout });
  try {
    return await new Promise<string>((resolve, reject) => {
      log.on('line', (line) => {
        const { msg, url, level } = readLine(line);
        if (level !== 'info' && level !== 'debug') warnings.push(line);
        if (msg === 'listening' && url !== undefined) resolve(url);
      });
      log.once('close', () => reject(new Error(`The service ended before it listened:\n${warnings.join('\n')}`)));
    });
  } finally {
    clearTimeout(giveUp);
  }
}

interface LogLine {
  readonly msg?: string;
  readonly url?: string;
  readonly level?: string;
}

/** The last line of a process that was killed may be incomplete. */
function readLine(line: string): LogLine {
  try {
    return JSON.parse(line) as LogLine;
  } catch {
    return {};
  }
}
