import type { EvidenceKind, EvidencePiece } from './evidence.js';
import { failuresOf } from './piece-failures.js';

/** All that was said last of one kind, by one pipeline, in one environment: the shards of a matrix together. */
export interface DecidingSlot {
  readonly pipeline: string;
  readonly kind: EvidenceKind;
  readonly environment: string;
  readonly pieces: readonly EvidencePiece[];
  /** A run or an attempt before it failed at the same commit, and this one does not. */
  readonly flaky: boolean;
}

/** The evidence that a verdict rests on. Other uploads change nothing. */
export type DecidingSet = readonly DecidingSlot[];

/**
 * Picks the evidence that decides for a candidate: for each pipeline, kind and environment all pieces of the newest run.
 * Commits that are the same candidate (`shas`) speak only where the candidate itself has said nothing, or where they
 * say that it fails: a second green run of the same code must not void an approval, a red one must be heard.
 */
export function decidingSet(
  evidence: readonly EvidencePiece[],
  candidate: { readonly sha: string; readonly shas: readonly string[] },
): DecidingSet {
  const slots = groupBy(
    evidence.filter(({ commitSha }) => candidate.shas.includes(commitSha)),
    ({ pipeline, kind, environment }) => JSON.stringify([pipeline, kind, environment]),
  );
  return [...slots.entries()]
    .sort(([a], [b]) => compareText(a, b))
    .flatMap(([, pieces]) => decideSlot(pieces, candidate.sha));
}

/** What the set is, as text: two sets with the same text are the same set, whatever else was uploaded. */
export const describeSet = (candidateSha: string, set: DecidingSet): string =>
  JSON.stringify([
    candidateSha,
    set.map(({ pipeline, kind, environment, pieces }) => [
      pipeline,
      kind,
      environment,
      pieces.map(({ id, sha256 }) => [id, sha256]).sort(([a = ''], [b = '']) => compareText(a, b)),
    ]),
  ]);

function decideSlot(pieces: readonly EvidencePiece[], candidateSha: string): readonly DecidingSlot[] {
  const own = newestRun(pieces.filter(({ commitSha }) => commitSha === candidateSha));
  const same = newestRun(pieces.filter(({ commitSha }) => commitSha !== candidateSha));
  const decides = own && same && fails(same) && isNewer(same, own) ? same : (own ?? same);
  if (!decides) return [];
  const { pipeline, kind, environment } = decides.pieces[0];
  const failedBefore = pieces.some((piece) => !decides.pieces.includes(piece) && failuresOf(piece).length > 0);
  return [{ pipeline, kind, environment, pieces: decides.pieces, flaky: failedBefore && !fails(decides) }];
}

interface Run {
  /** GitHub numbers runs in the order in which they were made; null where the upload named no such number. */
  readonly number: bigint | null;
  /** When its first piece arrived; of uploads without a run, the last. */
  readonly at: number;
  readonly pieces: readonly [EvidencePiece, ...EvidencePiece[]];
}

const fails = (run: Run): boolean => run.pieces.some((piece) => failuresOf(piece).length > 0);

function newestRun(pieces: readonly EvidencePiece[]): Run | undefined {
  const runs = [...groupBy(pieces, ({ run }) => run?.id ?? '').entries()].map(([id, members]) => asRun(id, members));
  return runs.reduce<Run | undefined>((newest, run) => (newest && !isNewer(run, newest) ? newest : run), undefined);
}

function asRun(id: string, members: readonly [EvidencePiece, ...EvidencePiece[]]): Run {
  const arrivals = members.map(({ receivedAt }) => receivedAt.getTime());
  return {
    number: /^\d{1,19}$/.test(id) ? BigInt(id) : null,
    // Uploads that name no run cannot be told apart, so a later one makes all of them speak.
    at: id === '' ? Math.max(...arrivals) : Math.min(...arrivals),
    pieces: latestOfEachJob(members),
  };
}

const isNewer = (a: Run, b: Run): boolean =>
  a.number !== null && b.number !== null && a.number !== b.number ? a.number > b.number : a.at > b.at;

/**
 * A job that ran again replaces what it said in an earlier attempt. Where a later attempt brought fewer pieces under
 * the same job's name, nobody can tell which of the earlier ones they replace, and so none is.
 */
function latestOfEachJob(members: readonly [EvidencePiece, ...EvidencePiece[]]): Run['pieces'] {
  const kept = [...groupBy(members, ({ job }) => job).values()].flatMap((ofJob) => {
    // Uploads that name neither run nor job may all be shards of one another.
    if (ofJob[0].run === null) return ofJob[0].job === '' ? ofJob : newestOf(ofJob);
    const attempts = [...groupBy(ofJob, ({ run }) => String(run?.attempt)).values()].sort(
      ([a], [b]) => (b.run?.attempt ?? 0) - (a.run?.attempt ?? 0),
    );
    const speaking: EvidencePiece[] = [];
    for (const attempt of attempts) {
      if (attempt.length > speaking.length) speaking.push(...attempt);
    }
    return speaking;
  });
  return kept as unknown as Run['pieces'];
}

const newestOf = (pieces: readonly [EvidencePiece, ...EvidencePiece[]]): readonly EvidencePiece[] => [
  pieces.reduce((newest, piece) => (piece.receivedAt >= newest.receivedAt ? piece : newest)),
];

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function groupBy<T>(items: readonly T[], key: (item: T) => string): Map<string, [T, ...T[]]> {
  const groups = new Map<string, [T, ...T[]]>();
  for (const item of items) {
    const group = groups.get(key(item));
    if (group) group.push(item);
    else groups.set(key(item), [item]);
  }
  return groups;
}
