import type { CoverageMetrics } from '../../../domain/evidence/evidence.js';

/** Named as LCOV names them: lines and branches found, and hit. */
export interface LcovTotals {
  LF: number;
  LH: number;
  BRF: number;
  BRH: number;
}

/** What is known of one source file: each line and branch, and whether any run reached it. */
export class LcovFile {
  private readonly lines = new Map<number, boolean>();
  private readonly branches = new Map<string, boolean>();

  constructor(readonly path: string) {}

  hitLine(line: number, hit: boolean): void {
    this.lines.set(line, hit || this.lines.get(line) === true);
  }

  takeBranch(branch: string, taken: boolean): void {
    this.branches.set(branch, taken || this.branches.get(branch) === true);
  }

  add(other: LcovFile): void {
    for (const [line, hit] of other.lines) this.hitLine(line, hit);
    for (const [branch, taken] of other.branches) this.takeBranch(branch, taken);
  }

  totals(): LcovTotals {
    return {
      LF: this.lines.size,
      LH: reached(this.lines),
      BRF: this.branches.size,
      BRH: reached(this.branches),
    };
  }
}

/** Adds files up; null and no counts where none has any line, or any branch. */
export function coverageOf(files: readonly LcovTotals[]): CoverageMetrics {
  const sum = (key: keyof LcovTotals): number => files.reduce((total, file) => total + file[key], 0);
  const lines = { covered: sum('LH'), total: sum('LF') };
  const branches = { covered: sum('BRH'), total: sum('BRF') };
  return {
    line_percent: percentOf(lines),
    branch_percent: percentOf(branches),
    ...(lines.total > 0 && { lines }),
    ...(branches.total > 0 && { branches }),
  };
}

/** Rounded down to hundredths, so that 79.999 is never shown, or judged, as 80. */
function percentOf({ covered, total }: { readonly covered: number; readonly total: number }): number | null {
  return total === 0 ? null : Math.floor((covered * 10_000) / total) / 100;
}

function reached(entries: ReadonlyMap<unknown, boolean>): number {
  let count = 0;
  for (const hit of entries.values()) if (hit) count += 1;
  return count;
}
