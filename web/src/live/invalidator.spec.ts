import { beforeEach, describe, expect, it } from '@jest/globals';
import { QueryClient, QueryObserver, type QueryKey } from '@tanstack/react-query';
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
let client: QueryClient;
let invalidated: QueryKey[];
let invalidator: Invalidator;

beforeEach(() => {
  timers = new Timers();
  invalidated = [];
  client = new QueryClient({ defaultOptions: { queries: { gcTime: Infinity } } });
  client.getQueryCache().subscribe((event) => {
    if (event.type === 'updated' && event.action.type === 'invalidate') invalidated.push(event.query.queryKey);
  });
  invalidator = new Invalidator(client, timers.runLater);
});

/** Stores an answer. A query is marked as outdated once, until it is read again. */
const answer = (...queryKey: readonly string[]): void => void client.setQueryData(queryKey, 'an answer');

/** The notifications of a cache come a little later. */
const passNotifications = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 10));

describe('Invalidator', () => {
  it('invalidates at once', async () => {
    answer('releases', 'list');
    invalidator.invalidate(['releases']);
    await passNotifications();
    expect(invalidated).toEqual([['releases', 'list']]);
  });

  it('invalidates once more for all events of a pause', async () => {
    for (let event = 0; event < 30; event += 1) {
      answer('releases', 'list');
      invalidator.invalidate(['releases']);
    }
    await passNotifications();
    expect(invalidated).toHaveLength(1);
    timers.pass(2_000);
    await passNotifications();
    expect(invalidated).toHaveLength(2);
    answer('releases', 'list');
    timers.pass(60_000);
    await passNotifications();
    expect(invalidated).toHaveLength(2);
  });

  it('reads one release at most every three seconds', async () => {
    for (let event = 0; event < 2; event += 1) {
      answer('release', 'm1', 'stored');
      invalidator.invalidate(['release', 'm1']);
    }
    answer('release', 'm1', 'stored');
    timers.pass(2_999);
    await passNotifications();
    expect(invalidated).toHaveLength(1);
    timers.pass(1);
    await passNotifications();
    expect(invalidated).toHaveLength(2);
  });

  it('does not make one key wait for another', async () => {
    answer('release', 'm1');
    answer('release', 'm2');
    invalidator.invalidate(['release', 'm1']);
    invalidator.invalidate(['release', 'm2']);
    await passNotifications();
    expect(invalidated).toEqual([
      ['release', 'm1'],
      ['release', 'm2'],
    ]);
  });

  it('reads a query again that was loading when the event came, as soon as it is loaded', async () => {
    answer('releases', 'list');
    let finish: (value: string) => void = () => undefined;
    const read = client.fetchQuery({
      queryKey: ['releases', 'open'],
      queryFn: () => new Promise<string>((resolve) => (finish = resolve)),
    });
    invalidator.invalidate(['releases']);
    await passNotifications();
    expect(invalidated).toEqual([['releases', 'list']]);
    finish('an answer from before the event');
    await read;
    await passNotifications();
    expect(invalidated).toEqual([
      ['releases', 'list'],
      ['releases', 'open'],
    ]);
  });

  it('repeats a read that lasts longer than the pause once, whatever number of events came', async () => {
    let reads = 0;
    let finish: (value: string) => void = () => undefined;
    const queryFn = (): Promise<string> => {
      reads += 1;
      return new Promise<string>((resolve) => (finish = resolve));
    };
    const stop = new QueryObserver(client, { queryKey: ['releases', 'open'], queryFn }).subscribe(() => undefined);
    for (let event = 0; event < 5; event += 1) {
      invalidator.invalidate(['releases']);
      invalidator.invalidate([]);
      timers.pass(2_000);
    }
    expect(reads).toBe(1);
    for (const expected of [2, 2]) {
      finish('an answer');
      // oxlint-disable-next-line no-await-in-loop -- The second answer belongs to the repeated read.
      await passNotifications();
      expect(reads).toBe(expected);
    }
    stop();
  });
});
