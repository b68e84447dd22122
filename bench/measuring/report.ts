import type { Measurement } from './load.js';
import { median } from './median.js';

/** A participant of a comparison with the measurement of each round. */
export interface Measured {
  readonly name: string;
  readonly rounds: readonly Measurement[];
}

/** Returns the median ratio of two participants over the same rounds, so that a slow minute of the machine has no effect. */
export const ratio = (one: Measured, other: Measured, of: keyof Measurement): number =>
  median(one.rounds.map((round, at) => round[of] / (other.rounds[at]?.[of] ?? Number.NaN)));

/** Formats a table row: requests per second and milliseconds, medians over the rounds. */
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

/** Formats a result with its target. */
export const formatResult = (what: string, reached: number, target: string): string =>
  `${what.padEnd(60)} ${reached.toFixed(2)}  (target: ${target})`;
