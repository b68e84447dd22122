/** How one test of a report ended: flaky is passed, after a try of the same run that failed. */
export interface TestOutcome {
  /** Suites, class and test, joined by ` › `: the same in every run and on every machine, in one line. */
  readonly name: string;
  readonly outcome: 'passed' | 'failed' | 'skipped' | 'flaky';
}
