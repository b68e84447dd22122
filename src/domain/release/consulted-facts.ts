import {
  factId,
  validUntil,
  type FactKey,
  type FactKind,
  type FactValues,
  type Observation,
  type Sha,
} from './facts.js';

/**
 * Observations as a verdict reads them. It remembers each fact that was asked for, whether it was there or not: these
 * are what the verdict rests on, how long it holds, and what has to be read from the host next.
 */
export class ConsultedFacts {
  private readonly asked = new Map<string, FactKey>();
  private readonly observations: ReadonlyMap<string, Observation>;

  constructor(observations: Iterable<Observation>) {
    this.observations = new Map(Array.from(observations, (observation) => [factId(observation), observation]));
  }

  /** The fact's value, however old; undefined where it was never observed. */
  read<K extends FactKind>(kind: K, key: string): FactValues[K] | undefined {
    return this.observation(kind, key)?.value as FactValues[K] | undefined;
  }

  /** When the fact stops counting, in milliseconds since the epoch; undefined where it was never observed. */
  validUntil(kind: FactKind, key: string): number | undefined {
    const observation = this.observation(kind, key);
    return observation && validUntil(observation);
  }

  comparison(base: Sha, head: Sha): FactValues['comparison'] | undefined {
    return this.read('comparison', `${base}...${head}`);
  }

  /** Every fact that was asked for, in the order in which it was first asked for. */
  keys(): readonly FactKey[] {
    return [...this.asked.values()];
  }

  /** The facts that were asked for and never observed. */
  missing(): readonly FactKey[] {
    return this.keys().filter((key) => !this.observations.has(factId(key)));
  }

  /** The observations that were asked for, as they were given. */
  found(): readonly Observation[] {
    return this.keys().flatMap((key) => this.observations.get(factId(key)) ?? []);
  }

  /** The first moment at which one of them stops counting; the distant past where one is missing. */
  earliestExpiry(): number {
    return this.missing().length > 0 ? Number.NEGATIVE_INFINITY : Math.min(...this.found().map(validUntil));
  }

  private observation(kind: FactKind, key: string): Observation | undefined {
    const id = factId({ kind, key });
    this.asked.set(id, { kind, key });
    return this.observations.get(id);
  }
}
