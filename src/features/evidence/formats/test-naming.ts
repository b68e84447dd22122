import { sha256 } from '../../../digest/sha256.js';

const NAME_LENGTH = 500;
/** Of the digest that stands for what was cut from a name. */
const DIGEST_LENGTH = 16;
const SEPARATOR = ' › ';
/** How many suites are remembered at once. */
const SUITES = 1_000;

const UNTIDY = /[\s\p{Cc}\p{Cs}]+/gu;
/** Tells most names in one look that there is nothing to tidy. */
const MAYBE_UNTIDY = /[^\x21-\x7e ]| {2}/;
/** Ends like the name of a file, so that a title which begins with a route is none. */
const ABSOLUTE_FILE = /^(?:[A-Za-z]:)?[\\/](?:[^\\/]+[\\/]){2,}[^\\/]*\.[A-Za-z]\w*$/;

/** Names the tests of one report. */
export class TestNaming {
  /** Suites as they stand in names: each is met once for every test in it. */
  private readonly suites = new Map<string, string>();

  /** `steps` lead from the outermost suite to the test; empty ones, and those that repeat the one before, say nothing. */
  nameOf(steps: readonly string[]): string {
    let name = '';
    let previous = '';
    for (const [index, step] of steps.entries()) {
      const kept = index < steps.length - 1 ? this.suite(step) : tidy(step);
      if (kept === '' || kept === previous) continue;
      name = name === '' ? kept : name + SEPARATOR + kept;
      previous = kept;
    }
    if (name.length <= NAME_LENGTH) return name || 'a test without a name';
    const digest = sha256(name).slice(0, DIGEST_LENGTH);
    return `${wholeCharacters(name.slice(0, NAME_LENGTH - DIGEST_LENGTH - 1))}…${digest}`;
  }

  private suite(step: string): string {
    const known = this.suites.get(step);
    if (known !== undefined) return known;
    if (this.suites.size >= SUITES) this.suites.clear();
    const kept = tidy(step);
    this.suites.set(step, kept);
    return kept;
  }
}

/** In one line, without what the database refuses; a file's absolute path by its end. */
function tidy(step: string): string {
  const line = MAYBE_UNTIDY.test(step) ? step.replace(UNTIDY, ' ') : step;
  const trimmed = line.trim();
  return ABSOLUTE_FILE.test(trimmed) ? endOf(trimmed) : trimmed;
}

/**
 * The last three steps of a path: where a project lies differs between machines, but a runner of GitHub checks
 * `payments` out into `payments/payments`, so that not even files at its root tell one runner from another.
 */
function endOf(path: string): string {
  return path
    .split(/[\\/]+/)
    .slice(-3)
    .join('/');
}

/** Without the half of a pair that a cut left at the end. */
const wholeCharacters = (text: string): string => text.replace(/[\ud800-\udbff]$/, '');
