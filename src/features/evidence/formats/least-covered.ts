import { excerpt } from './bounded-list.js';
import type { Counts } from './coverage.js';
import type { ReportDetail } from './report-format.js';

const PATH_LENGTH = 300;

interface PartlyCovered {
  readonly path: string;
  readonly missing: number;
  readonly total: number;
}

/** Selects the files with the most uncovered lines. Its memory does not grow with the number of files. */
export class LeastCovered {
  private candidates: PartlyCovered[] = [];

  constructor(private readonly capacity: number) {}

  add(path: string, { covered, total }: Counts): void {
    if (covered >= total) return;
    this.candidates.push({ path, missing: total - covered, total });
    if (this.candidates.length >= 2 * this.capacity) this.candidates = [...this.worst()];
  }

  toDetails(unit: string): readonly ReportDetail[] {
    return this.worst().map(({ path, missing, total }) => ({
      title: excerpt(path, PATH_LENGTH),
      location: null,
      message: `${missing} of ${total} ${unit} not covered`,
    }));
  }

  private worst(): readonly PartlyCovered[] {
    return this.candidates.toSorted((a, b) => b.missing - a.missing).slice(0, this.capacity);
  }
}
