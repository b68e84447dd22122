import type { EvidencePiece } from './evidence.js';
import { groupBy } from './latest-run.js';

type Pieces = readonly [EvidencePiece, ...EvidencePiece[]];

/** A run with its uploads. */
interface Run {
  readonly id: string;
  /** When its first piece arrived, in milliseconds. */
  readonly arrivedAt: number;
  readonly pieces: Pieces;
}

/**
 * Which of the pieces of one pipeline, kind and environment count.
 *
 * The newest proven run counts always. Other runs and uploads count unless a run that counts is newer and at least as well
 * proven: proven before claimed, claimed before unnamed. Proven runs are ordered by GitHub's numbers, claimed ones by the arrival of
 * their first piece, and so is one sort against another. A run that arrived at the same instant is not newer.
 */
export function countedPieces(pieces: readonly EvidencePiece[]): readonly EvidencePiece[] {
  // Most slots hold one piece, and a list judges tens of thousands of them.
  if (pieces.length === 1) return pieces;
  const proven = newestOf(runsOf(pieces.filter(({ run }) => run?.proven === true)), byNumber);
  const claimed = newestOf(runsOf(pieces.filter(({ run }) => run?.proven === false)), byArrival);
  const provenAt = proven[0]?.arrivedAt ?? Number.NEGATIVE_INFINITY;
  const countedClaims = claimed.filter(({ arrivedAt }) => arrivedAt >= provenAt);
  const namedAt = Math.max(provenAt, countedClaims[0]?.arrivedAt ?? Number.NEGATIVE_INFINITY);
  const unnamed = pieces.filter(({ run, receivedAt }) => run === null && receivedAt.getTime() >= namedAt);
  return [...[...proven, ...countedClaims].flatMap((run) => unreplaced(run.pieces)), ...unreplaced(unnamed)];
}

const runsOf = (pieces: readonly EvidencePiece[]): readonly Run[] =>
  [...groupBy(pieces, ({ run }) => run?.id ?? '').entries()].map(([id, ofRun]) => ({
    id,
    arrivedAt: ofRun.reduce((first, { receivedAt }) => Math.min(first, receivedAt.getTime()), Number.POSITIVE_INFINITY),
    pieces: ofRun,
  }));

/** The newest of the runs: several where they are equally new. */
function newestOf(runs: readonly Run[], compare: (a: Run, b: Run) => number): readonly Run[] {
  const [first, ...rest] = runs;
  if (!first) return [];
  const newest = rest.reduce((best, run) => (compare(run, best) > 0 ? run : best), first);
  return runs.filter((run) => compare(run, newest) === 0);
}

/** GitHub's run ids grow, and may be longer than what a number holds exactly. */
function byNumber(a: Run, b: Run): number {
  const difference = numberOf(a) - numberOf(b);
  return difference > 0n ? 1 : difference < 0n ? -1 : 0;
}

const numberOf = ({ id }: Run): bigint => (/^\d+$/.test(id) ? BigInt(id) : -1n);

const byArrival = (a: Run, b: Run): number => a.arrivedAt - b.arrivedAt;

/** The pieces of one run, or those without a run, without what a later attempt of the same job replaces. */
function unreplaced(pieces: readonly EvidencePiece[]): readonly EvidencePiece[] {
  const named = pieces.filter(({ job }) => job !== null);
  const jobs = groupBy(named, ({ job }) => job ?? '').values();
  return [...pieces.filter(({ job }) => job === null), ...[...jobs].flatMap(latestAttempts)];
}

/**
 * A later attempt replaces an earlier one where it brought at least as much under the job's name: as many jobs, where tokens prove
 * them, else as many pieces. Cells of a matrix may share a name that they state; where fewer of them came again, nobody can tell
 * which of the earlier ones they replace, so none is replaced.
 */
function latestAttempts(ofJob: Pieces): readonly EvidencePiece[] {
  const attempts = [...groupBy(ofJob, ({ attempt }) => String(attempt)).values()].sort(
    ([a], [b]) => b.attempt - a.attempt,
  );
  let most = 0;
  return attempts.flatMap((attempt) => {
    const size = sizeOf(attempt);
    const replaced = size <= most;
    most = Math.max(most, size);
    return replaced ? [] : attempt;
  });
}

function sizeOf(pieces: readonly EvidencePiece[]): number {
  const jobs = new Set(pieces.map(({ checkRunId }) => checkRunId));
  return jobs.has(null) ? pieces.length : jobs.size;
}
