import type { TenantTx } from '../../../database/database.js';
import { groupBy } from '../../../domain/evidence/latest-run.js';
import { pieceId } from '../../../domain/evidence/piece-id.js';
import type { TestMarks } from '../../../domain/quality/test-marks.js';
import type { ReportRoll, TestRollsReader } from '../../evidence/test-rolls.reader.js';
import type { TestPiece } from './test-attempts.js';

/** How many tests are looked at for one release, those of all its uploads together: 16 megabytes of marks. */
const MOST_TESTS = 2_000_000;

/** The rolls of one comparison. */
export class RollShelf {
  private readonly reports: ReadonlyMap<string, readonly ReportRoll[]>;

  constructor(
    private readonly tx: TenantTx,
    private readonly rolls: TestRollsReader,
    reports: readonly ReportRoll[],
  ) {
    this.reports = groupBy(reports, ({ evidenceId, kind }) => pieceId(evidenceId, kind));
  }

  /** Whether the tests of every piece are known by name, all of them, and are not too many. */
  holdsAll(pieces: readonly TestPiece[]): boolean {
    const counts = pieces.map((piece) => this.count(piece));
    return counts.every((count) => count !== null) && sumOf(counts) <= MOST_TESTS;
  }

  /** Those of which all names are known, the newest as many as are looked at, in the order in which they were given. */
  newestWithin(pieces: readonly TestPiece[]): readonly TestPiece[] {
    let left = MOST_TESTS;
    return pieces
      .toReversed()
      .filter((piece) => {
        const count = this.count(piece);
        if (count === null) return false;
        left -= count;
        return left >= 0;
      })
      .toReversed();
  }

  async marks(pieces: readonly TestPiece[]): Promise<readonly TestMarks[]> {
    const marks: TestMarks[] = [];
    for (const sha256 of this.digests(pieces)) marks.push(await this.rolls.marks(this.tx, sha256));
    return marks;
  }

  /** The names of tests that one of the pieces told of. */
  async names(pieces: readonly TestPiece[], tests: readonly bigint[]): Promise<readonly string[]> {
    const names = new Set<string>();
    for (const sha256 of this.digests(pieces)) {
      for (const name of await this.rolls.names(this.tx, sha256, tests)) names.add(name);
      if (names.size >= tests.length) break;
    }
    return [...names];
  }

  /** How many tests the piece tells of; null where they are not all known by name. */
  private count({ id }: TestPiece): number | null {
    const counts = (this.reports.get(id) ?? [{ tests: null }]).map(({ tests }) => tests);
    return counts.every((count) => count !== null) ? sumOf(counts) : null;
  }

  private digests(pieces: readonly TestPiece[]): ReadonlySet<string> {
    return new Set(pieces.flatMap(({ id }) => (this.reports.get(id) ?? []).map(({ sha256 }) => sha256)));
  }
}

const sumOf = (counts: readonly (number | null)[]): number =>
  counts.reduce<number>((sum, count) => sum + (count ?? 0), 0);
