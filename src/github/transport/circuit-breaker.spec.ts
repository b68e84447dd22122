import { beforeEach, describe, expect, it } from '@jest/globals';
import { FixedClock } from '../../../test/support/fixed-clock.js';
import { type CircuitCall, CircuitBreakers } from './circuit-breaker.js';
import { GitHubError, type GitHubErrorKind } from './github-error.js';

const ACME = 'installation:7';
const PULLS: CircuitCall = { budget: ACME, address: 'GET /repos/acme/app/pulls' };
const ISSUES: CircuitCall = { budget: ACME, address: 'GET /repos/acme/app/issues' };
const ELSEWHERE: CircuitCall = { budget: 'installation:8', address: PULLS.address };

describe('Circuits', () => {
  let clock: FixedClock;
  let circuits: CircuitBreakers;
  let calls: number;
  beforeEach(() => {
    clock = new FixedClock();
    circuits = new CircuitBreakers(clock);
    calls = 0;
  });

  const answered = (call = PULLS): Promise<string> =>
    circuits.run(call, async () => {
      calls += 1;
      return 'answer';
    });
  const failed = async (call = PULLS, kind: GitHubErrorKind = 'unavailable', signal?: AbortSignal): Promise<unknown> =>
    circuits
      .run(
        call,
        async () => {
          calls += 1;
          throw new GitHubError(kind, 'as the test wants it');
        },
        signal,
      )
      .catch((error: unknown) => error);
  /** Failures of two addresses in turn. */
  const failedTimes = async (times: number, kind?: GitHubErrorKind): Promise<void> => {
    for (let time = 0; time < times; time += 1) await failed(time % 2 === 0 ? PULLS : ISSUES, kind);
  };
  const inSeconds = (seconds: number): Date => new Date(clock.now().getTime() + seconds * 1000);
  const state = (): string => circuits.getStatus(ACME).state;

  it.each([
    ['unavailable', 6],
    ['malformed', 6],
    ['timeout', 2],
  ] as const)('open after failures in a row: %s %d times', async (kind, times) => {
    await failedTimes(times - 1, kind);
    expect(state()).toBe('closed');
    await failed(ISSUES, kind);
    expect(circuits.getStatus(ACME)).toEqual({ state: 'open', openUntil: inSeconds(5) });
    await expect(answered()).rejects.toMatchObject({ kind: 'unavailable', retryAt: inSeconds(5) });
    expect(() => circuits.assertBudgetClosed(ACME)).toThrow(/installation:7/);
    expect(calls).toBe(times);
  });

  it.each(['not_found', 'forbidden', 'conflict', 'invalid', 'unauthorized', 'rate_limited'] as const)(
    'count a rejection as a response and stay closed: %s',
    async (kind) => {
      await failedTimes(5);
      await failed(PULLS, kind);
      await failedTimes(5);
      expect(state()).toBe('closed');
    },
  );

  it('remain closed if a response came in between', async () => {
    await failedTimes(5);
    await answered();
    await failedTimes(5);
    expect(state()).toBe('closed');
  });

  it('remain closed if failures are far apart', async () => {
    await failedTimes(5);
    clock.advance(60_001);
    await failed();
    expect(state()).toBe('closed');
  });

  it('concern only one budget', async () => {
    await failedTimes(6);
    await expect(answered(ELSEWHERE)).resolves.toBe('answer');
    expect(state()).toBe('open');
  });

  it('reject calls to the only address that fails, and no others', async () => {
    for (let time = 0; time < 6; time += 1) await failed(PULLS);
    expect(state()).toBe('closed');
    expect(circuits.countBrokenAddresses(ACME)).toBe(1);
    await expect(answered(PULLS)).rejects.toMatchObject({ retryAt: inSeconds(5) });
    await expect(answered(ISSUES)).resolves.toBe('answer');
    await expect(answered({ ...ELSEWHERE, address: PULLS.address })).resolves.toBe('answer');
    clock.advance(5_000);
    await expect(answered(PULLS)).resolves.toBe('answer');
    expect(circuits.countBrokenAddresses(ACME)).toBe(0);
  });

  it('close with the first answered call after the pause', async () => {
    await failedTimes(6);
    clock.advance(5_000);
    expect(circuits.getStatus(ACME)).toEqual({ state: 'half_open', openUntil: null });
    await expect(answered()).resolves.toBe('answer');
    expect(state()).toBe('closed');
    expect(circuits.listTripped()).toEqual([]);
    await failedTimes(5);
    expect(state()).toBe('closed');
  });

  it('allow one trial call, and reject the others meanwhile', async () => {
    await failedTimes(6);
    clock.advance(5_000);
    let end: () => void = () => undefined;
    const trial = circuits.run(PULLS, () => new Promise<void>((resolve) => (end = resolve)));
    await expect(answered(ISSUES)).rejects.toMatchObject({ kind: 'unavailable' });
    end();
    await trial;
    await expect(answered(ISSUES)).resolves.toBe('answer');
  });

  it('pause twice as long after each trial that fails, a minute at most', async () => {
    await failedTimes(6);
    const pauses: number[] = [];
    const left = (): number => (circuits.getStatus(ACME).openUntil?.getTime() ?? 0) - clock.now().getTime();
    for (let trials = 0; trials < 6; trials += 1) {
      clock.advance(left());
      await failed();
      pauses.push(left() / 1000);
    }
    expect(pauses).toEqual([10, 20, 40, 60, 60, 60]);
  });

  it('ignore callers that stopped waiting, and allow another trial after the pause', async () => {
    await failedTimes(5);
    await failed(ISSUES, 'timeout', AbortSignal.abort());
    expect(state()).toBe('closed');
    await failed(ISSUES);
    clock.advance(5_000);
    await failed(PULLS, 'timeout', AbortSignal.abort());
    expect(state()).toBe('open');
    clock.advance(5_000);
    await expect(answered()).resolves.toBe('answer');
  });

  it('count failures of calls from before they opened as one failure', async () => {
    const fails: (() => void)[] = [];
    const silent = (): Promise<never> =>
      new Promise((_, reject) => fails.push(() => reject(new GitHubError('timeout', 'silence'))));
    const together = Array.from({ length: 16 }, (_, index) =>
      circuits.run(index % 2 === 0 ? PULLS : ISSUES, silent).catch(() => undefined),
    );
    for (const fail of fails) fail();
    await Promise.all(together);
    expect(circuits.getStatus(ACME)).toEqual({ state: 'open', openUntil: inSeconds(5) });
  });

  it('are not open for longer if the clock is set back', async () => {
    await failedTimes(6);
    clock.advance(-3_600_000);
    await expect(answered()).resolves.toBe('answer');
  });

  it('do not report calls with the token of a user', async () => {
    const personal = { ...PULLS, budget: 'user:0123' };
    for (let time = 0; time < 6; time += 1) await failed(personal);
    await expect(answered(personal)).rejects.toMatchObject({ kind: 'unavailable' });
    expect(circuits.listTripped()).toEqual([]);
  });

  it('are deleted after ten minutes without a call', async () => {
    await failed(ELSEWHERE);
    await failedTimes(6);
    clock.advance(60_001);
    await failed({ ...PULLS, budget: 'installation:9' });
    expect(circuits.listTripped()).toEqual([ACME, 'installation:9']);
    clock.advance(605_000);
    await failed({ ...PULLS, budget: 'installation:9' });
    expect(circuits.listTripped()).toEqual(['installation:9']);
    expect(circuits).toHaveProperty('addresses.size', 1);
  });
});
