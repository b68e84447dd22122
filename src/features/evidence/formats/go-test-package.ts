import type { TestTally } from './test-tally.js';

/** What is kept of the output of a package or of a running test, for people. */
const OUTPUT_LENGTH = 1_000;
/** Lines that `go test` frames the output of tests with; they say nothing that the events do not. */
const FRAME = /^\s*(?:===|---) (?:RUN|PAUSE|CONT|NAME|FAIL|PASS|SKIP)\b/;
/** How far up a name is looked for the test that a subtest belongs to: a subtest may have slashes in its own name. */
const ANCESTORS = 100;

const WEIGHT = { skip: 0, pass: 1, fail: 2 } as const;
type Ending = keyof typeof WEIGHT;
const OUTCOMES = { skip: 'skipped', pass: 'passed', fail: 'failed' } as const;

const isEnding = (action: string): action is Ending => Object.hasOwn(WEIGHT, action);

interface GoTest {
  readonly name: string;
  /** The test that it is a subtest of. */
  readonly parent: GoTest | null;
  hasSubtests: boolean;
  /** It began, and has not ended. */
  isRunning: boolean;
  /** The worst of its runs (`-count` makes several); null before the first has ended. */
  ending: Ending | null;
  output: string;
}

/** One package of a run of `go test`, and the tests in it. */
export class GoPackage {
  /** The import path whose build failed, so that no test ran; empty where none did. */
  failedBuild = '';
  private readonly tests = new Map<string, GoTest>();
  private ending: Ending | null = null;
  private output = '';

  constructor(private readonly name: string) {}

  event(action: string, testName: string, output: string, failedBuild: string): void {
    if (testName !== '') this.testEvent(action, this.test(testName), output);
    else if (action === 'output') this.output = (this.output + output).slice(-OUTPUT_LENGTH);
    else if (action === 'start') this.begin();
    else if (isEnding(action)) {
      if (this.ending !== 'fail') this.ending = action;
      if (failedBuild !== '') this.failedBuild = failedBuild;
    }
  }

  /**
   * Counts each test once. One with subtests ends as they do and is no test of its own, unless it failed and none of
   * them did. `go test` runs nothing again by itself, so a test that failed in any of its runs has failed.
   */
  reportTo(tally: TestTally, buildOutput: string): void {
    const tests = [...this.tests.values()];
    const failedWithin = new Set<GoTest>();
    // A subtest begins after the test that it belongs to, so from behind it is met before.
    for (const test of tests.toReversed()) {
      if (test.parent !== null && (this.endingOf(test) === 'fail' || failedWithin.has(test))) {
        failedWithin.add(test.parent);
      }
    }
    const before = tally.failed;
    for (const test of tests) {
      const ending = this.endingOf(test);
      const says = ending === 'fail' ? !failedWithin.has(test) : !test.hasSubtests && !isBenchmark(test);
      if (says) this.count(tally, test, ending);
    }
    const failure = this.failure(buildOutput, tally.failed > before);
    if (failure !== null) tally.fail(`${this.name || 'a package without a name'} ${failure}`);
  }

  private count(tally: TestTally, { name, isRunning, output }: GoTest, ending: Ending): void {
    tally.add({
      steps: [this.name, name],
      outcome: OUTCOMES[ending],
      location: this.name || null,
      message: isRunning ? `it began and never ended\n${output}` : output,
    });
  }

  /** What went wrong beside the tests. */
  private failure(buildOutput: string, hasFailedTests: boolean): string | null {
    const output = this.output.trim() || 'no reason given';
    if (this.failedBuild !== '') return `does not build: ${buildOutput.trim() || output}`;
    if (this.ending === null) return 'never ended: the run was interrupted, or the file is cut';
    return this.ending === 'fail' && !hasFailedTests ? `failed beside its tests: ${output}` : null;
  }

  /** A file may hold several runs of a package, and what it ended as before is no longer all. */
  private begin(): void {
    if (this.ending !== 'fail') this.ending = null;
  }

  private testEvent(action: string, test: GoTest, output: string): void {
    if (action === 'output') {
      if (!FRAME.test(output) && test.output.length < OUTPUT_LENGTH) test.output += output.slice(0, OUTPUT_LENGTH);
    } else if (action === 'run') {
      test.isRunning = true;
      this.begin();
    } else if (isEnding(action)) {
      test.isRunning = false;
      if (test.ending === null || WEIGHT[action] > WEIGHT[test.ending]) test.ending = action;
      if (test.ending !== 'fail') test.output = '';
    }
  }

  /** What never ended has failed, but for benchmarks: those that succeed end without a word. */
  private endingOf(test: GoTest): Ending {
    if (!test.isRunning && test.ending !== null) return test.ending;
    return isBenchmark(test) && this.ending === 'pass' ? 'pass' : 'fail';
  }

  private test(name: string): GoTest {
    const known = this.tests.get(name);
    if (known !== undefined) return known;
    const parent = this.parentOf(name);
    if (parent !== null) parent.hasSubtests = true;
    const test: GoTest = { name, parent, hasSubtests: false, isRunning: false, ending: null, output: '' };
    this.tests.set(name, test);
    return test;
  }

  private parentOf(name: string): GoTest | null {
    let slash = name.lastIndexOf('/');
    for (let steps = 0; slash > 0 && steps < ANCESTORS; steps += 1) {
      const parent = this.tests.get(name.slice(0, slash));
      if (parent !== undefined) return parent;
      slash = name.lastIndexOf('/', slash - 1);
    }
    return null;
  }
}

const isBenchmark = ({ name }: GoTest): boolean => name.startsWith('Benchmark');
