/** What reading the file took. */
export interface Reading {
  readonly milliseconds: number;
  readonly cases: number;
  /** What the process held at most beyond what it held before. */
  readonly grownBytes: number;
}

/** How the service fared since it was asked last; any message asks. */
export interface Fared {
  /** Since its start. */
  readonly peakBytes: number;
  readonly residentBytes: number;
  /** The longest time in which its event loop did nothing for anybody. */
  readonly stallMs: number;
}
