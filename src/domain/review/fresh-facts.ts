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

/** Why a fact does not count: it was never read, too long ago, or the host was asked about it now and did not say in time. */
export type StaleReason = 'unread' | 'old' | 'untold';

/**
 * The facts by which a person is told now whether they may review. Whether the pull request is open counts as long as
 * what they may do: an answer is given of one moment.
 */
export class FreshFacts implements FactReader {
  private readonly observations: ReadonlyMap<string, Observation>;

  /** `askedAt` is when the host was asked about all of them: what it did not tell since counts no more. Null where it was not. */
  constructor(
    observations: Iterable<Observation>,
    private readonly now: Date,
    private readonly askedAt: Date | null = null,
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

  /** Null where the fact counts. */
  findStaleReason({ kind, key }: FactKey): StaleReason | null {
    const observation = this.observations.get(factId({ kind, key }));
    if (!observation) return this.askedAt === null ? 'unread' : 'untold';
    if (isForGood(observation)) return null;
    const { observedAt } = observation;
    if (this.askedAt !== null && observedAt < this.askedAt) return 'untold';
    return observedAt.getTime() + factLifetimeMs(kind) > this.now.getTime() ? null : 'old';
  }
}

/** How long a fact tells a person whether they may review, in milliseconds. */
export const factLifetimeMs = (kind: FactKind): number =>
  kind === 'pull' ? FACT_LIFETIME_MS.permission : FACT_LIFETIME_MS[kind];

/** What the host never takes back: how commits differ, and a merge. */
const isForGood = ({ kind, value }: Observation): boolean =>
  FACT_LIFETIME_MS[kind] === Number.POSITIVE_INFINITY ||
  (kind === 'pull' && (value as PullFact | null)?.state === 'merged');
