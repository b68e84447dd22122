import type { Measurement } from './load.js';
import { median } from './median.js';

/** Whoever takes part in a comparison, with what each round of it has shown. */
export interface Measured {
  readonly name: string;
  readonly rounds: readonly Measurement[];
}

/** The median of what each round of one was to the same round of the other, so that a slow minute of the machine cancels out. */
export const ratio = (one: Measured, other: Measured, of: keyof Measurement): number =>
  median(one.rounds.map((round, at) => round[of] / (other.rounds[at]?.[of] ?? Number.NaN)));

/** A line of the table: requests per second and milliseconds, medians over the rounds. */
export function line({ name, rounds }: Measured): string {
  const [rate, p50, p99] = (['requestsPerSecond', 'p50', 'p99'] as const).map((of) =>
    median(rounds.map((round) => round[of])),
  );
  return [name.padEnd(44), rate!.toFixed(0).padStart(7), p50!.toFixed(1).padStart(8), p99!.toFixed(1).padStart(8)].join(
    ' ',
  );
}

export const HEADING = ['', 'req/s', 'p50 ms', 'p99 ms']
  .map((title, at) => (at === 0 ? title.padEnd(44) : title.padStart(at === 1 ? 7 : 8)))
  .join(' ');

/** One ratio beside what it is meant to be. */
export const aim = (what: string, reached: number, wanted: string): string =>
  `${what.padEnd(60)} ${reached.toFixed(2)}  (aim: ${wanted})`;
