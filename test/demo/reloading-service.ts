import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { type FSWatcher, watch } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

type Environment = Readonly<Record<string, string | undefined>>;

/** EX_CONFIG of sysexits.h: a change of a source does not help. */
const WRONG_ENVIRONMENT = 78;
const SOURCES = ['src', 'migrations'];
/** An editor writes a file in several steps, and several files at once. */
const DEBOUNCE_MS = 200;
const POLL_MS = 100;

/** The service with reload: it runs from its sources without a build, and starts again when one of them changes. */
export class ReloadingService {
  private readonly watchers: readonly FSWatcher[];
  private service: ChildProcess | undefined;
  private checker: ChildProcess | undefined;
  private pending: NodeJS.Timeout | undefined;
  /** The restarts, one after the other. */
  private restarts: Promise<void>;
  private isStopping = false;

  /** `onEnd` is called with the exit code when neither a change nor a restart can help. */
  constructor(
    private readonly root: string,
    private readonly environment: Environment,
    private readonly onEnd: (code: number) => void,
  ) {
    this.restarts = this.restart();
    this.watchers = SOURCES.map((folder) =>
      watch(path.join(root, folder), { recursive: true }, (_, file) => this.restartAfter(file)),
    );
  }

  /** Waits until the service answers, also if it must be corrected first. */
  async untilReady(): Promise<void> {
    const isReady = (): Promise<boolean> =>
      fetch(`http://127.0.0.1:${this.environment['PORT']}/api/health`).then(
        ({ ok }) => ok,
        () => false,
      );
    while (!this.isStopping && !(await isReady())) await sleep(POLL_MS);
  }

  /** Checks the types of the sources beside the service, from now on. Prints each result. */
  checkTypes(): void {
    if (this.isStopping) return;
    const compiler = path.join(this.root, 'node_modules/typescript/bin/tsc');
    const options = ['--project', 'config/tsconfig.build.json', '--noEmit', '--watch', '--preserveWatchOutput'];
    this.checker = this.start([compiler, ...options], 'pipe');
    if (!this.checker.stdout) throw new Error('the compiler has no output');
    createInterface({ input: this.checker.stdout }).on('line', (line) => {
      if (line.trim() !== '') process.stdout.write(`${line}\n`);
    });
  }

  async stop(): Promise<void> {
    this.isStopping = true;
    clearTimeout(this.pending);
    for (const watcher of this.watchers) watcher.close();
    await Promise.all([stopProcess(this.checker), this.restarts]);
    await stopProcess(this.service);
  }

  private restartAfter(file: string | null): void {
    if (this.isStopping || file === null || !/(?<!\.spec)\.ts$|\.yml$/.test(file)) return;
    clearTimeout(this.pending);
    this.pending = setTimeout(() => {
      process.stdout.write(`${file} changed. The service starts again.\n`);
      this.restarts = this.restarts.then(() => this.restart());
    }, DEBOUNCE_MS);
  }

  private async restart(): Promise<void> {
    await stopProcess(this.service);
    if (this.isStopping) return;
    const service = this.start(['--import', './test/support/typescript.mjs', 'src/main.ts'], 'inherit');
    this.service = service;
    service.once('exit', (code) => {
      if (this.isStopping || service.killed) return;
      if (code === WRONG_ENVIRONMENT) this.onEnd(code);
      else
        process.stdout.write(`The service ended with ${code ?? 'a signal'}. It starts again when a source changes.\n`);
    });
  }

  private start(command: readonly string[], stdout: 'pipe' | 'inherit'): ChildProcess {
    return spawn(process.execPath, command, {
      cwd: this.root,
      // Nothing has to be redirected before a restart.
      env: { SHUTDOWN_DELAY: '0s', ...this.environment },
      stdio: ['ignore', stdout, 'inherit'],
      // Ctrl-C reaches this process only. A second signal would end the service at once, without a clean shutdown.
      detached: true,
    });
  }
}

async function stopProcess(child: ChildProcess | undefined): Promise<void> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}
