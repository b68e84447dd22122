import { GoPackage } from './go-test-package.js';
import { readJsonLines } from './json-lines.js';
import type { JsonObject } from './json-reader.js';
import { jsonKeysOf } from './json-scanner.js';
import type { ReportError } from './report-error.js';
import type { Reading, ReportFormat, ReportLimits } from './report-format.js';
import type { ReportText } from './report-text.js';
import { TestTally } from './test-counter.js';

/** Fields of the first event, one of which stands beside its `Action` (`go doc test2json`, `go help buildjson`). */
const FIELDS = ['Package', 'ImportPath', 'Test', 'Output'];

/** Until Go 1.24 a package that does not build stands among the events as a line for people. */
const NOT_BUILT = /^FAIL\t(\S+) \[(build|setup) failed\]\s*$/;
const LEADING_NOT_BUILT = /(?:FAIL\t\S+ \[(?:build|setup) failed\][ \t\r]*(?:\n|$))*/y;

/** What is kept of what the compiler says of one package. */
const OUTPUT_LENGTH = 1_000;

/** `go test -json`: one event on each line, of a build, a package or a test. */
export const goTest: ReportFormat = {
  name: 'go-test',
  title: 'JSON of go test',
  defaultKind: 'unit_tests',

  detect({ text, jsonKeys }): boolean {
    LEADING_NOT_BUILT.lastIndex = 0;
    LEADING_NOT_BUILT.test(text);
    const begin = LEADING_NOT_BUILT.lastIndex;
    if (begin > 0 && begin === text.length) return true;
    const keys = begin === 0 ? jsonKeys : jsonKeysOf(text.slice(begin));
    return keys.has('Action') && FIELDS.some((field) => keys.has(field));
  },

  read(report: ReportText, limits: ReportLimits): Reading {
    const reader = new GoTestReader();
    readJsonLines(report, limits, {
      json: (event, refusal) => reader.event(event, refusal),
      other: (line) => reader.line(line),
    });
    return reader.reading(limits);
  },
};

class GoTestReader {
  private readonly packages = new Map<string, GoPackage>();
  /** What the compiler said, by what it built. */
  private readonly builds = new Map<string, { output: string; hasFailed: boolean }>();

  event(event: JsonObject, refusal: (reason: string) => ReportError): void {
    const text = (name: string): string => {
      const value = event[name] ?? '';
      if (typeof value !== 'string') throw refusal(`${name}: a string is expected`);
      return value;
    };
    const action = text('Action');
    if (action === '') throw refusal('Action: an action is expected');
    if (action === 'build-output') this.say(text('ImportPath'), text('Output'));
    else if (action === 'build-fail') this.build(text('ImportPath')).hasFailed = true;
    else this.package(text('Package')).event(action, text('Test'), text('Output'), text('FailedBuild'));
  }

  /** A line that is no event; false where it has no meaning here either. */
  line(line: string): boolean {
    const name = NOT_BUILT.exec(line)?.[1];
    if (name !== undefined) this.build(name).hasFailed = true;
    return name !== undefined;
  }

  reading(limits: ReportLimits): Reading {
    const tally = new TestTally(limits);
    const explained = new Set<string>();
    for (const tested of this.packages.values()) {
      if (tested.failedBuild !== '') explained.add(tested.failedBuild);
      tested.reportTo(tally, this.builds.get(tested.failedBuild)?.output ?? '');
    }
    for (const [path, { output, hasFailed }] of this.builds) {
      if (hasFailed && !explained.has(path))
        tally.fail(`${path} does not build: ${output.trim() || 'no reason given'}`);
    }
    return tally.reading();
  }

  private say(path: string, output: string): void {
    const build = this.build(path);
    if (build.output.length < OUTPUT_LENGTH) build.output += output.slice(0, OUTPUT_LENGTH);
  }

  private build(path: string): { output: string; hasFailed: boolean } {
    const known = this.builds.get(path) ?? { output: '', hasFailed: false };
    this.builds.set(path, known);
    return known;
  }

  private package(name: string): GoPackage {
    const known = this.packages.get(name) ?? new GoPackage(name);
    this.packages.set(name, known);
    return known;
  }
}
