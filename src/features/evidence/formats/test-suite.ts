import { hash } from 'node:crypto';
import { formatTestName } from '../../../domain/quality/test-results.js';

/** 128 bits, which no report can repeat on purpose. */
const ID_LENGTH = 32;
/** The lengths of the stored names of a suite with its outer suites, and of a test. */
const SUITES_LENGTH = 300;
const TEST_LENGTH = 197;
/** The length of the digits that keep two shortened names apart. */
const DIGITS_LENGTH = 16;

const NOT_NORMALIZED = /[\s\p{Cc}\p{Cs}]+/gu;
/** A fast check that is false for most names, which need no normalization. */
const MAYBE_NOT_NORMALIZED = /[^\x21-\x7e ]| {2}/;
/** An absolute path that ends like a file name, so that a title that begins with a route does not match. */
const ABSOLUTE_FILE = /^(?:[A-Za-z]:)?[\\/](?:[^\\/]+[\\/]){2,}[^\\/]*\.[A-Za-z]\w*$/;

/** The name of one test of a report. */
export interface TestName {
  /** Stands for the names of all suites and of the test. */
  readonly id: string;
  /** The names of the suites, shortened. */
  readonly suites: string;
  /** The own name of the test, shortened; empty if it has none. */
  readonly test: string;
  /** The own name of the test as the report states it. */
  readonly title: string;
}

/**
 * A suite with its outer suites. Each id is the digest of the outer id and the own name, and each label has a bounded length. So a
 * test costs the length of its own name, regardless of the names and the number of its suites.
 */
export class TestSuite {
  /** Creates the suite around the whole report, which has no name. */
  static createRoot(): TestSuite {
    return new TestSuite('', '', '', '');
  }

  /** The last inner suite, because consecutive tests of many formats state the same one. */
  private latest: { readonly name: string; readonly suite: TestSuite } | null = null;

  private constructor(
    private readonly id: string,
    /** The beginning of the names, up to one character more than a label has. */
    private readonly beginning: string,
    private readonly last: string,
    /** The names from the outermost suite to this one, for people. Empty for the root. */
    readonly label: string,
  ) {}

  /** Returns the inner suite of this name. Returns the same suite for an empty name and for a repetition of its own name. */
  within(name: string): TestSuite {
    if (this.latest?.name === name) return this.latest.suite;
    const step = normalize(name);
    const suite = step === '' || step === this.last ? this : this.derive(step);
    this.latest = { name, suite };
    return suite;
  }

  /** Returns the name of a test of this suite. */
  nameTest(name: string): TestName {
    const step = normalize(name);
    const id = digest('t', this.id, step);
    return { id, suites: this.label, test: shorten(step, TEST_LENGTH, id), title: name };
  }

  /** Returns the name of a test of this suite as it ran in a project of the tool, such as a browser. The project comes first. */
  nameInProject(test: TestName, project: string): TestName {
    const step = normalize(project);
    if (step === '') return test;
    const id = digest('p', test.id, step);
    return { ...test, id, suites: shorten(join(step, this.beginning), SUITES_LENGTH, id) };
  }

  private derive(step: string): TestSuite {
    const id = digest('s', this.id, step);
    const beginning = join(this.beginning, step);
    return new TestSuite(id, beginning, step, shorten(beginning, SUITES_LENGTH, id));
  }
}

/** Joins two names, or returns the beginning of both that is one character longer than a label. */
function join(outer: string, inner: string): string {
  const [first, second] = [outer.slice(0, SUITES_LENGTH + 1), inner.slice(0, SUITES_LENGTH + 1)];
  return first === '' ? second : formatTestName(first, second).slice(0, SUITES_LENGTH + 1);
}

/** The kind keeps a suite and a test of one name apart. The outer id has a fixed length, so no two inputs are equal. */
const digest = (kind: string, outer: string, step: string): string =>
  hash('sha256', kind + outer.padEnd(ID_LENGTH) + step, 'hex').slice(0, ID_LENGTH);

function shorten(text: string, length: number, id: string): string {
  if (text.length <= length) return text;
  const cut = text.slice(0, length - DIGITS_LENGTH - 1).replace(HIGH_SURROGATE, '');
  return `${cut}…${id.slice(0, DIGITS_LENGTH)}`;
}

/** Half of a surrogate pair at the end of a cut text. */
const HIGH_SURROGATE = /[\ud800-\udbff]$/;

/** Puts a name on one line, without characters that the database rejects, and shortens an absolute path. */
function normalize(name: string): string {
  const line = MAYBE_NOT_NORMALIZED.test(name) ? name.replace(NOT_NORMALIZED, ' ') : name;
  const trimmed = line.trim();
  return ABSOLUTE_FILE.test(trimmed) ? lastParts(trimmed) : trimmed;
}

/**
 * Returns the last three parts of a path, because the folder of a project differs between machines. A GitHub runner checks
 * `payments` out into `payments/payments`, so three parts are equal on all runners even for files at the root.
 */
function lastParts(path: string): string {
  return path
    .split(/[\\/]+/)
    .slice(-3)
    .join('/');
}
