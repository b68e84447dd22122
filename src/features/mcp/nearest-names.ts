import { distance } from 'fastest-levenshtein';

const MOST_NAMES = 3;

/**
 * Returns the known names that a caller probably meant, the nearest first, three at most. Case and a leading `v` make no
 * difference: a name that differs in nothing else is returned alone.
 */
export function nearestNames(name: string, known: readonly string[]): readonly string[] {
  const wanted = toComparable(name);
  const allowed = Math.min(2, Math.floor(wanted.length / 3));
  const near = known
    .map((candidate) => ({ candidate, edits: editsTo(wanted, toComparable(candidate)) }))
    .filter(({ edits }) => edits <= allowed)
    .sort((left, right) => left.edits - right.edits);
  const equal = near.filter(({ edits }) => edits === 0);
  return (equal.length > 0 ? equal : near).slice(0, MOST_NAMES).map(({ candidate }) => candidate);
}

/** A part of a name, such as `payments` of `payments-api`, counts as one edit. */
function editsTo(wanted: string, candidate: string): number {
  const edits = distance(wanted, candidate);
  return edits > 1 && wanted !== '' && candidate.includes(wanted) ? 1 : edits;
}

const toComparable = (name: string): string => name.toLowerCase().replace(/^v(?=\d)/, '');
