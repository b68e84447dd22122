import { NO_ACTS } from '../override/override.js';
import type { TwoPersonAct } from '../override/two-person-act.js';
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
  const before = decided as Readonly<Record<string, unknown>>;
  const after = JSON.parse(JSON.stringify(verdict)) as Readonly<Record<string, unknown>>;
  const parts = [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted();
  const differences = parts.filter((part) => !isSame(part in before ? before[part] : [], after[part]));
  return { agrees: differences.length === 0, differences, verdict };
}

function revived(inputs: StoredInputs, digest: VerdictInputs['digest']): VerdictInputs {
  const { record, evidence, observations, acts, now } = inputs as unknown as VerdictInputs;
  const { freezes, waivers, breakGlasses } = acts ?? NO_ACTS;
  return {
    record: {
      ...record,
      startedAt: dateOf(record.startedAt),
      cancelledAt: dateOf(record.cancelledAt),
      deletedAt: dateOf(record.deletedAt),
      repository: { ...record.repository, watchedHeads: record.repository.watchedHeads ?? null },
    },
    evidence: evidence.map((piece) => ({ ...piece, receivedAt: new Date(piece.receivedAt) })),
    observations: observations.map((known) => ({ ...known, observedAt: new Date(known.observedAt) })),
    acts: { freezes, waivers: waivers.map(withDates), breakGlasses: breakGlasses.map(withDates) },
    now: new Date(now),
    digest,
  };
}

const dateOf = (at: Date | null): Date | null => at && new Date(at);

const withDates = <A extends TwoPersonAct>(act: A): A => ({
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
