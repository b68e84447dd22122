/** The result of parsing the file. */
export interface ParseResult {
  readonly milliseconds: number;
  readonly cases: number;
  /** The peak memory of the process above that before. */
  readonly grownBytes: number;
}

/** The memory use and stalls of the service since the last message. Any message requests it. */
export interface ServiceUsage {
  /** Since the start of the service. */
  readonly peakBytes: number;
  readonly residentBytes: number;
  /** The longest time in which the event loop was blocked. */
  readonly stallMs: number;
}
