import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** The control: a service without an inbox, in its own process. */
export class ServiceWithoutInbox {
  /**
   * The time to process one delivery. It must be long enough to see the acknowledgement and kill the process, also on a
   * slow machine.
   */
  static readonly workMs = 1_000;

  private constructor(private readonly process: ChildProcess) {}

  /** Adds the GUID of each processed delivery to `done`. */
  static async start(port: number, done: Set<string>): Promise<ServiceWithoutInbox> {
    const child = spawn(process.execPath, ['test/faults/receiver-without-inbox.mjs'], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { PATH: process.env['PATH'], PORT: String(port), WORK_MS: String(ServiceWithoutInbox.workMs) },
    });
    const lines = createInterface({ input: child.stdout });
    const listening = once(lines, 'line');
    lines.on('line', (line) => void done.add(line));
    await listening;
    return new ServiceWithoutInbox(child);
  }

  async kill(): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const ended = once(this.process, 'exit');
    this.process.kill('SIGKILL');
    await ended;
  }
}
