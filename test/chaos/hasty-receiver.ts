import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** The control, in its own process: a receiver that acknowledges requests before it stores them. */
export class HastyReceiver {
  private constructor(private readonly process: ChildProcess) {}

  /** Listens at one port, and forwards to the service at another one. */
  static async start(port: number, target: number): Promise<HastyReceiver> {
    const child = spawn(process.execPath, ['test/chaos/hasty-receiver.mjs'], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { PATH: process.env['PATH'], PORT: String(port), TARGET: String(target) },
    });
    await once(child.stdout, 'data');
    return new HastyReceiver(child);
  }

  async kill(): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const ended = once(this.process, 'exit');
    this.process.kill('SIGKILL');
    await ended;
  }
}
