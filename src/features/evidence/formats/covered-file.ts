import type { Counts, FileCoverage } from './coverage-counts.js';

/**
 * One source file of a report that counts branches by place: what is said of a line several times, in classes, methods
 * or modules that share it, is one line, reached where any of them was.
 */
export class CoveredFile {
  /** Made when they are needed: a report may name very many files without a line. */
  private lines: Map<number, boolean> | null = null;
  private branches: Map<number, Counts> | null = null;

  constructor(readonly path: string) {}

  hitLine(line: number, hit: boolean): void {
    this.lines ??= new Map();
    this.lines.set(line, hit || this.lines.get(line) === true);
  }

  /** `place` is the line of the branches, or 0 where a report counts them for the file as a whole. */
  takeBranches(place: number, { covered, total }: Counts): void {
    this.branches ??= new Map();
    const known = this.branches.get(place) ?? { covered: 0, total: 0 };
    this.branches.set(place, { covered: Math.max(known.covered, covered), total: Math.max(known.total, total) });
  }

  add(other: CoveredFile): void {
    for (const [line, hit] of other.lines ?? []) this.hitLine(line, hit);
    for (const [place, counts] of other.branches ?? []) this.takeBranches(place, counts);
  }

  get hasLines(): boolean {
    return this.lines !== null;
  }

  coverage(): FileCoverage {
    let reached = 0;
    for (const hit of this.lines?.values() ?? []) if (hit) reached += 1;
    const branches = { covered: 0, total: 0 };
    for (const { covered, total } of this.branches?.values() ?? []) {
      branches.covered += covered;
      branches.total += total;
    }
    return { path: this.path, lines: { covered: reached, total: this.lines?.size ?? 0 }, branches };
  }
}
