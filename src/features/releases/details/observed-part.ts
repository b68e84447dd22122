import {
  validUntil,
  type FactKey,
  type FactKind,
  type FactValues,
  type Observation,
} from '../../../domain/facts/facts.js';

/** What was observed of a part of a release, and whether it can still be taken for what is. */
export interface ObservedPart<T> {
  readonly status: 'current' | 'unknown';
  /** Why it is unknown: a sentence; null where it is not. */
  readonly reason: string | null;
  /** Null where it was never read. */
  readonly observedAt: Date | null;
  /** As it was observed, also where that is too old; null where it was never read. */
  readonly value: T | null;
}

/** A part of a release as one of the observations tells it. */
export function partOf<K extends FactKind>(
  observations: readonly Observation[],
  { kind, key }: FactKey<K>,
  now: Date,
): ObservedPart<FactValues[K]> {
  const found = observations.find((one) => one.kind === kind && one.key === key);
  if (!found) return { status: 'unknown', reason: 'It was not read yet.', observedAt: null, value: null };
  const { observedAt } = found;
  const value = found.value as FactValues[K];
  return validUntil(found) > now.getTime()
    ? { status: 'current', reason: null, observedAt, value }
    : { status: 'unknown', reason: 'What GitHub said of it is too old to rest on.', observedAt, value };
}
