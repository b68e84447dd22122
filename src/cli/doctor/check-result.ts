import { errorMessage } from '../commands/command-runtime.js';

/** What an examination found of one thing. */
export interface CheckResult {
  /** `warn`: the service works, and less well than it could. `fail`: something of it does not work. */
  readonly status: 'ok' | 'warn' | 'fail';
  readonly of: string;
  readonly message: string;
  /** What to do about it; null where nothing is to be done. */
  readonly remedy: string | null;
}

/** Findings of one thing, to be made in its name. */
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

/** One question, answered in findings. */
export type Examination = () => Promise<readonly CheckResult[]>;

/** What went wrong, down to its first cause: a failed connection says why only there. */
export function rootCauseMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const message = errorMessage(error);
  return error.cause === undefined ? message : `${message}: ${rootCauseMessage(error.cause)}`;
}

const COLOURS: Readonly<Record<CheckResult['status'], string>> = {
  ok: '\u001b[32m',
  warn: '\u001b[33m',
  fail: '\u001b[31m',
};
const PLAIN = '\u001b[0m';
const INDENT = ' '.repeat(6);

/** One line a finding, and another one that says how to mend it. Whatever came from elsewhere is kept on its line. */
export function reportLines({ status, of, message, remedy }: CheckResult, inColour: boolean): string {
  const word = status.padEnd(4);
  const shown = inColour ? `${COLOURS[status]}${word}${PLAIN}` : word;
  const lines = [
    `${shown}  ${of}: ${onOneLine(message)}`,
    ...(remedy === null ? [] : [`${INDENT}→ ${onOneLine(remedy)}`]),
  ];
  return `${lines.join('\n')}\n`;
}

export function summaryOf(findings: readonly CheckResult[]): string {
  const count = (status: CheckResult['status']): number =>
    findings.filter((finding) => finding.status === status).length;
  return `${count('ok')} ok, ${count('warn')} to look at, ${count('fail')} to mend\n`;
}

// eslint-disable-next-line no-control-regex -- control characters are what is taken out: they could move the cursor
const onOneLine = (text: string): string => text.replace(/[\u0000-\u001f\u007f]+/g, ' ').trim();
