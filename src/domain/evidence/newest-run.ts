import type { EvidencePiece } from './evidence.js';
import { groupBy } from './group-by.js';

type Pieces = readonly [EvidencePiece, ...EvidencePiece[]];

interface Run {
  /** GitHub numbers runs in the order in which they were made; null where the upload named no such number. */
  readonly number: bigint | null;
  /** When its first piece arrived; of uploads without a run, the last. */
  readonly at: number;
  readonly pieces: readonly EvidencePiece[];
}

/**
 * What the newest run said. Numbered runs are ordered by their numbers, all others by their arrival, and the newest of
 * both sorts by theirs; what arrived in the same moment speaks together.
 */
export function newestRun(pieces: readonly EvidencePiece[]): readonly EvidencePiece[] {
  // As most slots are; a list judges tens of thousands of them.
  if (pieces.length === 1) return pieces;
  const runs = [...groupBy(pieces, ({ commitSha, run }) => JSON.stringify([commitSha, run?.id ?? null])).values()].map(
    asRun,
  );
  const highest = runs.reduce<bigint>((high, { number }) => (number !== null && number > high ? number : high), -1n);
  const finalists = runs.filter(({ number }) => number === null || number === highest);
  const latest = latestOf(finalists.map(({ at }) => at));
  return finalists.filter(({ at }) => at === latest).flatMap((run) => run.pieces);
}

function asRun(pieces: Pieces): Run {
  const { run } = pieces[0];
  const arrivals = pieces.map(({ receivedAt }) => receivedAt.getTime());
  // Uploads that name no run cannot be told apart, so a later one makes all of them speak.
  if (run === null) return { number: null, at: latestOf(arrivals), pieces: eachJob(pieces, latestUploads) };
  return {
    number: /^\d{1,19}$/.test(run.id) ? BigInt(run.id) : null,
    at: arrivals.reduce((first, at) => Math.min(first, at)),
    pieces: eachJob(pieces, latestAttempts),
  };
}

const eachJob = (pieces: Pieces, latest: (ofJob: Pieces) => readonly EvidencePiece[]): readonly EvidencePiece[] =>
  [...groupBy(pieces, ({ job }) => job).values()].flatMap(latest);

/** Uploads that name neither run nor job may all be shards of one another. */
function latestUploads(ofJob: Pieces): readonly EvidencePiece[] {
  if (ofJob[0].job === '') return ofJob;
  const latest = latestOf(ofJob.map(({ receivedAt }) => receivedAt.getTime()));
  return ofJob.filter(({ receivedAt }) => receivedAt.getTime() === latest);
}

/**
 * A job that ran again replaces what it said in an earlier attempt. Where later attempts brought fewer pieces under the
 * same job's name, nobody can tell which of the earlier ones they replace, and so none is.
 */
function latestAttempts(ofJob: Pieces): readonly EvidencePiece[] {
  const attempts = [...groupBy(ofJob, ({ run }) => String(run?.attempt)).values()].sort(
    ([a], [b]) => (b.run?.attempt ?? 0) - (a.run?.attempt ?? 0),
  );
  let most = 0;
  return attempts.flatMap((attempt) => {
    const replaced = attempt.length <= most;
    most = Math.max(most, attempt.length);
    return replaced ? [] : attempt;
  });
}

const latestOf = (moments: readonly number[]): number =>
  moments.reduce((latest, at) => Math.max(latest, at), Number.NEGATIVE_INFINITY);
