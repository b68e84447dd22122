import { countedPieces } from './counted-pieces.js';
import { isMeasured, type EvidenceKind, type EvidencePiece } from './evidence.js';
import { groupBy } from './latest-run.js';
import { failuresOf } from './piece-failures.js';

/** All that counts of one kind, by one pipeline, in one environment: the shards of a matrix together. */
export interface DecidingSlot {
  readonly pipeline: string;
  readonly kind: EvidenceKind;
  readonly environment: string;
  readonly pieces: readonly EvidencePiece[];
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
export type DecidingSet = readonly DecidingSlot[];

/**
 * Picks the evidence that decides for a candidate: for each pipeline, kind and environment all pieces that count.
 * Where both that and what the candidate's own runs said passes, the own runs decide: a second green run of a commit
 * that is the same candidate (`shas`) must not void an approval, and a red one must be heard.
 */
export function decidingSet(
  evidence: readonly EvidencePiece[],
  candidate: { readonly sha: string; readonly shas: readonly string[] },
  passes: (set: DecidingSet) => boolean,
): DecidingSet {
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
export const weighs = ({ kind, pieces }: DecidingSlot, required: readonly { readonly kind: EvidenceKind }[]): boolean =>
  isMeasured(kind) || pieces.some(fails) || required.some((requirement) => requirement.kind === kind);

/** The slot's name in a sentence. */
export const slotLabel = ({ kind, pipeline, environment }: DecidingSlot): string =>
  `"${kind}" of "${pipeline}" (${environment})`;

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

const slotName = ({ pipeline, kind, environment }: EvidencePiece): string =>
  JSON.stringify([pipeline, kind, environment]);

function slotOf(all: readonly [EvidencePiece, ...EvidencePiece[]], pieces: readonly EvidencePiece[]): DecidingSlot {
  const { pipeline, kind, environment } = all[0];
  const flaky = all.some(fails) && !pieces.some(fails);
  return { pipeline, kind, environment, pieces, flaky, provenRun: provenRunOf(all, pieces) };
}

function provenRunOf(all: readonly EvidencePiece[], pieces: readonly EvidencePiece[]): ProvenRun | null {
  const id = pieces.find(({ run }) => run?.proven === true)?.run?.id;
  if (id === undefined) return null;
  const uploads = all.filter(({ run, checkRunId }) => run?.proven === true && run.id === id && checkRunId !== null);
  const jobIds = new Set(uploads.map(({ checkRunId }) => checkRunId ?? 0));
  const lastArrivalAt = uploads.reduce((last, { receivedAt }) => Math.max(last, receivedAt.getTime()), 0);
  return { id, jobIds: [...jobIds].sort((a, b) => a - b), lastArrivalAt: new Date(lastArrivalAt) };
}

const fails = (piece: EvidencePiece): boolean => failuresOf(piece).length > 0;

/** Orders names and ids, of which no two are the same. */
const compareText = (a: string, b: string): number => (a < b ? -1 : 1);
