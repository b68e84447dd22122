import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import { fileURLToPath } from 'node:url';

/** A forked process that answers with messages. */
export class Child {
  readonly #process: ChildProcess;

  /** The log lines of the process are written to the null device. */
  constructor(module: URL, args: readonly string[] = [], execArgv: readonly string[] = []) {
    const nowhere = openSync(devNull, 'w');
    this.#process = fork(fileURLToPath(module), [...args], {
      execArgv: [...execArgv],
      stdio: ['ignore', nowhere, 'inherit', 'ipc'],
    });
    closeSync(nowhere);
  }

  send(message: object): void {
    this.#process.send(message);
  }

  /** Returns the next message. Rejects if the process ends instead. */
  async next<Message>(): Promise<Message> {
    const ended = new AbortController();
    try {
      return await Promise.race([
        once(this.#process, 'message', { signal: ended.signal }).then(([message]) => message as Message),
        once(this.#process, 'exit', { signal: ended.signal }).then(([code, signal]): never => {
          throw new Error(`${this.#process.spawnargs[1] ?? 'A process'} ended with ${String(code ?? signal)}.`);
        }),
      ]);
    } finally {
      ended.abort();
    }
  }

  async stop(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const ended = once(this.#process, 'exit');
    this.#process.kill('SIGTERM');
    await ended;
  }
}
