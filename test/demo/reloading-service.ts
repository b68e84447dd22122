import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';

type Environment = Readonly<Record<string, string | undefined>>;

/** EX_CONFIG of sysexits.h: a change of a source does not help. */
const WRONG_ENVIRONMENT = 78;

/** The service with reload: the compiler watches the sources, and after each compilation the service starts again. */
export class ReloadingService {
  private readonly compiler: ChildProcess;
  private service: ChildProcess | undefined;
  /** The restarts, one after the other. */
  private restarts: Promise<void> = Promise.resolve();
  private isStopping = false;

  /** `onEnd` is called with the exit code when neither a change nor a restart can help. */
  constructor(
    private readonly root: string,
    private readonly environment: Environment,
    private readonly onEnd: (code: number) => void,
  ) {
    const watch = [path.join(root, 'scripts/nest.mjs'), 'build', '--watch', '--preserveWatchOutput'];
    this.compiler = this.start(watch, 'pipe');
    this.compiler.once('exit', (code) => {
      if (!this.isStopping) onEnd(code ?? 1);
    });
    if (!this.compiler.stdout) throw new Error('the compiler has no output');
    createInterface({ input: this.compiler.stdout }).on('line', (line) => {
      if (line.trim() !== '') process.stdout.write(`${line}\n`);
      if (line.includes('Found 0 errors')) this.restarts = this.restarts.then(() => this.restart());
    });
  }

  async stop(): Promise<void> {
    this.isStopping = true;
    await Promise.all([stopProcess(this.compiler), this.restarts]);
    await stopProcess(this.service);
  }

  private async restart(): Promise<void> {
    await stopProcess(this.service);
    if (this.isStopping) return;
    const service = this.start([path.join(this.root, 'dist/src/main.js')], 'inherit');
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
