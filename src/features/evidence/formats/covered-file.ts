import type { Counts, FileCoverage } from './coverage-counts.js';

/** What is known of one line, or of the file as a whole: both in one, because a report may have very many of them. */
interface Place {
  /** Whether any run reached it; null where only branches are known of it. */
  hit: boolean | null;
  covered: number;
  total: number;
}

/**
 * One source file of a report that counts branches by place: what is said of a line several times, in classes, methods
 * or modules that share it, is one line, reached where any of them was.
 */
export class CoveredFile {
  /** Made when it is needed: a report may name very many files without a line. */
  private places: Map<number, Place> | null = null;

  constructor(readonly path: string) {}

  hitLine(line: number, hit: boolean): void {
    const place = this.at(line);
    place.hit = hit || place.hit === true;
  }

  /** `place` is the line of the branches, or 0 where a report counts them for the file as a whole. */
  takeBranches(place: number, { covered, total }: Counts): void {
    const known = this.at(place);
    known.covered = Math.max(known.covered, covered);
    known.total = Math.max(known.total, total);
  }

  add(other: CoveredFile): void {
    for (const [line, { hit, covered, total }] of other.places ?? []) {
      if (hit !== null) this.hitLine(line, hit);
      this.takeBranches(line, { covered, total });
    }
  }

  /** Whether anything was said of it at all. */
  get isEmpty(): boolean {
    return this.places === null;
  }

  coverage(): FileCoverage {
    const lines = { covered: 0, total: 0 };
    const branches = { covered: 0, total: 0 };
    for (const { hit, covered, total } of this.places?.values() ?? []) {
      if (hit !== null) lines.total += 1;
      if (hit === true) lines.covered += 1;
      branches.covered += covered;
      branches.total += total;
    }
    return { path: this.path, lines, branches };
  }

  private at(line: number): Place {
    this.places ??= new Map();
    const known = this.places.get(line);
    if (known !== undefined) return known;
    const place = { hit: null, covered: 0, total: 0 };
    this.places.set(line, place);
    return place;
  }
}
