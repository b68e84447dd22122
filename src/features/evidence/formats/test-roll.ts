import { sha256 } from '../../../digest/sha256.js';
import type { TestOutcome } from '../../../domain/evidence/test-outcome.js';

type Outcome = TestOutcome['outcome'];

const NAME_LENGTH = 500;
/** Of the digest that stands for what was cut from a name. */
const DIGEST_LENGTH = 16;
const SEPARATOR = ' › ';
/** How many suites are remembered at once. */
const SUITES = 1_000;

/** Where a name occurs twice, the worse outcome stands for both: a pass never hides a failure. */
const WEIGHT: Readonly<Record<Outcome, number>> = { skipped: 0, passed: 1, flaky: 2, failed: 3 };

const UNTIDY = /[\s\p{Cc}\p{Cs}]+/gu;
/** Tells most names in one look that there is nothing to tidy. */
const MAYBE_UNTIDY = /[^\x21-\x7e ]| {2}/;
/** Ends like the name of a file, so that a title which begins with a route is none. */
const ABSOLUTE_FILE = /^(?:[A-Za-z]:)?[\\/](?:[^\\/]+[\\/]){2,}[^\\/]*\.[A-Za-z]\w*$/;

export interface RollLimits {
  readonly tests: number;
  /** Of all names together, in UTF-16 code units: a long suite may be in the name of each of its tests. */
  readonly characters: number;
}

const ROLL_LIMITS: RollLimits = { tests: 250_000, characters: 32_000_000 };

/** The tests of one report by name, each once however often it was tried. */
export class TestRoll {
  private readonly outcomes = new Map<string, Outcome>();
  private characters = 0;
  private isCut = false;
  /** Suites as they stand in names: each is met once for every test in it. */
  private readonly suites = new Map<string, string>();

  constructor(private readonly limits: RollLimits = ROLL_LIMITS) {}

  /** `steps` lead from the outermost suite to the test; empty ones, and those that repeat the one before, say nothing. */
  add(steps: readonly string[], outcome: Outcome): void {
    // Of those that it does not hold only a failure may still say something of one that it does.
    if (this.isCut && outcome !== 'failed') return;
    const name = this.nameOf(steps);
    const known = this.outcomes.get(name);
    if (known !== undefined) {
      if (WEIGHT[outcome] > WEIGHT[known]) this.outcomes.set(name, outcome);
      return;
    }
    if (this.outcomes.size >= this.limits.tests || this.characters + name.length > this.limits.characters) {
      this.isCut = true;
      return;
    }
    this.characters += name.length;
    this.outcomes.set(name, outcome);
  }

  get tests(): readonly TestOutcome[] {
    return Array.from(this.outcomes, ([name, outcome]) => ({ name, outcome }));
  }

  /** A sentence for the notes of the report where the roll does not hold all of its tests. */
  get notes(): readonly string[] {
    return this.isCut ? [`only the first ${this.outcomes.size} tests are kept by name; all are counted`] : [];
  }

  private nameOf(steps: readonly string[]): string {
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
