import type { FileCoverage } from './coverage-counts.js';

/** Named as LCOV names them: lines and branches found, and hit. */
export interface LcovTotals {
  LF: number;
  LH: number;
  BRF: number;
  BRH: number;
}

/** What is known of one source file: each line and branch, and whether any run reached it. */
export class LcovFile {
  /** Made when they are needed: a tracefile may have very many records. */
  private lines: Map<number, boolean> | null = null;
  private branches: Map<string, boolean> | null = null;

  constructor(readonly path: string) {}

  hitLine(line: number, hit: boolean): void {
    this.lines ??= new Map();
    this.lines.set(line, hit || this.lines.get(line) === true);
  }

  takeBranch(branch: string, taken: boolean): void {
    this.branches ??= new Map();
    this.branches.set(branch, taken || this.branches.get(branch) === true);
  }

  add(other: LcovFile): void {
    for (const [line, hit] of other.lines ?? []) this.hitLine(line, hit);
    for (const [branch, taken] of other.branches ?? []) this.takeBranch(branch, taken);
  }

  totals(): LcovTotals {
    const { lines, branches } = this;
    return {
      LF: lines?.size ?? 0,
      LH: lines === null ? 0 : reached(lines),
      BRF: branches?.size ?? 0,
      BRH: branches === null ? 0 : reached(branches),
    };
  }

  coverage(): FileCoverage {
    const { LF, LH, BRF, BRH } = this.totals();
    return { path: this.path, lines: { covered: LH, total: LF }, branches: { covered: BRH, total: BRF } };
  }
}

function reached(entries: ReadonlyMap<unknown, boolean>): number {
  let count = 0;
  for (const hit of entries.values()) if (hit) count += 1;
  return count;
}
