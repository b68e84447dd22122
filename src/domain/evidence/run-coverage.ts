import { type EvidenceItem, uploadIdFromItemId } from './evidence.js';
import { groupBy } from '../group-by.js';

/** The line coverage of several uploads of one run together. Each file counts once, with the hits of all of them. */
export interface RunCoverage {
  /** The ids of the uploads, in order. */
  readonly evidenceIds: readonly string[];
  /** Null if the uploads are not united: not yet, or because they are too large. */
  readonly lines: { readonly covered: number; readonly total: number } | null;
  /** Present if the uploads were not united yet. */
  readonly isPending?: true;
}

/** Finds the united coverage of uploads, and lists those that are not known. */
export class RunCoverages {
  private readonly known: ReadonlyMap<string, RunCoverage> | null;
  private readonly unknown = new Map<string, readonly string[]>();

  /** Without known coverages nothing is united, and the counts of all uploads are added up. */
  constructor(known: readonly RunCoverage[] | null = null) {
    this.known = known && new Map(known.map((coverage) => [toKey(coverage.evidenceIds), coverage]));
  }

  /**
   * Returns the coverage of each run that has several of these items. Uploads without a run are no parts of one
   * measurement, and metrics without counts cannot be united.
   */
  of(items: readonly EvidenceItem[]): readonly RunCoverage[] {
    const counted = items.filter(({ run, metrics }) => run !== null && (metrics.coverage?.lines?.total ?? 0) > 0);
    if (counted.length < 2) return [];
    const runs = groupBy(counted, ({ run }) => JSON.stringify([run?.proven, run?.id])).values();
    const several = [...runs].filter(({ length }) => length > 1);
    return several.map((run) => this.find(run.map(uploadIdFromItemId).sort())).filter((found) => found !== null);
  }

  /** Lists the ids of the uploads of each run whose coverage was needed and is not known. */
  missing(): readonly (readonly string[])[] {
    return [...this.unknown.values()];
  }

  private find(evidenceIds: readonly string[]): RunCoverage | null {
    const key = toKey(evidenceIds);
    const found = this.known?.get(key);
    if (found) return found;
    this.unknown.set(key, evidenceIds);
    return this.known && { evidenceIds, lines: null, isPending: true };
  }
}

const toKey = (evidenceIds: readonly string[]): string => evidenceIds.join(' ');
