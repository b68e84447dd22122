import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';

/** How a command ended. */
export interface EndedCommand {
  /** Its exit code; of a command that a signal ended, 128 and the number of the signal, as a shell tells it. */
  readonly code: number;
  /** Whether this process was told to end while the command ran. */
  readonly wasInterrupted: boolean;
  /** Why it did not run at all; null if it did. */
  readonly problem: string | null;
}

/** The signals with which CI systems and terminals end a process. */
export const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;
/** The exit codes of a shell for a command that does not exist, and for one that cannot be run. */
const NOT_FOUND = 127;
const NOT_EXECUTABLE = 126;

/**
 * Runs a command with the input, the outputs and the variables of this process, and forwards signals to it. This process survives them, so
 * that the end can be reported.
 */
export async function runCommand([program = '', ...args]: readonly string[]): Promise<EndedCommand> {
  let wasInterrupted = false;
  let child: ChildProcess;
  try {
    child = spawn(program, args, { stdio: 'inherit' });
  } catch {
    // Such as arguments that are too long for the system.
    return { code: NOT_EXECUTABLE, wasInterrupted, problem: 'it cannot be executed' };
  }
  const handlers = SIGNALS.map((signal) => {
    const forward = (): void => {
      wasInterrupted = true;
      // A terminal sends its signals to every process of its group. A second one makes some programs stop without cleaning up.
      const isFromTerminal = process.stdin.isTTY && (signal === 'SIGINT' || signal === 'SIGQUIT');
      if (!isFromTerminal) child.kill(signal);
    };
    process.on(signal, forward);
    return () => process.off(signal, forward);
  });
  try {
    return await new Promise((resolve) => {
      child.on('error', (error: NodeJS.ErrnoException) => {
        if (child.pid !== undefined) return;
        const isMissing = error.code === 'ENOENT';
        resolve({
          code: isMissing ? NOT_FOUND : NOT_EXECUTABLE,
          wasInterrupted,
          problem: isMissing ? 'there is no such program' : 'it cannot be executed',
        });
      });
      child.on('exit', (code, signal) =>
        resolve({
          code: code ?? 128 + (signal === null ? 0 : constants.signals[signal]),
          wasInterrupted,
          problem: null,
        }),
      );
    });
  } finally {
    for (const remove of handlers) remove();
  }
}
