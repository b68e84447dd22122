import { describe, expect, it } from '@jest/globals';
import { testEnvironment } from '../../../test/support/environment.js';
import { UploadRoom } from './upload-room.js';

const LIMITS = { MAX_FILE_BYTES: '1KB', MAX_UPLOAD_BYTES: '1KB', MAX_INFLATED_BYTES: '2KB' };
const KILOBYTE = 1_024;

describe('the room for uploads', () => {
  it('holds eight of the largest, refuses the ninth, and has room again when one has left', async () => {
    const room = new UploadRoom(testEnvironment(LIMITS));
    const leave: (() => void)[] = [];
    const stay = (): Promise<void> => new Promise((resolve) => leave.push(resolve));
    const held = Array.from({ length: 8 }, () => room.hold(2 * KILOBYTE, stay));
    const refused = { code: 'unavailable', headers: { 'Retry-After': '5' } };
    await expect(room.hold(1, stay)).rejects.toMatchObject(refused);
    leave.pop()?.();
    await held.pop();
    await expect(room.hold(2 * KILOBYTE, async () => 'taken')).resolves.toBe('taken');
    await expect(room.hold(2 * KILOBYTE + 1, stay)).rejects.toMatchObject(refused);
    for (const go of leave) go();
    await Promise.all(held);
  });

  it('is left by what fails, too', async () => {
    const room = new UploadRoom(testEnvironment(LIMITS));
    const fail = (): Promise<never> => Promise.reject(new Error('no'));
    for (let at = 0; at < 20; at += 1) await expect(room.hold(2 * KILOBYTE, fail)).rejects.toThrow('no');
    await expect(room.hold(16 * KILOBYTE, async () => 'taken')).resolves.toBe('taken');
  });
});
