import type { Finding } from './finding.js';

const COLOURS: Readonly<Record<Finding['status'], string>> = {
  ok: '\u001b[32m',
  warn: '\u001b[33m',
  fail: '\u001b[31m',
};
const PLAIN = '\u001b[0m';
const INDENT = ' '.repeat(6);

/** One line a finding, and another one that says how to mend it. Whatever came from elsewhere is kept on its line. */
export function reportLines({ status, of, says, remedy }: Finding, inColour: boolean): string {
  const word = status.padEnd(4);
  const shown = inColour ? `${COLOURS[status]}${word}${PLAIN}` : word;
  const lines = [
    `${shown}  ${of}: ${onOneLine(says)}`,
    ...(remedy === null ? [] : [`${INDENT}→ ${onOneLine(remedy)}`]),
  ];
  return `${lines.join('\n')}\n`;
}

export function summaryOf(findings: readonly Finding[]): string {
  const count = (status: Finding['status']): number => findings.filter((finding) => finding.status === status).length;
  return `${count('ok')} ok, ${count('warn')} to look at, ${count('fail')} to mend\n`;
}

// eslint-disable-next-line no-control-regex -- control characters are what is taken out: they could move the cursor
const onOneLine = (text: string): string => text.replace(/[\u0000-\u001f\u007f]+/g, ' ').trim();
