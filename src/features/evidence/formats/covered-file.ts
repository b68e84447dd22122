import type { Counts, FileCoverage } from './coverage-counts.js';

/**
 * One source file of a report that counts branches by place: what is said of a line several times, in classes, methods
 * or modules that share it, is one line, reached where any of them was.
 */
export class CoveredFile {
  private readonly lines = new Map<number, boolean>();
  private readonly branches = new Map<number, Counts>();

  constructor(readonly path: string) {}

  hitLine(line: number, hit: boolean): void {
    this.lines.set(line, hit || this.lines.get(line) === true);
  }

  /** `place` is the line of the branches, or 0 where a report counts them for the file as a whole. */
  takeBranches(place: number, { covered, total }: Counts): void {
    const known = this.branches.get(place) ?? { covered: 0, total: 0 };
    this.branches.set(place, { covered: Math.max(known.covered, covered), total: Math.max(known.total, total) });
  }

  add(other: CoveredFile): void {
    for (const [line, hit] of other.lines) this.hitLine(line, hit);
    for (const [place, counts] of other.branches) this.takeBranches(place, counts);
  }

  get hasLines(): boolean {
    return this.lines.size > 0;
  }

  coverage(): FileCoverage {
    let reached = 0;
    for (const hit of this.lines.values()) if (hit) reached += 1;
    const branches = { covered: 0, total: 0 };
    for (const { covered, total } of this.branches.values()) {
      branches.covered += covered;
      branches.total += total;
    }
    return { path: this.path, lines: { covered: reached, total: this.lines.size }, branches };
  }
}

/** The files of a report by their paths, each once. */
export class CoveredFiles {
  private readonly byPath = new Map<string, CoveredFile>();

  /** The same file from a Windows runner and a Linux one is one file. */
  at(path: string): CoveredFile {
    const key = path.replaceAll('\\', '/');
    const file = this.byPath.get(key) ?? new CoveredFile(key);
    this.byPath.set(key, file);
    return file;
  }

  coverage(): readonly FileCoverage[] {
    return Array.from(this.byPath.values(), (file) => file.coverage());
  }
}
