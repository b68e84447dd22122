import { describe, expect, it } from '@jest/globals';
import { CallQueue } from './call-queue.js';

interface Held {
  readonly begun: string[];
  readonly end: (call: string) => void;
  readonly call: (name: string) => () => Promise<string>;
}

/** Calls that end when the test ends them. */
function heldCalls(): Held {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    begun,
    end: (call) => ends.get(call)?.(),
    call: (name) => () => {
      begun.push(name);
      return new Promise((resolve) => ends.set(name, () => resolve(name)));
    },
  };
}

const waitUntilIdle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('CallLanes', () => {
  it('limits the running calls, and starts the next ones in order of arrival', async () => {
    const lanes = new CallQueue(2);
    const { begun, call, end } = heldCalls();
    const all = ['a', 'b', 'c', 'd'].map((name) => lanes.run('acme', call(name)));
    expect(begun).toEqual(['a', 'b']);
    expect(lanes.waiting('acme')).toBe(2);
    end('b');
    await waitUntilIdle();
    expect(begun).toEqual(['a', 'b', 'c']);
    end('a');
    await waitUntilIdle();
    expect(begun).toEqual(['a', 'b', 'c', 'd']);
    expect(lanes.waiting('acme')).toBe(0);
    end('c');
    end('d');
    await expect(Promise.all(all)).resolves.toEqual(['a', 'b', 'c', 'd']);
  });

  it('delays no caller because of the many calls of another', async () => {
    const lanes = new CallQueue(1);
    const { begun, call } = heldCalls();
    for (let flood = 0; flood < 100; flood += 1) void lanes.run('acme', call('flood'));
    await expect(lanes.run('globex', () => Promise.resolve('at once'))).resolves.toBe('at once');
    expect(begun).toEqual(['flood']);
  });

  it('continues after a failed call', async () => {
    const lanes = new CallQueue(1);
    const failed = lanes.run('acme', () => Promise.reject(new Error('no')));
    const next = lanes.run('acme', () => Promise.resolve('next'));
    await expect(failed).rejects.toThrow('no');
    await expect(next).resolves.toBe('next');
    await expect(lanes.run('acme', () => Promise.resolve('last'))).resolves.toBe('last');
  });

  it('makes no call for a caller that gave up, and starts the next one', async () => {
    const lanes = new CallQueue(1);
    const { begun, call, end } = heldCalls();
    const first = lanes.run('acme', call('first'));
    const caller = new AbortController();
    const impatient = lanes.run('acme', call('impatient'), caller.signal);
    const late = lanes.run('acme', call('late'), AbortSignal.abort());
    const patient = lanes.run('acme', call('patient'), new AbortController().signal);
    caller.abort();
    await expect(impatient).rejects.toMatchObject({ name: 'GitHubError', kind: 'timeout' });
    await expect(late).rejects.toMatchObject({ kind: 'timeout' });
    expect(lanes.waiting('acme')).toBe(1);
    end('first');
    await first;
    end('patient');
    await expect(patient).resolves.toBe('patient');
    expect(begun).toEqual(['first', 'patient']);
  });

  it('deletes idle queues', async () => {
    const lanes = new CallQueue(1);
    await lanes.run('acme', () => Promise.resolve());
    expect(lanes).toHaveProperty('queues.size', 0);
  });
});
