import { describe, expect, it } from '@jest/globals';
import { readTestEnvironment } from '../../../../test/support/read-test-environment.js';
import { UploadMemoryLimit } from './upload-memory-limit.js';

const LIMITS = { MAX_FILE_BYTES: '1KB', MAX_UPLOAD_BYTES: '1KB', MAX_INFLATED_BYTES: '2KB' };
const KILOBYTE = 1_024;
const ONE = 'one';
const OTHER = 'other';
const THIRD = 'third';
const REFUSED = { code: 'unavailable', headers: { 'Retry-After': '5' } };

describe('the memory for uploads', () => {
  /** Starts uploads that hold their memory until `empty` is called. */
  function staying(room: UploadMemoryLimit) {
    const leave: (() => void)[] = [];
    const held: Promise<void>[] = [];
    const stay = (holder: string, ...chunks: readonly number[]): Promise<void> => {
      const work = room.run(holder, async (take) => {
        for (const bytes of chunks) take(bytes);
        await new Promise<void>((resolve) => leave.push(resolve));
      });
      held.push(work);
      return work;
    };
    const empty = async (): Promise<void> => {
      for (const go of leave) go();
      await Promise.allSettled(held);
    };
    return { stay, empty };
  }

  it('is limited to half for a workspace, and to all of it in total', async () => {
    const room = new UploadMemoryLimit(readTestEnvironment(LIMITS));
    const { stay, empty } = staying(room);
    for (let nth = 0; nth < 4; nth += 1) void stay(ONE, KILOBYTE, KILOBYTE);
    await expect(stay(ONE, 1)).rejects.toMatchObject(REFUSED);
    for (let nth = 0; nth < 3; nth += 1) void stay(OTHER, 2 * KILOBYTE);
    await expect(stay(THIRD, KILOBYTE, KILOBYTE, 1)).rejects.toMatchObject(REFUSED);
    await expect(room.run(THIRD, async (take) => take(2 * KILOBYTE))).resolves.toBeUndefined();
    await empty();
    await expect(room.run(ONE, async (take) => take(8 * KILOBYTE))).resolves.toBeUndefined();
  });

  it('is not reserved by an announced size that is not sent', async () => {
    const room = new UploadMemoryLimit(readTestEnvironment(LIMITS));
    const { stay, empty } = staying(room);
    for (let nth = 0; nth < 1_000; nth += 1) void stay(ONE, 1);
    await expect(room.run(ONE, async (take) => take(2 * KILOBYTE))).resolves.toBeUndefined();
    await empty();
  });

  it('is released after a failure, too', async () => {
    const room = new UploadMemoryLimit(readTestEnvironment(LIMITS));
    for (let at = 0; at < 20; at += 1) {
      const failing = room.run(ONE, async (take) => {
        take(8 * KILOBYTE);
        throw new Error('no');
      });
      await expect(failing).rejects.toThrow('no');
    }
    await expect(room.run(ONE, async (take) => take(8 * KILOBYTE))).resolves.toBeUndefined();
  });

  it('is limited for slow uploads to an eighth for a workspace and half in total, and the rest is for others', async () => {
    let now = 0;
    const room = new UploadMemoryLimit(readTestEnvironment(LIMITS), () => now);
    const slow: ReturnType<typeof holding>[] = [];
    const holding = (holder: string) => {
      let take: (bytes: number) => void = () => undefined;
      let leave: () => void = () => undefined;
      const held = room.run(holder, async (taking) => {
        take = taking;
        await new Promise<void>((resolve) => (leave = resolve));
      });
      return { take: (bytes: number) => take(bytes), leave: () => leave(), held };
    };
    for (let nth = 0; nth < 6; nth += 1) slow.push(holding(`slow ${nth}`));
    now = 15_001;
    for (const upload of slow.slice(0, 4)) upload.take(2 * KILOBYTE);
    expect(() => slow[0]?.take(1)).toThrow('Too many uploads are in progress');
    expect(() => slow[5]?.take(1)).toThrow('Too many uploads are in progress');
    await expect(room.run('usual', async (take) => take(8 * KILOBYTE))).resolves.toBeUndefined();
    slow[0]?.leave();
    await slow[0]?.held;
    slow[5]?.take(KILOBYTE);
    for (const { leave } of slow) leave();
    await Promise.all(slow.map(({ held }) => held));
  });

  it('is reserved with the same work however many uploads are in progress', async () => {
    let reads = 0;
    const room = new UploadMemoryLimit(readTestEnvironment(LIMITS), () => {
      reads += 1;
      return 0;
    });
    const { stay, empty } = staying(room);
    const readsOfOneChunk = async (): Promise<number> => {
      const before = reads;
      await room.run(OTHER, async (take) => take(1));
      return reads - before;
    };
    const alone = await readsOfOneChunk();
    for (let nth = 0; nth < 1_000; nth += 1) void stay(ONE);
    expect(await readsOfOneChunk()).toBe(alone);
    await empty();
    expect(room.load).toEqual({ uploads: 0, bytes: 0 });
  });

  it('has no more than 32 slow uploads of a workspace', async () => {
    let now = 0;
    const room = new UploadMemoryLimit(readTestEnvironment(LIMITS), () => now);
    const takers: ((bytes: number) => void)[] = [];
    for (let nth = 0; nth < 33; nth += 1) {
      void room.run(ONE, (take) => {
        takers.push(take);
        return new Promise(() => undefined);
      });
    }
    takers[0]?.(1);
    now = 15_001;
    expect(() => takers[1]?.(1)).toThrow('Too many uploads are in progress');
  });
});
