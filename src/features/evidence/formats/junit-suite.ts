import type { JunitCase } from './junit-case.js';
import type { XmlAttributes, XmlRefusal } from './xml-reader.js';

const COUNT = /^\d{1,15}$/;

/** What was counted in a suite; `cases` before those of one test are merged, as the writers of totals count them. */
interface Tally {
  cases: number;
  tests: number;
  failed: number;
  skipped: number;
  flaky: number;
  defects: number;
}

const emptyTally = (): Tally => ({ cases: 0, tests: 0, failed: 0, skipped: 0, flaky: 0, defects: 0 });

/** One `<testsuites>` or `<testsuite>`: what it states of itself, and what its cases say. */
export class JunitSuite {
  readonly name: string;
  readonly tookNoTime: boolean;
  /** Of this suite and all within it. */
  readonly tally = emptyTally();
  /** Without the suites within it: some writers state totals of those, others do not. */
  private readonly own = emptyTally();
  private readonly stated: {
    readonly tests: number | null;
    readonly defects: number | null;
    readonly skipped: number | null;
  };
  private readonly disabled: number | null;
  private previous: JunitCase | null = null;
  private accused = false;

  constructor(attributes: XmlAttributes, refusal: XmlRefusal) {
    const count = (name: string): number | null => {
      const value = attributes.get(name)?.trim();
      if (value === undefined || value === '') return null;
      if (!COUNT.test(value)) throw refusal(`the attribute ${name} of a suite is no count`);
      return Number(value);
    };
    this.name = attributes.get('name') ?? '';
    this.tookNoTime = attributes.get('time') === '0';
    this.stated = {
      tests: count('tests'),
      defects: sum(count('failures'), count('errors')),
      skipped: count('skipped') ?? count('skips') ?? count('ignored'),
    };
    this.disabled = count('disabled');
  }

  /** Counts a finished case; false where it only says more of the test before it. */
  add(testCase: JunitCase): boolean {
    const isNew = this.previous === null || !testCase.continues(this.previous);
    this.previous = testCase;
    for (const tally of [this.own, this.tally]) {
      tally.cases += 1;
      tally.defects += testCase.defects;
      if (!isNew) continue;
      tally.tests += 1;
      if (testCase.status === 'failed') tally.failed += 1;
      if (testCase.status === 'skipped') tally.skipped += 1;
      if (testCase.flaky) tally.flaky += 1;
    }
    return isNew;
  }

  /** Takes over what a finished suite within this one counted. */
  include(inner: JunitSuite): void {
    for (const key of Object.keys(this.tally) as (keyof Tally)[]) this.tally[key] += inner.tally[key];
    this.accused ||= inner.accused;
  }

  /** Failures that the suite states and no case within it carries: something beside its tests went wrong. */
  unexplainedFailures(): number {
    const stated = this.stated.defects ?? 0;
    if (this.accused || this.tally.failed > 0 || stated <= this.tally.defects) return 0;
    this.accused = true;
    return stated;
  }

  /** Totals that agree with the cases under no reading of them. */
  disagreements(): readonly string[] {
    const { own, tally, stated, disabled } = this;
    const found: string[] = [];
    const compare = (label: string, total: number | null, counted: number, readings: readonly number[]): void => {
      if (total !== null && !readings.includes(total)) found.push(`${total} ${label} stated, ${counted} counted`);
    };
    compare('tests', stated.tests, tally.tests, [tally.cases, own.cases, tally.tests, own.tests]);
    compare('failures', stated.defects, tally.failed, [tally.failed, own.failed, tally.defects, own.defects]);
    const skipped = [tally.skipped, own.skipped];
    compare('skipped', stated.skipped, tally.skipped, [...skipped, ...skipped.map((count) => count - (disabled ?? 0))]);
    return found;
  }
}

function sum(first: number | null, second: number | null): number | null {
  return first === null && second === null ? null : (first ?? 0) + (second ?? 0);
}
