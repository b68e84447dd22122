import {
  FACT_LIFETIME_MS,
  factId,
  isComplete,
  factExpiresAt,
  type FactKey,
  type FactKind,
  type FactValues,
  type Observation,
  type Sha,
} from './facts.js';

/** The facts that a rule may look at. */
export interface FactReader {
  /** The fact's value; undefined where it is not known. */
  read<K extends FactKind>(kind: K, key: string): FactValues[K] | undefined;
  comparison(base: Sha, head: Sha): FactValues['comparison'] | undefined;
}

/**
 * Observations as a verdict reads them. It remembers each fact that was asked for, whether it was there or not: these
 * are what the verdict rests on, how long it holds, and what has to be read from the host next.
 */
export class TrackedFacts implements FactReader {
  private readonly asked = new Map<string, FactKey>();
  private readonly outdated = new Set<string>();
  private readonly observations: ReadonlyMap<string, Observation>;

  constructor(observations: Iterable<Observation>) {
    // One that lacks what the rules ask for counts as never made, so it opens nothing and is read anew.
    const complete = [...observations].filter(isComplete);
    this.observations = new Map(complete.map((observation) => [factId(observation), observation]));
  }

  /** The fact's value, however old; undefined where it was never observed. */
  read<K extends FactKind>(kind: K, key: string): FactValues[K] | undefined {
    return this.observation(kind, key)?.value as FactValues[K] | undefined;
  }

  /** When the fact stops counting, in milliseconds since the epoch; undefined where it was never observed. */
  validUntil(kind: FactKind, key: string): number | undefined {
    const observation = this.observation(kind, key);
    return observation && factExpiresAt(observation);
  }

  comparison(base: Sha, head: Sha): FactValues['comparison'] | undefined {
    return this.read('comparison', `${base}...${head}`);
  }

  /**
   * The same facts for a question about a moment that has passed: what was observed before it and may have changed
   * since is not known. It counts as missing, so that it is read anew, unless it has expired by `now` and is read anew
   * anyway.
   */
  withMinimumAge(moment: number, now: Date): FactReader {
    const read = <K extends FactKind>(kind: K, key: string): FactValues[K] | undefined => {
      const observation = this.observation(kind, key);
      if (!observation || FACT_LIFETIME_MS[kind] === Number.POSITIVE_INFINITY) return this.read(kind, key);
      // Asked the way round in which a moment that is none makes nothing known.
      if (observation.observedAt.getTime() >= moment) return this.read(kind, key);
      if (factExpiresAt(observation) > now.getTime()) this.outdated.add(factId(observation));
      return undefined;
    };
    return { read, comparison: (base, head) => this.comparison(base, head) };
  }

  /** Has a fact read anew although it has not expired: it lacks what is asked of it now. */
  outdate(key: FactKey): void {
    this.outdated.add(factId(key));
  }

  /** Every fact that was asked for, in the order in which it was first asked for. */
  keys(): readonly FactKey[] {
    return [...this.asked.values()];
  }

  /** The facts that were asked for and never observed, or lack what was asked of them. */
  missing(): readonly FactKey[] {
    return this.keys().filter((key) => !this.observations.has(factId(key)) || this.outdated.has(factId(key)));
  }

  /** The first moment at which one of them stops counting; the distant past where one is missing. */
  earliestExpiry(): number {
    return this.keys().reduce(
      (earliest, { kind, key }) => Math.min(earliest, this.validUntil(kind, key) ?? Number.NEGATIVE_INFINITY),
      this.outdated.size > 0 ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY,
    );
  }

  private observation(kind: FactKind, key: string): Observation | undefined {
    const id = factId({ kind, key });
    this.asked.set(id, { kind, key });
    return this.observations.get(id);
  }
}
