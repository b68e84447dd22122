/** How long clients may take, in milliseconds. */
export interface ConnectionTimings {
  /** The head of a request. */
  readonly headersMs: number;
  /** Between two bytes of a body. */
  readonly bodyIdleMs: number;
  /** A request whole, but for an upload whose sender was let in. */
  readonly requestMs: number;
  /** Such an upload. */
  readonly uploadMs: number;
  /** What is still arriving when the service begins to stop. */
  readonly stoppingMs: number;
  /** Between two moments in which some of an answer is taken. */
  readonly answerIdleMs: number;
  /** Between two requests of a connection. */
  readonly keepAliveMs: number;
  /** How often is looked whether one of these is over. */
  readonly checkMs: number;
}

export const CONNECTION_TIMINGS: ConnectionTimings = {
  headersMs: 10_000,
  bodyIdleMs: 10_000,
  requestMs: 15_000,
  uploadMs: 300_000,
  stoppingMs: 12_000,
  answerIdleMs: 30_000,
  keepAliveMs: 65_000,
  checkMs: 1_000,
};
