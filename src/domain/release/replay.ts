import type { EvidenceItem } from '../evidence/evidence.js';
import type { CommitFact, FactValues, Observation } from '../facts/facts.js';
import { NO_OVERRIDES, type TwoPersonOverride } from '../override/override.js';
import { evaluate, type Verdict, type VerdictInputs } from './evaluate.js';

/** What a value has become after it was kept as JSON. */
export type Stored<T> = T extends Date
  ? string
  : T extends readonly (infer Item)[]
    ? readonly Stored<Item>[]
    : T extends object
      ? { readonly [K in keyof T]: Stored<T[K]> }
      : T;

/** The inputs of a decision as they were kept; older ones know nothing of what admins may decide. */
export type StoredInputs = Stored<Omit<VerdictInputs, 'digest' | 'acts'>> &
  Partial<Stored<Pick<VerdictInputs, 'acts'>>>;

export interface Replay {
  /** Whether the same verdict follows from the same inputs today. */
  readonly agrees: boolean;
  /** The parts of the verdict that are others today. */
  readonly differences: readonly string[];
  /** What follows today; null where nothing does, because the inputs are of another kind. */
  readonly verdict: Verdict | null;
}

/** Derives a decision again from what it was derived from, and compares. */
export function replay(inputs: StoredInputs, decided: object, digest: VerdictInputs['digest']): Replay {
  let verdict: Verdict;
  try {
    verdict = evaluate(revived(inputs, digest));
  } catch {
    return { agrees: false, differences: ['inputs'], verdict: null };
  }
  const before = withContent(decided as StoredVerdict);
  const after = JSON.parse(JSON.stringify(verdict)) as Readonly<Record<string, unknown>>;
  const parts = [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted();
  const differences = parts.filter((part) => !isSame(part in before ? before[part] : [], after[part]));
  return { agrees: differences.length === 0, differences, verdict };
}

function revived(inputs: StoredInputs, digest: VerdictInputs['digest']): VerdictInputs {
  const { record, evidence, observations, acts, now } = inputs as unknown as VerdictInputs;
  const { freezes, waivers, breakGlasses } = acts ?? NO_OVERRIDES;
  return {
    record: {
      ...record,
      startedAt: dateOf(record.startedAt),
      cancelledAt: dateOf(record.cancelledAt),
      deletedAt: dateOf(record.deletedAt),
      repository: { ...record.repository, watchedHeads: record.repository.watchedHeads ?? null },
    },
    evidence: evidence.map(revivedPiece),
    observations: observations.map(revivedObservation),
    acts: { freezes, waivers: waivers.map(withDates), breakGlasses: breakGlasses.map(withDates) },
    now: new Date(now),
    digest,
  };
}

/** Facts that earlier versions kept lack conclusions and co-authors, of which their decisions knew nothing. */
function revivedObservation({ observedAt, ...known }: Observation): Observation {
  return { ...known, value: wholeValue(known), observedAt: new Date(observedAt) };
}

function wholeValue({ kind, value }: Pick<Observation, 'kind' | 'value'>): Observation['value'] {
  const withCoAuthors = (commit: CommitFact): CommitFact => ({ ...NO_CO_AUTHORS, ...commit });
  if (kind === 'checks') return (value as FactValues['checks']).map((check) => ({ ...NO_CONCLUSION, ...check }));
  if (kind === 'history') return (value as FactValues['history']).map(withCoAuthors);
  if (kind !== 'comparison') return value;
  const comparison = value as FactValues['comparison'];
  return { ...comparison, commits: comparison.commits.map(withCoAuthors) };
}

const NO_CONCLUSION = { conclusion: null };
const NO_CO_AUTHORS = { coAuthors: [] };

/** Pieces that were kept before their content was told count as not empty, as their decision took them. */
const SOME_CONTENT = { content: 1 };

type StoredVerdict = Readonly<Record<string, unknown>> & Partial<Stored<Pick<Verdict, 'decidingSet'>>>;

const withContent = ({ decidingSet, ...verdict }: StoredVerdict): Readonly<Record<string, unknown>> => ({
  ...verdict,
  ...(decidingSet && {
    decidingSet: decidingSet.map((slot) => ({
      ...slot,
      pieces: slot.pieces.map((piece) => ({ ...SOME_CONTENT, ...piece })),
    })),
  }),
});

/** Pieces that were kept before jobs were proven lack what was not known of them then. */
function revivedPiece(kept: EvidenceItem): EvidenceItem {
  const { run } = kept as { readonly run: { readonly id: string; readonly attempt?: number } | null };
  return {
    ...SOME_CONTENT,
    ...kept,
    run: run && { id: run.id, proven: kept.run?.proven ?? /^\d+$/.test(run.id) },
    attempt: kept.attempt ?? run?.attempt ?? 1,
    job: kept.job === '' ? null : kept.job,
    checkRunId: kept.checkRunId ?? null,
    jobGroup: kept.jobGroup ?? null,
    receivedAt: new Date(kept.receivedAt),
  };
}

const dateOf = (at: Date | null): Date | null => at && new Date(at);

const withDates = <A extends TwoPersonOverride>(act: A): A => ({
  ...act,
  confirmedAt: dateOf(act.confirmedAt),
  expiresAt: new Date(act.expiresAt),
});

/** Whether two values are the same JSON, whatever the order of their members. */
function isSame(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return one === other;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const [a, b] = [one as Readonly<Record<string, unknown>>, other as Readonly<Record<string, unknown>>];
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => name in b && isSame(a[name], b[name]));
}
