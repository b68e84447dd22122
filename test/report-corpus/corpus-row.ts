import type { Metrics } from '../../src/domain/evidence/evidence.js';

/** A fixture, and what is to be read from it. */
export interface CorpusRow {
  /** Below `test/fixtures/reports/`; the folder that it lies in is the name of its format. */
  readonly path: string;
  /** The tool that wrote it, with its version; `after …` where it was written by hand after that tool's documentation. */
  readonly writtenBy: string;
  readonly metrics: Metrics;
  /** How each begins. */
  readonly failures: readonly string[];
  readonly notes: readonly string[];
  /** How many tests are known by name; 0 for what reports no tests. */
  readonly testResults: number;
}
