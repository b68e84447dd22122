/** The greatest length of a name that is compared. */
const MAX_LENGTH = 1_000;
/** In a shorter name one edit makes another name. */
const MIN_EDITED_LENGTH = 3;

/** A name in the form in which it is compared: in lower case and without the spaces around and within its segments. */
export interface ComparableName {
  readonly text: string;
  /** The place of each segment between slashes. */
  readonly segments: readonly number[];
}

/** Converts a name. Null for one that is too long to be compared. */
export function toComparableName(name: string): ComparableName | null {
  if (name.length > MAX_LENGTH) return null;
  const text = name.normalize('NFKC').toLowerCase().replaceAll(/\s+/gu, '');
  const segments = [0];
  for (let slash = text.indexOf('/'); slash !== -1; slash = text.indexOf('/', slash + 1)) segments.push(slash + 1);
  return { text, segments };
}

/**
 * Returns how much two names differ; null if they are not alike. 0 is a difference in case or spaces only, 1 a prefix such as
 * `CI / ` before one of them, 2 one edit: a character that is added, missing, replaced, or swapped with the next one.
 */
export function compareNames(one: ComparableName, other: ComparableName): 0 | 1 | 2 | null {
  const segments = Math.min(one.segments.length, other.segments.length);
  const [from, otherFrom] = [one.segments.at(-segments) ?? 0, other.segments.at(-segments) ?? 0];
  const difference = compareEnds(one.text, from, other.text, otherFrom);
  if (difference === 'none') return one.segments.length === other.segments.length ? 0 : 1;
  const length = Math.max(one.text.length - from, other.text.length - otherFrom);
  return difference === 'one edit' && length >= MIN_EDITED_LENGTH ? 2 : null;
}

/** Compares the ends of two texts in one pass and without copies: after the first difference the rest must be equal. */
function compareEnds(one: string, from: number, other: string, otherFrom: number): 'none' | 'one edit' | 'more' {
  const longer = one.length - from - (other.length - otherFrom);
  if (Math.abs(longer) > 1) return 'more';
  let [at, otherAt] = [from, otherFrom];
  while (at < one.length && otherAt < other.length && one.charCodeAt(at) === other.charCodeAt(otherAt)) {
    at += 1;
    otherAt += 1;
  }
  if (at === one.length && otherAt === other.length) return 'none';
  if (longer !== 0) {
    return isSameRest(one, longer > 0 ? at + 1 : at, other, longer > 0 ? otherAt : otherAt + 1) ? 'one edit' : 'more';
  }
  const isSwapped =
    one.charCodeAt(at) === other.charCodeAt(otherAt + 1) && one.charCodeAt(at + 1) === other.charCodeAt(otherAt);
  return isSameRest(one, at + 1, other, otherAt + 1) || (isSwapped && isSameRest(one, at + 2, other, otherAt + 2))
    ? 'one edit'
    : 'more';
}

/** The rests have the same length. */
function isSameRest(one: string, from: number, other: string, otherFrom: number): boolean {
  let [at, otherAt] = [from, otherFrom];
  while (at < one.length && one.charCodeAt(at) === other.charCodeAt(otherAt)) {
    at += 1;
    otherAt += 1;
  }
  return at >= one.length;
}
