import { describe, expect, it } from '@jest/globals';
import { InboxMemoryLimit } from './webhook-inbox.service.js';

const MIB = 1_048_576;

interface Held {
  readonly done: Promise<unknown>;
  readonly end: (error?: Error) => void;
}

/** Starts work that ends when the test calls `end`. */
function hold(room: InboxMemoryLimit, bytes: number): Held {
  let resolve = (): void => undefined;
  let reject: (error: Error) => void = () => undefined;
  const promise = new Promise<void>((...ends) => ([resolve, reject] = ends));
  return { done: room.run(bytes, () => promise), end: (error) => (error ? reject(error) : resolve()) };
}

const isRefused = async (room: InboxMemoryLimit, bytes: number): Promise<boolean> => {
  let begun = false;
  const rejection = await room.run(bytes, async () => void (begun = true)).catch((error: unknown) => String(error));
  expect(begun).toBe(rejection === undefined);
  return rejection === 'Error: Too many deliveries wait for the database.';
};

describe('InboxMemoryLimit', () => {
  it('accepts 64 MiB of bodies with their overhead, and no more', async () => {
    const room = new InboxMemoryLimit();
    const held = Array.from({ length: 63 }, () => hold(room, MIB));
    expect(await isRefused(room, MIB)).toBe(true);
    expect(await isRefused(room, MIB / 2)).toBe(false);
    held.forEach(({ end }) => end());
    await Promise.all(held.map(({ done }) => done));
  });

  it('limits the number of deliveries that are small or have no body', async () => {
    const room = new InboxMemoryLimit();
    const held = Array.from({ length: 16_384 }, () => hold(room, 0));
    expect(await isRefused(room, 0)).toBe(true);
    held.forEach(({ end }) => end());
    await Promise.all(held.map(({ done }) => done));
  });

  it.each([
    ['with success', undefined],
    ['with a failure', new Error('the database is gone')],
  ] as const)('accepts deliveries again after the work has ended %s', async (_, ending) => {
    const room = new InboxMemoryLimit();
    const held = hold(room, 60 * MIB);
    const outcome = held.done.catch((failed: unknown) => failed);
    expect(await isRefused(room, 10 * MIB)).toBe(true);
    held.end(ending);
    expect(await outcome).toBe(ending);
    expect(await isRefused(room, 60 * MIB)).toBe(false);
  });
});
