import { describe, expect, it } from '@jest/globals';
import { hashSecret } from './digests.js';

describe('hashSecret', () => {
  it('is SHA-256 of the whole secret (FIPS 180-4, one-block example)', () => {
    expect(hashSecret('abc').toString('hex')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });
});
