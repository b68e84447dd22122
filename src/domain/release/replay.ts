import type { EvidenceItem } from '../evidence/evidence.js';
import type { CommitFact, FactValues, Observation } from '../facts/facts.js';
import { NO_OVERRIDES, type OverrideRequest } from '../override/override.js';
import { evaluate, type Verdict, type VerdictInputs } from './evaluate.js';

/** The type of a value after it was stored as JSON. */
export type Stored<T> = T extends Date
  ? string
  : T extends readonly (infer Item)[]
    ? readonly Stored<Item>[]
    : T extends object
      ? { readonly [K in keyof T]: Stored<T[K]> }
      : T;

/**
 * The format of new decisions. Decisions without a format are of the first one, whose conditions have other sentences. They are
 * compared without their sentences.
 */
const DECISION_FORMAT = 2;

/** The stored inputs of a decision. Old decisions have no `acts` and no format. */
export type StoredInputs = Stored<Omit<VerdictInputs, 'digest' | 'acts'>> &
  Partial<Stored<Pick<VerdictInputs, 'acts'>>> & { readonly format?: typeof DECISION_FORMAT };

/** Returns the inputs in the form in which a decision stores them. */
export const toStoredInputs = ({ record, evidence, observations, acts, now }: VerdictInputs): object => ({
  format: DECISION_FORMAT,
  record,
  evidence,
  observations,
  acts,
  now,
});

export interface Replay {
  /** Whether the current rules give the same verdict for the inputs. */
  readonly agrees: boolean;
  /** The names of the verdict properties that differ. */
  readonly differences: readonly string[];
  /** The verdict by the current rules. Null if the rules cannot read the stored inputs. */
  readonly verdict: Verdict | null;
}

/** Evaluates the stored inputs of a decision again and compares the verdicts. */
export function replay(inputs: StoredInputs, decided: object, digest: VerdictInputs['digest']): Replay {
  let verdict: Verdict;
  try {
    verdict = evaluate(reviveInputs(inputs, digest));
  } catch {
    return { agrees: false, differences: ['inputs'], verdict: null };
  }
  const comparable = inputs.format === DECISION_FORMAT ? (part: unknown) => part : withoutSentences;
  const before = comparable(withContent(decided as StoredVerdict)) as Readonly<Record<string, unknown>>;
  const after = comparable(JSON.parse(JSON.stringify(verdict))) as Readonly<Record<string, unknown>>;
  const parts = [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted();
  const differences = parts.filter((part) => !isSame(part in before ? before[part] : [], after[part]));
  return { agrees: differences.length === 0, differences, verdict };
}

function reviveInputs(inputs: StoredInputs, digest: VerdictInputs['digest']): VerdictInputs {
  const { record, evidence, observations, acts, now } = inputs as unknown as VerdictInputs;
  const { freezes, waivers, breakGlasses } = acts ?? NO_OVERRIDES;
  return {
    record: {
      ...record,
      startedAt: toDate(record.startedAt),
      cancelledAt: toDate(record.cancelledAt),
      deletedAt: toDate(record.deletedAt),
      repository: { ...record.repository, watchedHeads: record.repository.watchedHeads ?? null },
    },
    evidence: evidence.map(reviveItem),
    observations: observations.map(reviveObservation),
    acts: { freezes, waivers: waivers.map(withDates), breakGlasses: breakGlasses.map(withDates) },
    now: new Date(now),
    digest,
  };
}

/**
 * Facts of earlier versions have no conclusions and no co-authors. Their decisions did not use them, so defaults are
 * added.
 */
function reviveObservation({ observedAt, ...known }: Observation): Observation {
  return { ...known, value: completeValue(known), observedAt: new Date(observedAt) };
}

function completeValue({ kind, value }: Pick<Observation, 'kind' | 'value'>): Observation['value'] {
  const withCoAuthors = (commit: CommitFact): CommitFact => ({ ...NO_CO_AUTHORS, ...commit });
  if (kind === 'checks') return (value as FactValues['checks']).map((check) => ({ ...NO_CONCLUSION, ...check }));
  if (kind === 'history') return (value as FactValues['history']).map(withCoAuthors);
  if (kind !== 'comparison') return value;
  const comparison = value as FactValues['comparison'];
  return { ...comparison, commits: comparison.commits.map(withCoAuthors) };
}

const NO_CONCLUSION = { conclusion: null };
const NO_CO_AUTHORS = { coAuthors: [] };

/** Old evidence items have no content size. Their decisions treated them as not empty. */
const SOME_CONTENT = { content: 1 };

type StoredVerdict = Readonly<Record<string, unknown>> & Partial<Stored<Pick<Verdict, 'decidingSet'>>>;

const withContent = ({ decidingSet, ...verdict }: StoredVerdict): Readonly<Record<string, unknown>> => ({
  ...verdict,
  ...(decidingSet && {
    decidingSet: decidingSet.map((group) => ({
      ...group,
      pieces: group.pieces.map((item) => ({ ...SOME_CONTENT, ...item })),
    })),
  }),
});

/** Adds defaults to evidence items that were stored before identity tokens proved the job. */
function reviveItem(stored: EvidenceItem): EvidenceItem {
  const { run } = stored as { readonly run: { readonly id: string; readonly attempt?: number } | null };
  return {
    ...SOME_CONTENT,
    ...stored,
    run: run && { id: run.id, proven: stored.run?.proven ?? /^\d+$/.test(run.id) },
    attempt: stored.attempt ?? run?.attempt ?? 1,
    job: stored.job === '' ? null : stored.job,
    checkRunId: stored.checkRunId ?? null,
    jobGroup: stored.jobGroup ?? null,
    receivedAt: new Date(stored.receivedAt),
  };
}

const toDate = (at: Date | null): Date | null => at && new Date(at);

const withDates = <A extends OverrideRequest>(act: A): A => ({
  ...act,
  confirmedAt: toDate(act.confirmedAt),
  expiresAt: new Date(act.expiresAt),
});

/** Returns a JSON value without the sentences of its conditions. */
function withoutSentences(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutSentences);
  const isCondition = 'code' in value && 'actor' in value;
  const members = Object.entries(value).filter(([name]) => !(isCondition && name === 'detail'));
  return Object.fromEntries(members.map(([name, member]) => [name, withoutSentences(member)]));
}

/** Returns whether two JSON values are equal. The order of members does not count. */
function isSame(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return one === other;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const [a, b] = [one as Readonly<Record<string, unknown>>, other as Readonly<Record<string, unknown>>];
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => name in b && isSame(a[name], b[name]));
}
