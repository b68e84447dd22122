import { FACT_LIFETIME_MS, type Observation } from '../facts/facts.js';

/** What an evidence pull request is known to be; `closed` also where it is gone. */
export const REVIEW_STATES = ['open', 'closed', 'merged', 'unknown'] as const;
export type ReviewState = (typeof REVIEW_STATES)[number];

/**
 * By what was observed of the pull request. A merge stands for good; anything else only while it is fresh, and where the
 * host was asked about it since `askedAt` only by what it said then.
 */
export function reviewStateOf(
  pull: Pick<Observation<'pull'>, 'value' | 'observedAt'> | null,
  now: Date,
  askedAt: Date | null,
): ReviewState {
  if (pull === null) return 'unknown';
  if (pull.value?.state === 'merged') return 'merged';
  const isFresh = pull.observedAt.getTime() + FACT_LIFETIME_MS.pull > now.getTime();
  if (!isFresh || (askedAt !== null && pull.observedAt < askedAt)) return 'unknown';
  return pull.value === null ? 'closed' : pull.value.state;
}
