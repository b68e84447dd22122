import { text } from '../texts/en/evidence.js';

const MAX_LENGTH = 200;

type Numbers = Readonly<Record<string, unknown>>;

/** The name and the numbers of each kind of metrics, as texts. */
export const describeMetrics = (metrics: object): readonly (readonly [name: string, numbers: string])[] =>
  Object.entries(metrics).map(([kind, value]) => [text.types[kind] ?? kind, describeValue(value)] as const);

function describeValue(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value).slice(0, MAX_LENGTH);
  return (
    describeTests(value as Numbers) ??
    describeCoverage(value as Numbers) ??
    describeFindings(value as Numbers) ??
    JSON.stringify(value).slice(0, MAX_LENGTH)
  );
}

function describeTests({ total, passed, failed, skipped, flaky }: Numbers): string | null {
  const counts = [total, passed, failed, skipped];
  if (!isNumbers(counts)) return null;
  const [all = 0, good = 0, bad = 0, left = 0] = counts;
  const tests = text.tests(all, good, bad, left);
  return typeof flaky === 'number' && flaky > 0 ? `${tests}, ${text.flaky(flaky)}` : tests;
}

function describeCoverage({ line_percent: line, branch_percent: branch }: Numbers): string | null {
  const parts = [
    typeof line === 'number' && text.lines(line),
    typeof branch === 'number' && text.branches(branch),
  ].filter((part) => part !== false);
  return parts.length === 0 ? null : parts.join(', ');
}

function describeFindings({ critical, high, medium, low }: Numbers): string | null {
  const counts = [critical, high, medium, low];
  if (!isNumbers(counts)) return null;
  const [first = 0, second = 0, third = 0, last = 0] = counts;
  return text.findings(first, second, third, last);
}

const isNumbers = (values: readonly unknown[]): values is readonly number[] =>
  values.every((value) => typeof value === 'number');
