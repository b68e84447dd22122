import type { EvidenceMetrics } from '../../src/domain/evidence/evidence.js';

/** A fixture, and the expected result of reading it. */
export interface CorpusRow {
  /** The path below `test/fixtures/reports/`. Its folder is the name of the format. */
  readonly path: string;
  /**
   * The tool that wrote it, with its version; `after …` if it was written by hand according to the documentation of
   * that tool.
   */
  readonly writtenBy: string;
  readonly metrics: EvidenceMetrics;
  /** The beginning of each failure. */
  readonly failures: readonly string[];
  readonly notes: readonly string[];
  /** The number of tests with a name; 0 for a report without tests. */
  readonly testResults: number;
}
