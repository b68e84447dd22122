import type { TestOutcome } from '../../domain/evidence/test-outcome.js';
import type { HtmlReport, ParsedReport } from './formats/formats.js';
import type { ReadFile, ReadingResult } from './report-reading.js';

/** The tests of a report as two strings: a quarter of a million objects would hold up whoever they are handed to. */
interface CarriedRoll {
  /** One a line; no name has two. */
  readonly names: string;
  /** One letter a name. */
  readonly outcomes: string;
}

type CarriedReport = HtmlReport | (Omit<ParsedReport, 'tests'> & { readonly roll: CarriedRoll });

/** What was read in a thread, on its way to the one that asked. */
export type CarriedResult =
  | { readonly files: readonly (Omit<ReadFile, 'report'> & { readonly report: CarriedReport })[] }
  | { readonly refused: string };

const LETTERS = { passed: 'p', failed: 'f', skipped: 's', flaky: 'k' } as const satisfies Record<
  TestOutcome['outcome'],
  string
>;
const OUTCOMES = new Map(
  Object.entries(LETTERS).map(([outcome, letter]) => [letter as string, outcome as TestOutcome['outcome']]),
);

export function carry(result: ReadingResult): CarriedResult {
  if ('refused' in result) return result;
  return { files: result.files.map((file) => ({ ...file, report: carryReport(file.report) })) };
}

export function unpack(carried: CarriedResult): ReadingResult {
  if ('refused' in carried) return carried;
  return { files: carried.files.map((file) => ({ ...file, report: unpackReport(file.report) })) };
}

function carryReport(report: ParsedReport | HtmlReport): CarriedReport {
  if (!('kind' in report)) return report;
  const { tests, ...rest } = report;
  return {
    ...rest,
    roll: {
      names: tests.map(({ name }) => name).join('\n'),
      outcomes: tests.map(({ outcome }) => LETTERS[outcome]).join(''),
    },
  };
}

function unpackReport(report: CarriedReport): ParsedReport | HtmlReport {
  if (!('roll' in report)) return report;
  const { roll, ...rest } = report;
  return { ...rest, tests: testsOf(roll) };
}

function testsOf({ names, outcomes }: CarriedRoll): readonly TestOutcome[] {
  if (outcomes === '') return [];
  return names.split('\n').map((name, index) => {
    const outcome = OUTCOMES.get(outcomes.charAt(index));
    if (outcome === undefined) throw new Error('a test came without an outcome');
    return { name, outcome };
  });
}
