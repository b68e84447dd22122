import {
  FACT_LIFETIME_MS,
  factId,
  type FactKey,
  type FactKind,
  type FactValues,
  type Observation,
  type PullFact,
  type Sha,
} from '../facts/facts.js';
import type { FactReader } from '../facts/tracked-facts.js';

/** Why a fact is not fresh: it was never read, it is too old, or GitHub did not answer the current request in time. */
export type StaleReason = 'unread' | 'old' | 'unanswered';

/**
 * Fresh facts for the eligibility of a user. The state of the pull request has the same lifetime as permissions, so
 * that the answer describes one moment.
 */
export class FreshFacts implements FactReader {
  private readonly observations: ReadonlyMap<string, Observation>;

  /**
   * `requestedAt` is the time of the request for all of the facts. Facts that were read before it do not count. Null if
   * there was no request.
   */
  constructor(
    observations: Iterable<Observation>,
    private readonly now: Date,
    private readonly requestedAt: Date | null = null,
  ) {
    this.observations = new Map(Array.from(observations, (observation) => [factId(observation), observation]));
  }

  read<K extends FactKind>(kind: K, key: string): FactValues[K] | undefined {
    return this.findStaleReason({ kind, key }) === null
      ? (this.observations.get(factId({ kind, key }))?.value as FactValues[K])
      : undefined;
  }

  comparison(base: Sha, head: Sha): FactValues['comparison'] | undefined {
    return this.read('comparison', `${base}...${head}`);
  }

  /** Returns why the fact does not count. Null if it counts. */
  findStaleReason({ kind, key }: FactKey): StaleReason | null {
    const observation = this.observations.get(factId({ kind, key }));
    if (!observation) return this.requestedAt === null ? 'unread' : 'unanswered';
    if (isImmutable(observation)) return null;
    const { observedAt } = observation;
    if (this.requestedAt !== null && observedAt < this.requestedAt) return 'unanswered';
    return observedAt.getTime() + factLifetimeMs(kind) > this.now.getTime() ? null : 'old';
  }
}

/** Returns how long a fact counts for eligibility, in milliseconds. */
export const factLifetimeMs = (kind: FactKind): number =>
  kind === 'pull' ? FACT_LIFETIME_MS.permission : FACT_LIFETIME_MS[kind];

/** Whether the fact can never change: the difference of two commits, or a merge. */
const isImmutable = ({ kind, value }: Observation): boolean =>
  FACT_LIFETIME_MS[kind] === Number.POSITIVE_INFINITY ||
  (kind === 'pull' && (value as PullFact | null)?.state === 'merged');
