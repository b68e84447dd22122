import { createHash } from 'node:crypto';

/** Choices that a seed determines. */
export class RandomOrder {
  private choices = 0;

  constructor(private readonly seed: string) {}

  /** Whether an event of this likelihood happens. */
  happens(likelihood: number): boolean {
    return this.below(1_000_000) < likelihood * 1_000_000;
  }

  shuffle<T>(items: readonly T[]): readonly T[] {
    const shuffled = [...items];
    for (let last = shuffled.length - 1; last > 0; last -= 1) {
      const other = this.below(last + 1);
      [shuffled[last], shuffled[other]] = [shuffled[other]!, shuffled[last]!];
    }
    return shuffled;
  }

  private below(limit: number): number {
    this.choices += 1;
    return createHash('sha256').update(`${this.seed} ${this.choices}`).digest().readUInt32BE() % limit;
  }
}
