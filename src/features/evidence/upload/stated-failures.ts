import { MAX_COUNT } from '../../../domain/evidence/evidence.js';
import { excerpt } from '../formats/bounded-list.js';
import { isFailedStatus } from '../formats/test-counter.js';
import type { Members } from '../parsing/upload-body.js';
import { normalizeName } from './stated-percentages.js';

const VALUE_LENGTH = 60;
const NAME_LENGTH = 100;

/** The words for failures besides `failed`, as stems. They add to the failed tests. */
const ERROR_NAMES: ReadonlySet<string> = new Set([
  'error',
  'errors',
  'errored',
  'broken',
  'timedout',
  'timeouts',
  'interrupted',
  'aborted',
  'crashed',
  'killed',
  'panicked',
  'cancelled',
  'canceled',
]);
/** Other words for `failed`, as stems, which state the same failures again. */
const FAILED_NAMES: ReadonlySet<string> = new Set([
  'fail',
  'fails',
  'failed',
  'failing',
  'failure',
  'failures',
  'unexpected',
  'unsuccessful',
]);
/** Names that often hold a text or null instead of a number. */
const MAY_BE_EMPTY: ReadonlySet<string> = new Set(['error', 'failure']);
/** The parts of a name that say only what is counted: `numFailedTests`, `failed_count` and `tests.failed` are `failed`. */
const COUNTED = /^(?:number|num|count|total|of|tests?|cases?|suites?)+|(?:tests?|cases?|suites?|counts?|total)+$/g;
const STATUS_NAMES: ReadonlySet<string> = new Set(['status', 'result', 'outcome', 'conclusion']);
/** Names that are not always those of an outcome, so only a clear failure counts. */
const OTHER_STATUS_NAMES: ReadonlySet<string> = new Set(['state', 'verdict', 'overall', 'overallstatus']);
const OTHER_SUCCESS_NAMES: ReadonlySet<string> = new Set(['successful', 'succeeded', 'wassuccessful', 'passing', 'ok']);
const SUCCESSES: ReadonlySet<string> = new Set(['success', 'succeeded', 'passed', 'pass', 'ok']);

/** Returns which failures a name counts: those of `failed` again, or further ones; null if it counts none. */
function toCountedFailures(normalized: string): 'failed' | 'error' | null {
  // Without a limit the expression would take quadratic time.
  if (normalized.length > NAME_LENGTH) return null;
  const stem = normalized.replaceAll(COUNTED, '');
  if (FAILED_NAMES.has(stem)) return 'failed';
  return ERROR_NAMES.has(stem) ? 'error' : null;
}

/** The failures that the members of one object state. */
export interface StatedFailures {
  /** The failures with a number, besides `failed`. */
  readonly errors: number;
  /** The greatest number of failures that another name for `failed` states. */
  readonly failed: number;
  /** The statements without a number, as sentences: `metrics.success is false.` */
  readonly sentences: readonly string[];
  /** The statements with a number, as sentences. */
  readonly counted: readonly string[];
}

/**
 * Finds the failures that an object of metrics states by known words: a count, `success` or a status. `known` are the names
 * that the caller reads itself. A value that cannot be read is a failure.
 */
export function findStatedFailures(members: Members, path: string, known: ReadonlySet<string>): StatedFailures {
  const found = { errors: 0, failed: 0, sentences: [] as string[], counted: [] as string[] };
  for (const [name, value] of Object.entries(members)) {
    if (known.has(name)) continue;
    const normalized = normalizeName(name);
    const sentence = `${path}.${excerpt(name, NAME_LENGTH)} is ${formatValue(value)}.`;
    const counted = toCountedFailures(normalized);
    if (counted !== null) {
      const count = toFailureCount(normalized, value);
      if (count === null) found.sentences.push(sentence);
      else if (count > 0) found.counted.push(sentence);
      if (counted === 'failed') found.failed = Math.max(found.failed, count ?? 0);
      else found.errors += count ?? 0;
    } else if (
      (normalized === 'success' && value !== true) ||
      (STATUS_NAMES.has(normalized) && !isSuccess(value)) ||
      isClearFailure(normalized, value)
    ) {
      found.sentences.push(sentence);
    }
  }
  return found;
}

/** Finds the failures that are stated at any depth below the members of a kind, as sentences with the greatest number. */
export function findNestedFailures(
  members: Members,
  path: string,
): { readonly most: number; readonly sentences: string[] } {
  const found = { most: 0, sentences: [] as string[] };
  for (const [name, value] of Object.entries(members)) {
    if (typeof value !== 'object' || value === null || isStatement(normalizeName(name))) continue;
    const at = `${path}.${excerpt(name, NAME_LENGTH)}`;
    addNested(value, at, found);
  }
  return found;
}

function addNested(value: object, path: string, found: { most: number; sentences: string[] }): void {
  for (const [name, member] of Object.entries(value)) {
    const normalized = normalizeName(name);
    const at = `${path}.${excerpt(name, NAME_LENGTH)}`;
    const count = toCountedFailures(normalized) === null ? 0 : (toFailureCount(normalized, member) ?? 1);
    // A status inside of a kind may describe one of many tests, so only a failed one counts.
    if (count > 0 || isClearFailure(normalized, member)) {
      found.most = Math.max(found.most, count, 1);
      found.sentences.push(`${at} is ${formatValue(member)}.`);
    } else if (typeof member === 'object' && member !== null) addNested(member, at, found);
  }
}

/** Whether the caller of `findNestedFailures` reads the member itself, by `findStatedFailures`. */
const isStatement = (normalized: string): boolean =>
  toCountedFailures(normalized) !== null || STATUS_NAMES.has(normalized) || normalized === 'success';

const isSuccess = (value: unknown): boolean => typeof value === 'string' && SUCCESSES.has(value.trim().toLowerCase());

/** Whether a status or a success clearly states a failure. */
function isClearFailure(normalized: string, value: unknown): boolean {
  if (STATUS_NAMES.has(normalized) || OTHER_STATUS_NAMES.has(normalized))
    return typeof value === 'string' && isFailedStatus(value.trim());
  return (normalized === 'success' || OTHER_SUCCESS_NAMES.has(normalized)) && value === false;
}

/** Returns the number of failures that a value states; null if it states failures without a number, or cannot be read. */
function toFailureCount(normalized: string, value: unknown): number | null {
  if (value === false || (MAY_BE_EMPTY.has(normalized) && (value === null || value === ''))) return 0;
  if (typeof value === 'object' && value !== null) return Object.keys(value).length;
  const isCount = typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_COUNT;
  return isCount ? value : null;
}

const formatValue = (value: unknown): string => excerpt(JSON.stringify(value), VALUE_LENGTH);
