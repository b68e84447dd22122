import { beforeEach, describe, expect, it } from '@jest/globals';
import type { QueryKey } from '@tanstack/react-query';
import { Invalidator } from './invalidator.js';

/** Timers that run when the test passes time. */
class Timers {
  private now = 0;
  private readonly waiting: { readonly at: number; readonly run: () => void }[] = [];

  readonly runLater = (run: () => void, ms: number): void => void this.waiting.push({ at: this.now + ms, run });

  pass(ms: number): void {
    const end = this.now + ms;
    for (;;) {
      this.waiting.sort((a, b) => a.at - b.at);
      if ((this.waiting[0]?.at ?? Infinity) > end) break;
      const next = this.waiting.shift();
      this.now = next?.at ?? end;
      next?.run();
    }
    this.now = end;
  }
}

let timers: Timers;
let invalidated: QueryKey[];
let fetching: number;
let invalidator: Invalidator;

beforeEach(() => {
  timers = new Timers();
  invalidated = [];
  fetching = 0;
  const client = {
    invalidateQueries: ({ queryKey = [] }: { readonly queryKey?: QueryKey } = {}) => {
      invalidated.push(queryKey);
      return Promise.resolve();
    },
    isFetching: () => fetching,
  };
  invalidator = new Invalidator(client, timers.runLater);
});

describe('Invalidator', () => {
  it('invalidates at once', () => {
    invalidator.invalidate(['releases']);
    expect(invalidated).toEqual([['releases']]);
  });

  it('invalidates once more for all events of a pause', () => {
    for (let event = 0; event < 30; event += 1) invalidator.invalidate(['releases']);
    expect(invalidated).toHaveLength(1);
    timers.pass(2_000);
    expect(invalidated).toHaveLength(2);
    timers.pass(60_000);
    expect(invalidated).toHaveLength(2);
  });

  it('reads one release at most every five seconds', () => {
    invalidator.invalidate(['release', 'm1']);
    invalidator.invalidate(['release', 'm1']);
    timers.pass(4_999);
    expect(invalidated).toHaveLength(1);
    timers.pass(1);
    expect(invalidated).toHaveLength(2);
  });

  it('does not make one key wait for another', () => {
    invalidator.invalidate(['release', 'm1']);
    invalidator.invalidate(['release', 'm2']);
    expect(invalidated).toEqual([
      ['release', 'm1'],
      ['release', 'm2'],
    ]);
  });

  it('reads a query again that was loading when the event came', () => {
    fetching = 1;
    invalidator.invalidate(['releases']);
    expect(invalidated).toEqual([]);
    fetching = 0;
    timers.pass(2_000);
    expect(invalidated).toEqual([['releases']]);
  });
});
