/** A run of lines that two versions have in common. */
interface Match {
  readonly base: number;
  readonly side: number;
}

/**
 * Merges two edited versions of a text over their common ancestor, line by line. Returns null if both changed the same
 * or adjoining lines in different ways, where git reports a conflict.
 */
export function mergeLines(base: string, ours: string, theirs: string): string | null {
  const [baseLines, ourLines, theirLines] = [splitLines(base), splitLines(ours), splitLines(theirs)];
  const ourMatch = new Map(commonLines(baseLines, ourLines).map((match) => [match.base, match.side]));
  const theirMatch = new Map(commonLines(baseLines, theirLines).map((match) => [match.base, match.side]));
  const merged: string[] = [];
  let [atBase, atOurs, atTheirs] = [0, 0, 0];
  while (atBase < baseLines.length || atOurs < ourLines.length || atTheirs < theirLines.length) {
    let next = atBase;
    while (next < baseLines.length && !(ourMatch.has(next) && theirMatch.has(next))) next += 1;
    const nextOurs = ourMatch.get(next) ?? ourLines.length;
    const nextTheirs = theirMatch.get(next) ?? theirLines.length;
    const chunk = mergeChunk(
      baseLines.slice(atBase, next),
      ourLines.slice(atOurs, nextOurs),
      theirLines.slice(atTheirs, nextTheirs),
    );
    if (chunk === null) return null;
    merged.push(...chunk);
    if (next < baseLines.length) merged.push(baseLines[next] ?? '');
    [atBase, atOurs, atTheirs] = [next + 1, nextOurs + 1, nextTheirs + 1];
  }
  return merged.join('');
}

function mergeChunk(base: string[], ours: string[], theirs: string[]): string[] | null {
  if (sameLines(ours, theirs) || sameLines(base, theirs)) return ours;
  return sameLines(base, ours) ? theirs : null;
}

/** The longest common subsequence of lines, as pairs of positions. */
function commonLines(base: readonly string[], side: readonly string[]): readonly Match[] {
  const longest = Array.from({ length: base.length + 1 }, () => new Uint32Array(side.length + 1));
  const at = (i: number, j: number) => longest[i]?.[j] ?? 0;
  for (let i = base.length - 1; i >= 0; i -= 1) {
    for (let j = side.length - 1; j >= 0; j -= 1) {
      const row = longest[i];
      if (row) row[j] = base[i] === side[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const matches: Match[] = [];
  for (let [i, j] = [0, 0]; i < base.length && j < side.length;) {
    if (base[i] === side[j]) {
      matches.push({ base: i, side: j });
      i += 1;
      j += 1;
    } else if (at(i + 1, j) >= at(i, j + 1)) i += 1;
    else j += 1;
  }
  return matches;
}

/** Splits a text into lines with their newlines, so that a missing newline at the end of a file is a difference too. */
function splitLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function sameLines(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((line, index) => line === other[index]);
}
