/** How many tests every part of a roll but the last has: few parts to a report, and few names to read for one of them. */
export const TESTS_OF_A_PART = 4_096;

/** Some of the tests of a report, one after the other. */
export interface RollPart {
  readonly tests: number;
  /** `TestMarks`, little-endian whatever the machine. */
  readonly marks: Uint8Array;
  /** The names in the same order: a JSON array, compressed with gzip. */
  readonly names: Uint8Array;
}

/** Which tests a report tells of and how they ended, as it is kept. */
export interface PackedRoll {
  /** Whether it holds all tests of the report. */
  readonly complete: boolean;
  readonly parts: readonly RollPart[];
}
