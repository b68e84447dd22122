import {
  FACT_LIFETIME_MS,
  factId,
  factExpiresAt,
  type FactKey,
  type FactKind,
  type FactValues,
  type Observation,
  type Sha,
} from './facts.js';

/** The facts that a rule may read. */
export interface FactReader {
  /** Returns the value of the fact. Undefined if it is not known. */
  read<K extends FactKind>(kind: K, key: string): FactValues[K] | undefined;
  comparison(base: Sha, head: Sha): FactValues['comparison'] | undefined;
}

/**
 * Observations that record which facts a verdict reads, whether they are present or not. These reads determine what the
 * verdict depends on, how long it is valid, and what to read from GitHub next.
 */
export class TrackedFacts implements FactReader {
  private readonly used = new Map<string, FactKey>();
  private readonly outdated = new Set<string>();
  private readonly observations = new Map<string, Observation>();

  constructor(observations: Iterable<Observation>) {
    for (const observation of observations) this.observations.set(factId(observation), observation);
  }

  /** Returns the value of the fact at any age. Undefined if it was never read. */
  read<K extends FactKind>(kind: K, key: string): FactValues[K] | undefined {
    return this.observation(kind, key)?.value as FactValues[K] | undefined;
  }

  /** Returns the observation of the fact at any age. Undefined if it was never read. */
  find<K extends FactKind>(kind: K, key: string): Observation<K> | undefined {
    return this.observation(kind, key) as Observation<K> | undefined;
  }

  /** Returns the end of the fact's lifetime, in milliseconds since the epoch. Undefined if it was never read. */
  validUntil(kind: FactKind, key: string): number | undefined {
    const observation = this.observation(kind, key);
    return observation && factExpiresAt(observation);
  }

  comparison(base: Sha, head: Sha): FactValues['comparison'] | undefined {
    return this.read('comparison', `${base}...${head}`);
  }

  /**
   * Returns the facts for a decision about a past moment. An older observation that can change counts as missing, so
   * that it is read again. One that has expired by `now` is read again anyway.
   */
  withMinimumAge(moment: number, now: Date): FactReader {
    const read = <K extends FactKind>(kind: K, key: string): FactValues[K] | undefined => {
      const observation = this.observation(kind, key);
      if (!observation || FACT_LIFETIME_MS[kind] === Number.POSITIVE_INFINITY) return this.read(kind, key);
      // Compared so that NaN makes no fact known.
      if (observation.observedAt.getTime() >= moment) return this.read(kind, key);
      if (factExpiresAt(observation) > now.getTime()) this.outdated.add(factId(observation));
      return undefined;
    };
    return { read, comparison: (base, head) => this.comparison(base, head) };
  }

  /** Returns every fact that was read, in the order of the first read. */
  keys(): readonly FactKey[] {
    return [...this.used.values()];
  }

  /** Returns the facts that were read but are missing or outdated. */
  missing(): readonly FactKey[] {
    return [...this.used].filter(([id]) => !this.observations.has(id) || this.outdated.has(id)).map(([, key]) => key);
  }

  /** Returns the earliest end of a lifetime. Negative infinity if a fact is missing. */
  earliestExpiry(): number {
    if (this.outdated.size > 0) return Number.NEGATIVE_INFINITY;
    let earliest = Number.POSITIVE_INFINITY;
    for (const id of this.used.keys()) {
      const observation = this.observations.get(id);
      if (!observation) return Number.NEGATIVE_INFINITY;
      earliest = Math.min(earliest, factExpiresAt(observation));
    }
    return earliest;
  }

  private observation(kind: FactKind, key: string): Observation | undefined {
    const id = factId({ kind, key });
    if (!this.used.has(id)) this.used.set(id, { kind, key });
    return this.observations.get(id);
  }
}
