import { describe, expect, it } from '@jest/globals';
import { testEnvironment } from '../../../test/support/environment.js';
import { toOrgId } from '../../database/ids.js';
import { UploadRoom } from './upload-room.js';

const LIMITS = { MAX_FILE_BYTES: '1KB', MAX_UPLOAD_BYTES: '1KB', MAX_INFLATED_BYTES: '2KB' };
const KILOBYTE = 1_024;
const [ONE, OTHER, THIRD] = [1, 2, 3].map((nth) => toOrgId(`00000000-0000-4000-8000-00000000000${nth}`)) as [
  ReturnType<typeof toOrgId>,
  ReturnType<typeof toOrgId>,
  ReturnType<typeof toOrgId>,
];
const REFUSED = { code: 'unavailable', headers: { 'Retry-After': '5' } };

describe('the room for uploads', () => {
  /** Uploads that have come and are worked on, until each is let go. */
  function staying(room: UploadRoom) {
    const leave: (() => void)[] = [];
    const held: Promise<void>[] = [];
    const stay = (orgId: typeof ONE, ...chunks: readonly number[]): Promise<void> => {
      const work = room.hold(orgId, async (take) => {
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

  it('is for half of it a workspace’s, and for all of it everybody’s', async () => {
    const room = new UploadRoom(testEnvironment(LIMITS));
    const { stay, empty } = staying(room);
    for (let nth = 0; nth < 4; nth += 1) void stay(ONE, KILOBYTE, KILOBYTE);
    await expect(stay(ONE, 1)).rejects.toMatchObject(REFUSED);
    for (let nth = 0; nth < 3; nth += 1) void stay(OTHER, 2 * KILOBYTE);
    await expect(stay(THIRD, KILOBYTE, KILOBYTE, 1)).rejects.toMatchObject(REFUSED);
    await expect(room.hold(THIRD, async (take) => take(2 * KILOBYTE))).resolves.toBeUndefined();
    await empty();
    await expect(room.hold(ONE, async (take) => take(8 * KILOBYTE))).resolves.toBeUndefined();
  });

  it('is not taken by who announces much and sends little', async () => {
    const room = new UploadRoom(testEnvironment(LIMITS));
    const { stay, empty } = staying(room);
    for (let nth = 0; nth < 1_000; nth += 1) void stay(ONE, 1);
    await expect(room.hold(ONE, async (take) => take(2 * KILOBYTE))).resolves.toBeUndefined();
    await empty();
  });

  it('is left by what fails, too', async () => {
    const room = new UploadRoom(testEnvironment(LIMITS));
    for (let at = 0; at < 20; at += 1) {
      const failing = room.hold(ONE, async (take) => {
        take(8 * KILOBYTE);
        throw new Error('no');
      });
      await expect(failing).rejects.toThrow('no');
    }
    await expect(room.hold(ONE, async (take) => take(8 * KILOBYTE))).resolves.toBeUndefined();
  });
});
