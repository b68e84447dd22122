import { fullMessage } from '../commands/command-runtime.js';

/** One result of a check. */
export interface CheckResult {
  /** `warn`: the service works with limits. `fail`: a part of it does not work. */
  readonly status: 'ok' | 'warn' | 'fail';
  readonly of: string;
  readonly message: string;
  /** How to fix the problem; null if there is none. */
  readonly remedy: string | null;
}

/** Creates the results of one subject. */
export class CheckResults {
  constructor(private readonly of: string) {}

  ok(message: string): CheckResult {
    return { status: 'ok', of: this.of, message, remedy: null };
  }

  warn(message: string, remedy: string): CheckResult {
    return { status: 'warn', of: this.of, message, remedy };
  }

  fail(message: string, remedy: string): CheckResult {
    return { status: 'fail', of: this.of, message, remedy };
  }
}

export type Check = () => Promise<readonly CheckResult[]>;

/** Returns the messages of an error and its causes. The reason of a failed connection is only in the first cause. */
export function rootCauseMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const message = fullMessage(error);
  return error.cause === undefined ? message : `${message}: ${rootCauseMessage(error.cause)}`;
}

const COLORS: Readonly<Record<CheckResult['status'], string>> = {
  ok: '\u001b[32m',
  warn: '\u001b[33m',
  fail: '\u001b[31m',
};
const PLAIN = '\u001b[0m';
const INDENT = ' '.repeat(6);

/** Formats a result as one line, with a second line for the remedy. Removes line breaks and control characters. */
export function formatResult({ status, of, message, remedy }: CheckResult, withColor: boolean): string {
  const padded = status.padEnd(4);
  const label = withColor ? `${COLORS[status]}${padded}${PLAIN}` : padded;
  const lines = [
    `${label}  ${of}: ${onOneLine(message)}`,
    ...(remedy === null ? [] : [`${INDENT}→ ${onOneLine(remedy)}`]),
  ];
  return `${lines.join('\n')}\n`;
}

export function formatSummary(results: readonly CheckResult[]): string {
  const count = (status: CheckResult['status']): number => results.filter((result) => result.status === status).length;
  return `${count('ok')} ok, ${count('warn')} warnings, ${count('fail')} failed\n`;
}

// eslint-disable-next-line no-control-regex -- removes control characters, which could move the cursor
const onOneLine = (text: string): string => text.replace(/[\u0000-\u001f\u007f]+/g, ' ').trim();
