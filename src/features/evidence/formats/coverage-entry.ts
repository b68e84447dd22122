import { hash } from 'node:crypto';
import { type Counts, type StatedTotals, worseTotals } from './coverage.js';

/** The lines of a file in a fixed order. Only files with equal lines, in the same order, can be united. */
export interface CoveredLines {
  /** The weight of each line; null if each counts once. */
  readonly weights: readonly number[] | null;
  /** One digit for each line: 1 if it was hit, else 0. A report may have very many files, and a text takes little memory. */
  readonly hits: string;
}

/** Branches by the number of their line, or by a name that begins with it. */
export type CoveredBranches = Map<number | string, Counts>;

/**
 * One entry of a report: what it lists and states about one file. Some formats list a line once for each of its methods or
 * statements, and then each listing counts. Other formats list it once, and listings that contradict each other are not hit.
 */
export class CoverageEntry {
  // Created when they are needed, because a report may have very many entries without a line.
  private names: (number | string)[] | null = null;
  private hits: boolean[] | null = null;
  private weights: number[] | null = null;
  private functions: Set<string> | null = null;
  private branches: CoveredBranches | null = null;
  /** The number of listings of branches that differ from an earlier one. */
  private differentBranches = 0;
  readonly totals: Record<'lines' | 'branches', StatedTotals | null> = { lines: null, branches: null };

  /** `listsLinesOnce` says that the format has one listing of each line. */
  constructor(private readonly listsLinesOnce = false) {}

  /** The name of a line is its number, or the range of a block. All weights of one entry are given or none. */
  addLine(name: number | string, isHit: boolean, weight?: number): void {
    (this.names ??= []).push(name);
    (this.hits ??= []).push(isHit);
    if (weight !== undefined) (this.weights ??= []).push(weight);
  }

  /** Adds branches of a line, or one of them. If they are listed several times, the worst counts are used. */
  addBranches(name: number | string, { covered, total }: Counts): void {
    const known = (this.branches ??= new Map()).get(name);
    if (known && (known.covered !== covered || known.total !== total)) this.differentBranches += 1;
    this.branches.set(name, {
      covered: Math.min(covered, known?.covered ?? covered),
      total: Math.max(total, known?.total ?? total),
    });
  }

  addFunction(name: string): void {
    (this.functions ??= new Set()).add(name);
  }

  state(of: 'lines' | 'branches', totals: StatedTotals): void {
    this.totals[of] = worseTotals(this.totals[of], totals);
  }

  get hasLines(): boolean {
    return this.names !== null;
  }

  /** Adds the lines and branches of another entry to this one, which has none. */
  takeLines({ names, hits, weights, branches, differentBranches }: CoverageEntry): void {
    this.names = names;
    this.hits = hits;
    this.weights = weights;
    this.branches = branches;
    this.differentBranches = differentBranches;
  }

  /** Ends the entry. The identity is that of its group and the name of its file. */
  close(identity: readonly [group: string, file: string]): ClosedEntry {
    const order = toOrder(this.names ?? []);
    const listed = { names: reorder(this.names ?? [], order), hits: reorder(this.hits ?? [], order) };
    const contradictions = countContradictions(listed);
    const { names, hits } = this.listsLinesOnce ? mergeListings(listed) : listed;
    const weights = this.weights && reorder(this.weights, order);
    const { branches } = this;
    const notes = contradictions === 0 ? [] : [describeContradictions(contradictions, this.listsLinesOnce)];
    if (this.differentBranches > 0)
      notes.push(`${this.differentBranches} branches are listed again with other counts, and the worst count`);
    const branchesNotRun = branches === null ? 0 : uncoverNotRun(branches, names, hits);
    if (branchesNotRun > 0) notes.push(`${branchesNotRun} covered branches of lines that were not hit do not count`);
    if (names.length === 0) return { key: null, lines: null, branches, notes };
    const functions = [...(this.functions ?? [])].sort();
    return {
      key: digest(...identity, names.join(','), weights?.join(',') ?? '', ...functions),
      lines: { weights, hits: hits.map((isHit) => (isHit ? '1' : '0')).join('') },
      branches,
      notes,
    };
  }
}

/** What an entry lists, without the names of its lines. */
interface ClosedEntry {
  /** The digest of the identity of its file, its lines and its functions. Null if it lists no line. */
  readonly key: string | null;
  readonly lines: CoveredLines | null;
  readonly branches: CoveredBranches | null;
  /** The contradictions of the entry, as sentences. */
  readonly notes: readonly string[];
}

/** The length of a key in bytes and, because each character is one byte, in characters. */
export const KEY_LENGTH = 16;

/** Returns a digest of the parts as text of one byte for each character, which takes the least memory. */
export function digest(...parts: readonly string[]): string {
  const text = parts.map((part) => `${part.length}:${part}`).join('');
  return hash('sha256', text, 'buffer').toString('latin1', 0, KEY_LENGTH);
}

/** Returns the order of the names; null if they are in order already. */
function toOrder(names: readonly (number | string)[]): readonly number[] | null {
  const isInOrder = names.every((name, index) => index === 0 || (names[index - 1] ?? 0) <= name);
  if (isInOrder) return null;
  return names.map((_, index) => index).sort((a, b) => compare(names[a] ?? 0, names[b] ?? 0) || a - b);
}

const compare = (a: number | string, b: number | string): number => (a < b ? -1 : a > b ? 1 : 0);

const reorder = <T>(values: readonly T[], order: readonly number[] | null): readonly T[] =>
  order === null ? values : order.map((index) => values[index] as T);

/** Listed lines in the order of their names. */
interface Listings {
  readonly names: readonly (number | string)[];
  readonly hits: readonly boolean[];
}

/** Counts the lines that are listed as hit and as not hit. */
function countContradictions({ names, hits }: Listings): number {
  let contradictions = 0;
  let begin = 0;
  for (let end = 1; end <= names.length; end += 1) {
    if (end < names.length && names[end] === names[begin]) continue;
    if (end - begin > 1 && hits.slice(begin, end).some((isHit) => isHit !== hits[begin])) contradictions += 1;
    begin = end;
  }
  return contradictions;
}

const describeContradictions = (lines: number, listsLinesOnce: boolean): string =>
  `${lines} lines are listed as hit and as not hit, ${listsLinesOnce ? 'and count as not hit' : 'and each listing counts'}`;

/** Returns each line once. It is hit if every listing of it is. */
function mergeListings({ names, hits }: Listings): Listings {
  if (names.every((name, index) => name !== names[index - 1])) return { names, hits };
  const merged = new Map<number | string, boolean>();
  for (const [index, name] of names.entries()) {
    merged.set(name, hits[index] === true && (merged.get(name) ?? true));
  }
  return { names: [...merged.keys()], hits: [...merged.values()] };
}

/**
 * Uncovers the branches of lines that are listed and were not hit. Returns their number. Their names begin with the number
 * of the line. Branches that are named by a number were listed with their line.
 */
function uncoverNotRun(
  branches: CoveredBranches,
  names: readonly (number | string)[],
  hits: readonly boolean[],
): number {
  const listed = new Set(names);
  const hit = new Set(names.filter((_, index) => hits[index]));
  let uncovered = 0;
  for (const [name, { covered, total }] of branches) {
    if (typeof name === 'number') continue;
    const line = Number.parseInt(name, 10);
    if (covered === 0 || !listed.has(line) || hit.has(line)) continue;
    uncovered += covered;
    branches.set(name, { covered: 0, total });
  }
  return uncovered;
}
