import { describe, expect, it } from '@jest/globals';
import { AsyncLocalStorage } from 'node:async_hooks';
import { KeyedQueue } from './keyed-queue.js';

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

describe('KeyedQueue', () => {
  it('limits the running calls, and starts the next ones in order of arrival', async () => {
    const queue = new KeyedQueue(2);
    const { begun, call, end } = heldCalls();
    const all = ['a', 'b', 'c', 'd'].map((name) => queue.run('acme', call(name)));
    expect(begun).toEqual(['a', 'b']);
    expect(queue.waiting('acme')).toBe(2);
    end('b');
    await waitUntilIdle();
    expect(begun).toEqual(['a', 'b', 'c']);
    end('a');
    await waitUntilIdle();
    expect(begun).toEqual(['a', 'b', 'c', 'd']);
    expect(queue.waiting('acme')).toBe(0);
    end('c');
    end('d');
    await expect(Promise.all(all)).resolves.toEqual(['a', 'b', 'c', 'd']);
  });

  it('delays no caller because of the many calls of another', async () => {
    const queue = new KeyedQueue(1);
    const { begun, call } = heldCalls();
    for (let flood = 0; flood < 100; flood += 1) void queue.run('acme', call('flood'));
    await expect(queue.run('globex', () => Promise.resolve('at once'))).resolves.toBe('at once');
    expect(begun).toEqual(['flood']);
  });

  it('continues after a failed call', async () => {
    const queue = new KeyedQueue(1);
    const failed = queue.run('acme', () => Promise.reject(new Error('no')));
    const next = queue.run('acme', () => Promise.resolve('next'));
    await expect(failed).rejects.toThrow('no');
    await expect(next).resolves.toBe('next');
    await expect(queue.run('acme', () => Promise.resolve('last'))).resolves.toBe('last');
  });

  it('makes no call for a caller that gave up, and starts the next one', async () => {
    const queue = new KeyedQueue(1, () => new Error('stopped'));
    const { begun, call, end } = heldCalls();
    const first = queue.run('acme', call('first'));
    const caller = new AbortController();
    const impatient = queue.run('acme', call('impatient'), caller.signal);
    const late = queue.run('acme', call('late'), AbortSignal.abort());
    const patient = queue.run('acme', call('patient'), new AbortController().signal);
    caller.abort();
    await expect(impatient).rejects.toThrow('stopped');
    await expect(late).rejects.toThrow('stopped');
    expect(queue.waiting('acme')).toBe(1);
    end('first');
    await first;
    end('patient');
    await expect(patient).resolves.toBe('patient');
    expect(begun).toEqual(['first', 'patient']);
  });

  it('deletes idle queues', async () => {
    const queue = new KeyedQueue(1);
    await queue.run('acme', () => Promise.resolve());
    expect(queue).toHaveProperty('queues.size', 0);
  });

  it('runs a call that waited in the context of its caller', async () => {
    const queue = new KeyedQueue(1);
    const request = new AsyncLocalStorage<string>();
    const call = async (): Promise<string | undefined> => {
      await waitUntilIdle();
      return request.getStore();
    };
    const calls = ['first', 'second'].map((id) => request.run(id, () => queue.run('acme', call)));
    await expect(Promise.all(calls)).resolves.toEqual(['first', 'second']);
  });
});
