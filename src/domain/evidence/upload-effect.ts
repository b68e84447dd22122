import type { EffectiveEvidenceSet, EvidenceGroup } from './effective-evidence-set.js';
import type { EvidenceItem } from './evidence.js';

/** The effect of an upload on the verdict of its release. */
export const UPLOAD_EFFECTS = ['decides', 'not_the_candidate', 'superseded', 'unknown_commit'] as const;
export type UploadEffect = (typeof UPLOAD_EFFECTS)[number];

/** The members of an evidence item that place it in the effective evidence set. */
type PlacedItem = Pick<EvidenceItem, 'id' | 'kind' | 'pipeline' | 'environment'>;

/** An upload and the state of its release. */
export interface UploadState {
  readonly commitSha: string;
  readonly items: readonly PlacedItem[];
  /** Null if the release has no candidate. */
  readonly candidateSha: string | null;
  /** The candidate and its equivalent commits. */
  readonly candidateShas: readonly string[];
  /** False while a fact on which the candidate rests is missing or stale. */
  readonly isCandidateKnown: boolean;
  readonly evidenceSet: EffectiveEvidenceSet;
  readonly isShipped: boolean;
  /** Whether GitHub has the commit. Null if that is not known. */
  readonly commitExists: boolean | null;
}

/** An effect, and why the upload has it: a clause without a subject, which is "it". */
export interface ExplainedEffect {
  readonly effect: UploadEffect;
  readonly because: string;
}

/** Whether the commit is the candidate or equivalent to it. Then GitHub has it. */
export const isOfCandidate = ({
  commitSha,
  candidateShas,
  isCandidateKnown,
}: Pick<UploadState, 'commitSha' | 'candidateShas' | 'isCandidateKnown'>): boolean =>
  isCandidateKnown && candidateShas.includes(commitSha);

/**
 * Returns the effect of an upload. It decides only if all of its items that the policy asks for are in the effective evidence set, and
 * nothing that the candidate rests on is unknown. An item at the candidate that the verdict does not rest on is superseded.
 */
export function explainUploadEffect(state: UploadState): ExplainedEffect {
  if (!isOfCandidate(state)) return explainOtherCommit(state);
  const { commitSha, candidateSha, items, evidenceSet, isShipped } = state;
  if (isShipped) return superseded('the release is shipped');
  const deciding = new Set(evidenceSet.flatMap((group) => group.items.map(({ id }) => id)));
  const groups = new Set(evidenceSet.map(groupKey));
  const others = items.filter(({ id }) => !deciding.has(id));
  const replaced = others.filter((item) => groups.has(groupKey(item)));
  if (replaced.length > 0) {
    return superseded(`other evidence counts in place of its ${listKinds(replaced)}`);
  }
  if (others.length === items.length) return superseded(`the policy requires no ${listKinds(others)}`);
  const where = commitSha === candidateSha ? 'at the candidate' : `with the candidate ${shortSha(candidateSha)}`;
  return { effect: 'decides', because: `it counts ${where}` };
}

function explainOtherCommit(state: UploadState): ExplainedEffect {
  const { candidateSha, isCandidateKnown, commitExists } = state;
  if (commitExists === false)
    return { effect: 'unknown_commit', because: 'it does not count: GitHub has no such commit' };
  const notCandidate = (why: string): ExplainedEffect => ({ effect: 'not_the_candidate', because: why });
  if (!isCandidateKnown)
    return notCandidate('whether it counts is not known, because GitHub did not tell the candidate in time');
  const unchecked = commitExists === null ? ', and GitHub did not tell in time whether it has the commit' : '';
  if (candidateSha === null) return notCandidate(`it does not count: the release has no candidate yet${unchecked}`);
  return notCandidate(`it does not count: the candidate is ${shortSha(candidateSha)}${unchecked}`);
}

const superseded = (why: string): ExplainedEffect => ({ effect: 'superseded', because: `it does not count: ${why}` });

const groupKey = ({ pipeline, kind, environment }: PlacedItem | EvidenceGroup): string =>
  JSON.stringify([pipeline, kind, environment]);

const listKinds = (items: readonly PlacedItem[]): string =>
  [...new Set(items.map(({ kind }) => `"${kind}"`))].join(' and ');

/** The beginning of a commit that a sentence shows. */
export const shortSha = (sha: string | null): string => (sha ?? '').slice(0, 7);
