import { sha256 } from '../../../crypto/sha256.js';

const NAME_LENGTH = 500;
/** Of the digest that stands for what was cut from a name. */
const DIGEST_LENGTH = 16;
const SEPARATOR = ' › ';

const UNTIDY = /[\s\p{Cc}\p{Cs}]+/gu;
/** Tells most names in one look that there is nothing to tidy. */
const MAYBE_UNTIDY = /[^\x21-\x7e ]| {2}/;
/** Ends like the name of a file, so that a title which begins with a route is none. */
const ABSOLUTE_FILE = /^(?:[A-Za-z]:)?[\\/](?:[^\\/]+[\\/]){2,}[^\\/]*\.[A-Za-z]\w*$/;

/** Names the tests of one report. */
export class TestNaming {
  /** What led to the test before, and what it makes of a name: to the next one it is mostly the same. */
  private lead: readonly string[] = [];
  private suites = { name: '', last: '' };

  /** `steps` lead from the outermost suite to the test; empty ones, and those that repeat the one before, say nothing. */
  nameOf(steps: readonly string[]): string {
    if (!this.isLedAlike(steps)) this.follow(steps.slice(0, -1));
    const kept = tidy(steps.at(-1) ?? '');
    const { name: before, last } = this.suites;
    const name = kept === '' || kept === last ? before : joined(before, kept);
    if (name.length <= NAME_LENGTH) return name || 'a test without a name';
    const digest = sha256(name).slice(0, DIGEST_LENGTH);
    return `${wholeCharacters(name.slice(0, NAME_LENGTH - DIGEST_LENGTH - 1))}…${digest}`;
  }

  private isLedAlike(steps: readonly string[]): boolean {
    return steps.length === this.lead.length + 1 && this.lead.every((step, at) => step === steps[at]);
  }

  private follow(lead: readonly string[]): void {
    let [name, last] = ['', ''];
    for (const kept of lead.map(tidy)) {
      if (kept === '' || kept === last) continue;
      name = joined(name, kept);
      last = kept;
    }
    this.lead = lead;
    this.suites = { name, last };
  }
}

const joined = (name: string, step: string): string => (name === '' ? step : name + SEPARATOR + step);

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
