import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { landOnId } from './land-on.js';

const WAIT_MS = 10_000;

/** The page without its layout: changes of its content, the inputs of the user, and the subject. */
let page: EventTarget;
let changePage: () => void;
let subject: { focus: () => void; scrollIntoView: () => void } | null;
let isWatched: boolean;
/** The functions that wait for a time, with the time that each waits. */
let timers: { readonly run: () => void; readonly ms: number }[];

const pass = (ms: number): void => {
  for (const timer of timers.filter((waiting) => waiting.ms <= ms)) timer.run();
};

/** Records what the page does with the subject. */
const addSubject = (): string[] => {
  const actions: string[] = [];
  subject = { focus: () => void actions.push('focus'), scrollIntoView: () => void actions.push('scroll') };
  changePage();
  return actions;
};

class FakeMutationObserver {
  constructor(onChange: () => void) {
    changePage = () => {
      if (isWatched) onChange();
    };
  }

  observe(): void {
    isWatched = true;
  }

  disconnect(): void {
    isWatched = false;
  }
}

class FakeResizeObserver {
  observe(): void {}
  disconnect(): void {}
}

const FAKES = {
  document: { body: {}, getElementById: () => subject },
  addEventListener: (...listener: Parameters<EventTarget['addEventListener']>) => page.addEventListener(...listener),
  MutationObserver: FakeMutationObserver,
  ResizeObserver: FakeResizeObserver,
  setTimeout: (run: () => void, ms: number) => timers[timers.push({ run, ms }) - 1],
  clearTimeout: (ended: unknown) => void (timers = timers.filter((timer) => timer !== ended)),
};

const REAL_TIMERS = { setTimeout, clearTimeout };

beforeEach(() => {
  page = new EventTarget();
  changePage = () => undefined;
  subject = null;
  isWatched = false;
  timers = [];
  Object.assign(globalThis, FAKES);
});

afterEach(() => {
  for (const name of Object.keys(FAKES)) Reflect.deleteProperty(globalThis, name);
  Object.assign(globalThis, REAL_TIMERS);
});

describe('landOnId', () => {
  it('lands on an element that exists', () => {
    const actions = addSubject();
    landOnId('scope');
    expect(actions).toEqual(['focus', 'scroll']);
    expect(isWatched).toBe(false);
  });

  it('lands on an element that appears later, once', () => {
    landOnId('scope');
    changePage();
    pass(WAIT_MS - 1);
    const actions = addSubject();
    changePage();
    expect(actions).toEqual(['focus', 'scroll']);
  });

  it.each(['wheel', 'touchstart', 'pointerdown', 'keydown'])('leaves the screen to the user after a %s', (input) => {
    landOnId('scope');
    page.dispatchEvent(new Event(input));
    expect(addSubject()).toEqual([]);
    expect(isWatched).toBe(false);
  });

  it('no longer waits after ten seconds', () => {
    landOnId('scope');
    pass(WAIT_MS);
    expect(addSubject()).toEqual([]);
    expect(isWatched).toBe(false);
  });

  it('ends the wait on request', () => {
    landOnId('scope')();
    expect(addSubject()).toEqual([]);
    expect(isWatched).toBe(false);
  });
});
