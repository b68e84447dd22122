import { crc32 as zlibCrc32 } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { assert, constantFrom, nat, pre, property, string, uint8Array } from 'fast-check';
import { crc32 } from '../checksum/crc32.js';
import { base62, keySecret, detectKeyKind, visiblePrefix } from './key-secret.js';

const bytes = uint8Array({ minLength: 32, maxLength: 32 });
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

describe('crc32', () => {
  it('returns the check value of the CRC catalogue', () => {
    expect(crc32('123456789')).toBe(0xcbf43926);
  });

  it('agrees with zlib on any ASCII text', () => {
    assert(property(string({ unit: 'binary-ascii' }), (text) => crc32(text) === zlibCrc32(text)));
  });
});

describe('a key secret', () => {
  it('has its prefix, 43 digits and 6 digits of checksum for any bytes', () => {
    for (const fill of [0, 1, 255]) {
      expect(keySecret('sgk', new Uint8Array(32).fill(fill))).toMatch(/^sgk_[0-9A-Za-z]{49}$/);
    }
    expect(keySecret('sgp', new Uint8Array(32))).toMatch(/^sgp_0{43}/);
  });

  it('contains all 256 bits, most significant first', () => {
    const digits = keySecret('sgk', new Uint8Array(32).fill(255)).slice(4, 47);
    const value = Array.from(digits).reduce((sum, digit) => sum * 62n + BigInt(DIGITS.indexOf(digit)), 0n);
    expect(value).toBe(2n ** 256n - 1n);
  });

  it('is different for different bytes, and its kind is detected', () => {
    assert(
      property(bytes, bytes, constantFrom('sgk' as const, 'sgp' as const), (one, other, kind) => {
        const secret = keySecret(kind, one);
        expect(detectKeyKind(secret)).toBe(kind);
        expect(secret === keySecret(kind, other)).toBe(Buffer.compare(one, other) === 0);
      }),
    );
  });

  it('rejects a secret with one wrong character', () => {
    assert(
      property(bytes, nat(48), constantFrom(...DIGITS.split('')), (random, at, typed) => {
        const secret = keySecret('sgk', random);
        pre(secret[4 + at] !== typed);
        expect(detectKeyKind(secret.slice(0, 4 + at) + typed + secret.slice(5 + at))).toBeNull();
      }),
    );
  });

  it('rejects a secret with the other prefix, because the checksum covers the prefix', () => {
    expect(detectKeyKind(keySecret('sgk', new Uint8Array(32)).replace('sgk', 'sgp'))).toBeNull();
  });

  it.each(['', 'sgk_', 'sgk', 'sgk_abc', `sgk_${'0'.repeat(49)}`, `sgk_${'0'.repeat(500_000)}`])(
    'rejects a text of another shape: %.20s',
    (text) => {
      expect(detectKeyKind(text)).toBeNull();
    },
  );

  it.each([
    ['a leading space', (secret: string) => ` ${secret}`],
    ['a line end', (secret: string) => `${secret}\n`],
    ['upper case', (secret: string) => secret.toUpperCase()],
    ['another prefix', (secret: string) => secret.replace('sgk', 'xgk')],
  ])('rejects a secret with %s', (_, change) => {
    expect(detectKeyKind(change(keySecret('sgk', new Uint8Array(32).fill(7))))).toBeNull();
  });

  it.each([
    ['of an unknown kind', `xgk_${'7'.repeat(43)}`],
    ['with a digit too few', `sgk_${'7'.repeat(42)}`],
    ['with a digit too many', `sgk_${'7'.repeat(44)}`],
    ['behind other text', `x sgk_${'7'.repeat(43)}`],
    ['with a character that is no digit', `sgk_${'7'.repeat(42)}-`],
  ])('rejects a text %s, though its checksum is correct', (_, body) => {
    expect(detectKeyKind(body + base62(BigInt(crc32(body)), 6))).toBeNull();
  });

  it('throws if it gets fewer or more than 32 bytes', () => {
    expect(() => keySecret('sgk', new Uint8Array(31))).toThrow(new RangeError('A secret takes 32 bytes, not 31.'));
    expect(() => keySecret('sgk', new Uint8Array(33))).toThrow(new RangeError('A secret takes 32 bytes, not 33.'));
  });

  it('has a visible prefix of ten characters', () => {
    const secret = keySecret('sgk', new Uint8Array(32).fill(9));
    expect(visiblePrefix(secret)).toHaveLength(10);
    expect(secret.startsWith(visiblePrefix(secret))).toBe(true);
  });
});
