import { GoTestParents } from './go-test-parents.js';
import { type JsonMembers, readJsonLines } from './json-document.js';
import { readJsonKeys } from '../../../http/body/json-scanner.js';
import type { ParsedContent, ReportFormat, ReportLimits } from './report-format.js';
import type { ReportError, ReportText } from './report-text.js';
import { TestCounter } from './test-counter.js';

/** The maximum length of stored compiler output and of the stored output of a package or test. */
const OUTPUT_LENGTH = 1_000;
/** Lines that `go test` adds around the output of tests. The events contain the same information. */
const FRAME = /^\s*(?:===|---) (?:RUN|PAUSE|CONT|NAME|FAIL|PASS|SKIP)\b/;
/** The start of the runtime's message before it ends the process. Later tests did not run. */
const PANIC = 'panic: ';
/** The line by which `go test` ends a failed package. */
const FAILED_PACKAGE = /^FAIL(?:\t|\n|$)/;
/** A run number higher than that of every run. */
const FOREVER = Number.POSITIVE_INFINITY;

const WEIGHT = { skip: 0, pass: 1, fail: 2 } as const;
type Ending = keyof typeof WEIGHT;
const OUTCOMES = { skip: 'skipped', pass: 'passed', fail: 'failed' } as const;

const isEnding = (action: string): action is Ending => Object.hasOwn(WEIGHT, action);

interface GoTest {
  readonly name: string;
  /** The test that contains it as a subtest. */
  readonly parent: GoTest | null;
  hasSubtests: boolean;
  /** The worst ending in one run of its package (`-count` runs it several times); null before the first. */
  ending: Ending | null;
  /** The last run of its package in which it failed; `FOREVER` if it started and did not end. */
  failedIn: number;
  /** Whether it failed in one run of its package and passed in a later one. */
  isFlaky: boolean;
  /** The run of its package whose output says that it failed. */
  outputFailedIn: number;
  output: string;
}

/**
 * A package with its tests. A file may contain several runs of it: gotestsum appends reruns of failed tests. A run ends with
 * an event of the package itself.
 */
class GoTestPackage {
  /** The import path whose build failed, so that no test ran; empty if none failed. */
  failedBuild = '';
  private readonly tests = new Map<string, GoTest>();
  private readonly parents = new GoTestParents<GoTest>();
  private readonly running = new Set<GoTest>();
  private run = 0;
  private hasBegun = false;
  /** The ending of the present run; null while it runs. */
  private ending: Ending | null = null;
  /** Whether another run started before one had ended. */
  private wasCut = false;
  /** The failure of a run outside of its tests. A later successful run does not cancel it. */
  private otherFailure: string | null = null;
  private hasFailedTest = false;
  private hasPanicked = false;
  /** Whether the output of the present run says that the package failed. */
  private outputFailed = false;
  private output = '';

  constructor(private readonly name: string) {}

  event(action: string, testName: string, output: string, failedBuild: string): void {
    if (action === 'output' && output.startsWith(PANIC)) this.hasPanicked = true;
    if (action === 'output' && testName === '' && FAILED_PACKAGE.test(output)) this.outputFailed = true;
    if (testName !== '') this.testEvent(action, testName, output);
    else if (action === 'output') this.output = (this.output + output).slice(-OUTPUT_LENGTH);
    else if (action === 'start') this.begin();
    else if (isEnding(action)) {
      if (failedBuild !== '') this.failedBuild = failedBuild;
      this.end(action);
    }
  }

  /**
   * Counts each test once. A test with subtests does not count itself, unless it failed or was flaky and none of its subtests
   * was.
   */
  reportTo(counter: TestCounter, buildOutput: string): void {
    const tests = [...this.tests.values()];
    const failedWithin = new Set<GoTest>();
    const flakyWithin = new Set<GoTest>();
    // In reverse order, because a subtest starts after its parent.
    for (const test of tests.toReversed()) {
      if (test.parent === null) continue;
      if (this.getEnding(test) === 'fail' || failedWithin.has(test)) failedWithin.add(test.parent);
      if (test.isFlaky || flakyWithin.has(test)) flakyWithin.add(test.parent);
    }
    const before = counter.failed;
    for (const test of tests) {
      const ending = this.getEnding(test);
      if (ending === 'fail' ? !failedWithin.has(test) : this.countsItself(test, failedWithin, flakyWithin)) {
        this.count(counter, test, ending);
      }
    }
    const failure = this.failure(buildOutput, counter.failed > before);
    if (failure !== null) counter.fail(`${this.name || 'a package without a name'} ${failure}`);
  }

  /** Returns whether a test that did not fail counts besides its subtests. */
  private countsItself(test: GoTest, failedWithin: ReadonlySet<GoTest>, flakyWithin: ReadonlySet<GoTest>): boolean {
    if (!test.hasSubtests) return !isBenchmark(test);
    return test.isFlaky && !failedWithin.has(test) && !flakyWithin.has(test);
  }

  private count(counter: TestCounter, test: GoTest, ending: Ending): void {
    const neverEnded = test.failedIn === FOREVER || this.running.has(test);
    counter.add({
      name: counter.root.within(this.name).nameTest(test.name),
      outcome: ending === 'pass' && test.isFlaky ? 'flaky' : OUTCOMES[ending],
      location: this.name || null,
      message: neverEnded ? `it started and did not end\n${test.output}` : test.output,
    });
  }

  /** Returns the failure outside of the tests; null if there is none. */
  private failure(buildOutput: string, hasFailedTests: boolean): string | null {
    if (this.failedBuild !== '') return `does not build: ${buildOutput.trim() || this.reason()}`;
    if (this.ending === null || this.wasCut) return 'did not end: the run was interrupted, or the file is truncated';
    return hasFailedTests ? null : this.otherFailure;
  }

  private reason(): string {
    return this.output.trim() || 'no reason given';
  }

  private begin(): void {
    if (this.hasBegun && this.ending === null) this.wasCut = true;
    else if (this.ending !== null) this.nextRun();
    this.hasBegun = true;
  }

  private nextRun(): void {
    this.run += 1;
    this.ending = null;
    this.hasFailedTest = false;
    this.hasPanicked = false;
    this.outputFailed = false;
    this.output = '';
  }

  private end(ending: Ending): void {
    // A run without selected tests has only an end.
    if (this.ending !== null) this.nextRun();
    this.hasBegun = true;
    for (const test of this.running) {
      if (isBenchmark(test) && ending === 'pass') test.ending ??= 'pass';
      else this.markUnfinished(test);
    }
    this.running.clear();
    this.ending = ending;
    if (ending !== 'fail') {
      if (this.outputFailed) this.otherFailure ??= 'ended without a failure, but its output says that it failed';
      return;
    }
    if (!this.hasFailedTest) this.otherFailure ??= `failed outside of its tests: ${this.reason()}`;
    else if (this.hasPanicked) this.otherFailure ??= `panicked, so some tests may not have run: ${this.reason()}`;
  }

  private testEvent(action: string, name: string, output: string): void {
    if (action === 'run') {
      if (this.ending !== null) this.nextRun();
      this.hasBegun = true;
    }
    const test = this.test(name);
    if (isEnding(action)) {
      this.running.delete(test);
      // The events are made of the output, so an output that says otherwise is a contradiction.
      this.endTest(test, test.outputFailedIn === this.run ? 'fail' : action);
      return;
    }
    if (action === 'output' && output.trimStart().startsWith(`--- FAIL: ${name} `)) test.outputFailedIn = this.run;
    // A successful benchmark has no end event.
    if (action === 'run' && this.running.has(test) && !isBenchmark(test)) this.markUnfinished(test);
    if (action === 'run' || test.ending === null) this.running.add(test);
    if (action === 'output' && !FRAME.test(output) && test.output.length < OUTPUT_LENGTH) {
      test.output += output.slice(0, OUTPUT_LENGTH);
    }
  }

  /** A pass after a failure counts only in a later run of the package, because `-count` runs a test twice in one run. */
  private endTest(test: GoTest, action: Ending): void {
    if (action === 'fail') {
      test.ending = action;
      test.failedIn = Math.max(test.failedIn, this.run);
      this.hasFailedTest = true;
    } else if (test.ending !== 'fail') {
      if (test.ending === null || WEIGHT[action] > WEIGHT[test.ending]) test.ending = action;
    } else if (action === 'pass' && test.failedIn < this.run) {
      test.ending = action;
      test.isFlaky = true;
    }
    if (test.ending !== 'fail') test.output = '';
  }

  /** The process ended during the test, so later tests may not have run. A later successful run does not cancel this. */
  private markUnfinished(test: GoTest): void {
    test.ending = 'fail';
    test.failedIn = FOREVER;
    this.hasFailedTest = true;
  }

  private getEnding(test: GoTest): Ending {
    return this.running.has(test) ? 'fail' : (test.ending ?? 'fail');
  }

  private test(name: string): GoTest {
    const known = this.tests.get(name);
    if (known !== undefined) return known;
    const parent = this.parents.find(name);
    if (parent !== null) parent.hasSubtests = true;
    const test: GoTest = {
      name,
      parent,
      hasSubtests: false,
      ending: null,
      failedIn: -1,
      isFlaky: false,
      outputFailedIn: -1,
      output: '',
    };
    this.tests.set(name, test);
    this.parents.add(test);
    return test;
  }
}

const isBenchmark = ({ name }: GoTest): boolean => name.startsWith('Benchmark');

/** The first event has an `Action` and at least one of these fields (`go doc test2json`, `go help buildjson`). */
const FIELDS = ['Package', 'ImportPath', 'Test', 'Output'];

/** Before Go 1.24 a package that does not build is a text line between the events. */
const NOT_BUILT = /^FAIL\t(\S+) \[(build|setup) failed\]\s*$/;
const LEADING_NOT_BUILT = /(?:FAIL\t\S+ \[(?:build|setup) failed\][ \t\r]*(?:\n|$))*/y;

/** The output of `go test -json`: on each line one event of a build, a package or a test. */
export const goTest: ReportFormat = {
  name: 'go-test',
  title: 'JSON of go test',
  defaultKind: 'unit_tests',

  detect({ text, jsonKeys }): boolean {
    LEADING_NOT_BUILT.lastIndex = 0;
    LEADING_NOT_BUILT.test(text);
    const begin = LEADING_NOT_BUILT.lastIndex;
    if (begin > 0 && begin === text.length) return true;
    const keys = begin === 0 ? jsonKeys : readJsonKeys(text.slice(begin));
    return keys.has('Action') && FIELDS.some((field) => keys.has(field));
  },

  read(report: ReportText, limits: ReportLimits): ParsedContent {
    const reader = new GoTestReader();
    readJsonLines(report, limits, {
      json: (event, toError) => reader.event(event, toError),
      other: (line) => reader.line(line),
    });
    return reader.result(limits);
  },
};

class GoTestReader {
  private readonly packages = new Map<string, GoTestPackage>();
  /** The compiler output by import path. */
  private readonly builds = new Map<string, { output: string; hasFailed: boolean }>();

  event(event: JsonMembers, toError: (reason: string) => ReportError): void {
    const text = (name: string): string => {
      const value = event[name] ?? '';
      if (typeof value !== 'string') throw toError(`${name}: a string is expected`);
      return value;
    };
    const action = text('Action');
    if (action === '') throw toError('Action: an action is expected');
    if (action === 'build-output') this.addBuildOutput(text('ImportPath'), text('Output'));
    else if (action === 'build-fail') this.build(text('ImportPath')).hasFailed = true;
    else this.package(text('Package')).event(action, text('Test'), text('Output'), text('FailedBuild'));
  }

  /** Reads a line that is not an event. Returns false if the line is unknown. */
  line(line: string): boolean {
    const name = NOT_BUILT.exec(line)?.[1];
    if (name !== undefined) this.build(name).hasFailed = true;
    return name !== undefined;
  }

  result(limits: ReportLimits): ParsedContent {
    const counter = new TestCounter(limits);
    const explained = new Set<string>();
    for (const tested of this.packages.values()) {
      if (tested.failedBuild !== '') explained.add(tested.failedBuild);
      tested.reportTo(counter, this.builds.get(tested.failedBuild)?.output ?? '');
    }
    for (const [path, { output, hasFailed }] of this.builds) {
      if (hasFailed && !explained.has(path))
        counter.fail(`${path} does not build: ${output.trim() || 'no reason given'}`);
    }
    return counter.result();
  }

  private addBuildOutput(path: string, output: string): void {
    const build = this.build(path);
    if (build.output.length < OUTPUT_LENGTH) build.output += output.slice(0, OUTPUT_LENGTH);
  }

  private build(path: string): { output: string; hasFailed: boolean } {
    const known = this.builds.get(path) ?? { output: '', hasFailed: false };
    this.builds.set(path, known);
    return known;
  }

  private package(name: string): GoTestPackage {
    const known = this.packages.get(name) ?? new GoTestPackage(name);
    this.packages.set(name, known);
    return known;
  }
}
