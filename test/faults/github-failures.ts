import type { FaultSpec } from '../github-sim/faults.js';

type FaultWay = FaultSpec extends infer F ? (F extends FaultSpec ? Omit<F, 'match' | 'times'> : never) : never;

/** A kind of failure of GitHub. */
export interface GitHubFailure {
  readonly name: string;
  readonly way: FaultWay;
  /** How often it happens before GitHub recovers. */
  readonly times: number;
  /** Whether GitHub requests a pause. Then no call is allowed until it has recovered. */
  readonly requestsPause: boolean;
}

const ALWAYS = 1_000;

/** The failures that the quick tests also try. */
export const COMMON_FAILURES: readonly GitHubFailure[] = [
  { name: 'a 502', way: { kind: '5xx' }, times: ALWAYS, requestsPause: false },
  {
    name: 'a 503 that asks for a pause',
    way: { kind: '5xx', status: 503, retryAfterS: 120 },
    times: 1,
    requestsPause: true,
  },
  { name: 'an answer that breaks off', way: { kind: 'truncate' }, times: ALWAYS, requestsPause: false },
  { name: 'the primary limit', way: { kind: 'primary-limit' }, times: 1, requestsPause: true },
];

export const RARE_FAILURES: readonly GitHubFailure[] = [
  { name: 'a 500', way: { kind: '5xx', status: 500 }, times: ALWAYS, requestsPause: false },
  {
    name: 'a 504 after the work',
    way: { kind: '5xx', status: 504, afterWork: true },
    times: ALWAYS,
    requestsPause: false,
  },
  { name: 'a connection that drops', way: { kind: 'drop' }, times: ALWAYS, requestsPause: false },
  { name: 'a dropped answer', way: { kind: 'drop', afterWork: true }, times: ALWAYS, requestsPause: false },
  { name: 'a secondary limit', way: { kind: 'secondary-limit', retryAfterS: 120 }, times: 1, requestsPause: true },
  {
    name: 'a secondary limit without a time',
    way: { kind: 'secondary-limit', retryAfterS: null },
    times: 1,
    requestsPause: true,
  },
  { name: 'silence', way: { kind: 'delay', ms: 11_000 }, times: ALWAYS, requestsPause: false },
];

/** A response after the time limit of the gate, and before the time limit of the calls. */
export const SLOWNESS: GitHubFailure = {
  name: 'an answer that comes too late',
  way: { kind: 'delay', ms: 8_000 },
  times: ALWAYS,
  requestsPause: false,
};
