import { beforeEach, describe, expect, it } from '@jest/globals';
import type { LiveEvent } from './event-queries.js';
import { readStream } from './read-stream.js';

const MINUTE_MS = 60_000;
/** The last event before the data of the page was loaded. */
const POSITION = 1203;

/** A fake stream of a browser, with methods for the actions of the service and of the network. */
class FakeStream {
  readonly CLOSED = 2;
  readyState = 0;
  private readonly target = new EventTarget();

  addEventListener(type: string, listener: (event: MessageEvent<string>) => void): void {
    this.target.addEventListener(type, (event) => listener(event as MessageEvent<string>));
  }

  close(): void {
    this.readyState = this.CLOSED;
  }

  beat(lastEventId = POSITION): void {
    this.target.dispatchEvent(new MessageEvent('heartbeat', { data: '{}', lastEventId: String(lastEventId) }));
  }

  send(event: LiveEvent): void {
    this.target.dispatchEvent(new MessageEvent(event.type, { data: JSON.stringify(event), lastEventId: event.id }));
  }

  fail(readyState: number): void {
    this.readyState = readyState;
    this.target.dispatchEvent(new Event('error'));
  }
}

/** One timer, which runs when the test passes its time. */
class Clock {
  private time = 0;
  private timer: { readonly at: number; readonly run: () => void } | null = null;

  readonly now = (): number => this.time;

  readonly runLater = (run: () => void, ms: number): (() => void) => {
    this.timer = { at: this.time + ms, run };
    return () => (this.timer = null);
  };

  pass(ms: number): void {
    this.time += ms;
    const due = this.timer;
    if (due === null || due.at > this.time) return;
    this.timer = null;
    due.run();
  }
}

let stream: FakeStream;
let clock: Clock;
let stop: AbortController;
let received: unknown[];
let result: boolean | null;

beforeEach(() => {
  [stream, clock, stop, received, result] = [new FakeStream(), new Clock(), new AbortController(), [], null];
  const listener = {
    onBegin: (hasMissed: boolean) => received.push(hasMissed ? 'begins with a gap' : 'begins'),
    onEvent: (event: LiveEvent) => received.push(event),
    onLost: () => received.push('is lost'),
  };
  void readStream(stream, { lastEventId: POSITION, knownAt: clock.now() }, listener, stop.signal, clock).then(
    (hasBegun) => (result = hasBegun),
  );
});

/** The result, if the promise is resolved. */
const readResult = async (): Promise<boolean | null> => {
  await Promise.resolve();
  return result;
};

describe('readStream', () => {
  it('begins with the first heartbeat, without a gap after the data of the page', () => {
    expect(received).toEqual([]);
    stream.beat();
    stream.beat();
    expect(received).toEqual(['begins']);
  });

  it('begins with a gap if the data of the page is older than the events that are repeated', () => {
    // The service could not be reached until now.
    clock.runLater(() => undefined, Number.POSITIVE_INFINITY);
    clock.pass(4 * MINUTE_MS + 1);
    stream.beat();
    expect(received).toEqual(['begins with a gap']);
  });

  it('begins with a gap if the service does not know the last event of the page', () => {
    stream.beat(POSITION - 1);
    expect(received).toEqual(['begins with a gap']);
  });

  it('passes events on', () => {
    stream.beat();
    const event = { id: '1204', type: 'release.updated', milestoneId: 'm1' };
    stream.send(event);
    expect(received).toEqual(['begins', event]);
  });

  it('ends 37.5 seconds after the last heartbeat or event', async () => {
    stream.beat();
    clock.pass(37_000);
    stream.beat();
    clock.pass(37_000);
    stream.send({ id: '1204', type: 'sync.started' });
    clock.pass(37_499);
    expect([await readResult(), stream.readyState]).toEqual([null, 0]);
    clock.pass(1);
    expect([await readResult(), stream.readyState]).toEqual([true, stream.CLOSED]);
  });

  it('ends if it does not begin', async () => {
    clock.pass(37_500);
    expect([await readResult(), stream.readyState]).toEqual([false, stream.CLOSED]);
    expect(received).toEqual([]);
  });

  it('ends when the service rejects it', async () => {
    stream.fail(stream.CLOSED);
    expect(await readResult()).toBe(false);
  });

  it('ends when the signal aborts', async () => {
    stream.beat();
    stop.abort();
    expect([await readResult(), stream.readyState]).toEqual([true, stream.CLOSED]);
  });

  it('begins again with a gap if the computer was suspended, although the connection seems to be open', () => {
    stream.beat();
    clock.runLater(() => undefined, Number.POSITIVE_INFINITY);
    clock.pass(4 * MINUTE_MS + 1);
    stream.beat();
    stream.beat();
    expect(received).toEqual(['begins', 'begins with a gap']);
  });

  it.each([
    ['has missed nothing', 30_000, 'begins'],
    ['may have missed changes', 4 * MINUTE_MS + 1, 'begins with a gap'],
  ])('%s after a lost connection if the last sign of life is %d ms ago', (_, ms, beginning) => {
    stream.beat();
    // The computer sleeps, and its timers with it.
    clock.runLater(() => undefined, Number.POSITIVE_INFINITY);
    clock.pass(ms);
    stream.fail(0);
    stream.beat();
    expect(received).toEqual(['begins', 'is lost', beginning]);
  });
});
