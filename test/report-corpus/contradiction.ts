/**
 * The two readings of one statement of a report. `bad` is worse for the release: a failure, a graver finding, fewer
 * covered lines or fewer components.
 */
export type Reading = 'good' | 'bad';

/** Two places of one report that can contradict each other. */
export interface Contradiction {
  /** The name of the format. */
  readonly format: string;
  /** Both places, as the table in `docs/features/report-formats.md` names them. */
  readonly pair: string;
  /** Writes a report whose places have these readings. With `good` twice the report is consistent and passes. */
  write(first: Reading, second: Reading): string | Uint8Array;
  /**
   * Set if the specification says that one place outranks the other. Then the report counts by that place, and the
   * difference is only flagged.
   */
  readonly outranks?: 'first' | 'second';
  /** Set if both places count each for itself, so that there is no difference to show. */
  readonly bothCount?: true;
}

/** Returns the text of the reading. */
export const pick = (reading: Reading, good: string, bad: string): string => (reading === 'good' ? good : bad);
