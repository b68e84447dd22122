import { type EvidenceKind, type EvidenceItem, isMeasured, uploadIdFromItemId } from './evidence.js';
import { evidenceFailures, evidenceItemStatus, type EvidenceItemStatus } from './evidence-status.js';
import { groupBy } from './latest-run.js';

type Pieces = readonly [EvidenceItem, ...EvidenceItem[]];

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
export function countedPieces(pieces: readonly EvidenceItem[]): readonly EvidenceItem[] {
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

const runsOf = (pieces: readonly EvidenceItem[]): readonly Run[] =>
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
function unreplaced(pieces: readonly EvidenceItem[]): readonly EvidenceItem[] {
  const named = pieces.filter(({ job }) => job !== null);
  const jobs = groupBy(named, ({ job }) => job ?? '').values();
  return [...pieces.filter(({ job }) => job === null), ...[...jobs].flatMap(latestAttempts)];
}

/**
 * A later attempt replaces an earlier one where it brought at least as much under the job's name: as many jobs, where tokens prove
 * them, else as many pieces. Cells of a matrix may share a name that they state; where fewer of them came again, nobody can tell
 * which of the earlier ones they replace, so none is replaced.
 */
function latestAttempts(ofJob: Pieces): readonly EvidenceItem[] {
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

function sizeOf(pieces: readonly EvidenceItem[]): number {
  const jobs = new Set(pieces.map(({ checkRunId }) => checkRunId));
  return jobs.has(null) ? pieces.length : jobs.size;
}

/** All that counts of one kind, by one pipeline, in one environment: the shards of a matrix together. */
export interface EvidenceGroup {
  readonly pipeline: string;
  readonly kind: EvidenceKind;
  readonly environment: string;
  readonly pieces: readonly EvidenceItem[];
  /** An earlier run or attempt of the same candidate failed, and what decides now does not. */
  readonly flaky: boolean;
  /** The proven run that counts, with every job that uploaded to it by a token that names its job; null where there is none. */
  readonly provenRun: ProvenRun | null;
}

interface ProvenRun {
  readonly id: string;
  /** The ids of the jobs, also of those whose pieces were replaced. */
  readonly jobIds: readonly number[];
  /** When the last of their pieces arrived. */
  readonly lastArrivalAt: Date;
}

/** The evidence that a verdict rests on. Other uploads change nothing. */
export type EffectiveEvidenceSet = readonly EvidenceGroup[];

/**
 * Picks the evidence that decides for a candidate: for each pipeline, kind and environment all pieces that count.
 * Where both that and what the candidate's own runs said passes, the own runs decide: a second green run of a commit
 * that is the same candidate (`shas`) must not void an approval, and a red one must be heard.
 */
export function selectEffectiveEvidence(
  evidence: readonly EvidenceItem[],
  candidate: { readonly sha: string; readonly shas: readonly string[] },
  passes: (set: EffectiveEvidenceSet) => boolean,
): EffectiveEvidenceSet {
  const ofCandidate = evidence.filter(({ commitSha }) => candidate.shas.includes(commitSha));
  const slots = [...groupBy(ofCandidate, slotName).entries()]
    .sort(([a], [b]) => compareText(a, b))
    .map(([, pieces]) => pieces);
  const newest = slots.map((pieces) => slotOf(pieces, countedPieces(pieces)));
  // Where all of it is of the candidate's own commit both are the same, and nothing has to be judged to choose.
  if (ofCandidate.every(({ commitSha }) => commitSha === candidate.sha)) return newest;
  const own = slots.map((pieces) => {
    const said = pieces.filter(({ commitSha }) => commitSha === candidate.sha);
    return slotOf(pieces, countedPieces(said.length > 0 ? said : pieces));
  });
  return passes(newest) && passes(own) ? own : newest;
}

/** Whether the slot can weigh in a verdict: documents for people, which no policy asks for, never do. */
export const affectsVerdict = (
  { kind, pieces }: EvidenceGroup,
  required: readonly { readonly kind: EvidenceKind }[],
): boolean => isMeasured(kind) || pieces.some(fails) || required.some((requirement) => requirement.kind === kind);

/** The slot's name in a sentence. */
export const slotLabel = ({ kind, pipeline, environment }: EvidenceGroup): string =>
  `"${kind}" of "${pipeline}" (${environment})`;

/** What the set is, as text: two sets with the same text are the same set, whatever else was uploaded. */
export const evidenceSetKey = (candidateSha: string, set: EffectiveEvidenceSet): string =>
  JSON.stringify([
    candidateSha,
    set.map(({ pipeline, kind, environment, pieces }) => [
      pipeline,
      kind,
      environment,
      pieces.map(({ id, sha256 }) => [id, sha256]).sort(([a = ''], [b = '']) => compareText(a, b)),
    ]),
  ]);

const slotName = ({ pipeline, kind, environment }: EvidenceItem): string =>
  JSON.stringify([pipeline, kind, environment]);

function slotOf(all: readonly [EvidenceItem, ...EvidenceItem[]], pieces: readonly EvidenceItem[]): EvidenceGroup {
  const { pipeline, kind, environment } = all[0];
  const flaky = all.some(fails) && !pieces.some(fails);
  return { pipeline, kind, environment, pieces, flaky, provenRun: provenRunOf(all, pieces) };
}

function provenRunOf(all: readonly EvidenceItem[], pieces: readonly EvidenceItem[]): ProvenRun | null {
  const id = pieces.find(({ run }) => run?.proven === true)?.run?.id;
  if (id === undefined) return null;
  const uploads = all.filter(({ run, checkRunId }) => run?.proven === true && run.id === id && checkRunId !== null);
  const jobIds = new Set(uploads.map(({ checkRunId }) => checkRunId ?? 0));
  const lastArrivalAt = uploads.reduce((last, { receivedAt }) => Math.max(last, receivedAt.getTime()), 0);
  return { id, jobIds: [...jobIds].sort((a, b) => a - b), lastArrivalAt: new Date(lastArrivalAt) };
}

const fails = (piece: EvidenceItem): boolean => evidenceFailures(piece).length > 0;

/** Orders names and ids, of which no two are the same. */
const compareText = (a: string, b: string): number => (a < b ? -1 : 1);

/** Pieces that decide nothing are shown up to this many: a release may have thousands. */
export const MAX_OTHER_ITEMS = 200;

/** A piece of evidence as people are shown it. */
export interface VisibleEvidenceItem {
  readonly piece: EvidenceItem;
  /** The id of the upload that it came with. */
  readonly evidenceId: string;
  readonly status: EvidenceItemStatus;
  /** The verdict rests on it. */
  readonly decides: boolean;
}

/** Of pieces as they were received those that decide and the newest of the others, the newest first. */
export function selectVisibleItems(
  pieces: readonly EvidenceItem[],
  set: EffectiveEvidenceSet,
): readonly VisibleEvidenceItem[] {
  const deciding = new Set<string>();
  for (const slot of set) for (const { id } of slot.pieces) deciding.add(id);
  const shown: VisibleEvidenceItem[] = [];
  let others = 0;
  for (const piece of pieces.toReversed()) {
    const decides = deciding.has(piece.id);
    if (!decides && ++others > MAX_OTHER_ITEMS) continue;
    shown.push({ piece, evidenceId: uploadIdFromItemId(piece), status: evidenceItemStatus(piece), decides });
  }
  return shown;
}
