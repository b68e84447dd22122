import type { EvidenceKind, Metrics } from '../../domain/evidence/evidence.js';
import type { PieceStatus } from '../../domain/evidence/piece-status.js';
import type { ComparisonStatus } from '../../domain/quality/comparison-status.js';
import type { Scorecard } from '../../domain/quality/scorecard.js';
import type { Stage } from '../../domain/release/stage.js';

/** A piece of evidence, as the quality list shows it. */
export interface QualityResult {
  readonly evidenceId: string;
  readonly type: EvidenceKind;
  readonly environment: string;
  readonly pipeline: string;
  readonly commitSha: string;
  /** Those of its type; empty where it has none. */
  readonly metrics: Metrics;
  readonly status: PieceStatus;
  /** The scorecard rests on it. */
  readonly decides: boolean;
  readonly createdAt: Date;
}

/** Tests by their names: how many they are, and the first 20. */
export interface NamedTests {
  readonly count: number;
  readonly names: readonly string[];
}

/** What became of the tests since the release that was shipped before. */
export interface TestChange {
  /** Tests that fail, and did not then. */
  readonly newFailures: NamedTests;
  /** Tests that ran then and do not run now. */
  readonly lostTests: NamedTests;
}

/** How a release differs from the one that was shipped last before it. */
export interface ReleaseChange {
  readonly against: { readonly milestoneId: string; readonly version: string };
  /** In points of the score; null where one of the two has none. */
  readonly score: number | null;
  /** In points of line coverage; null where one of the two measured none. */
  readonly coverage: number | null;
  /** Null unless `comparison` is `known`. */
  readonly tests: TestChange | null;
}

/** Tests of the candidate that failed and passed at the same commit, or that their report calls flaky. */
export interface FlakyTests extends NamedTests {
  /** Of all tests that ran, 0 to 1; null where none did. */
  readonly rate: number | null;
}

/** A release with its evidence and what that is worth. */
export interface ReleaseGroup {
  readonly milestoneId: string;
  readonly org: string;
  /** Without its organization. */
  readonly repo: string;
  readonly version: string;
  readonly stage: Stage;
  readonly scorecard: Scorecard;
  /** Null where nothing of the repository was shipped before. */
  readonly change: ReleaseChange | null;
  /** Null unless `comparison` is `known`. */
  readonly flaky: FlakyTests | null;
  readonly comparison: ComparisonStatus;
  /** What decides, and the newest of the rest up to 200; the newest first. */
  readonly results: readonly QualityResult[];
  /** How many results are not among them. */
  readonly moreResults: number;
}
