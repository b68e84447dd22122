import { generateKeyPairSync } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { JWK } from 'jose';
import { readSigningKeys } from './jwks.service.js';

let good: JWK;

const rsa = (modulusLength: number): JWK => ({
  ...generateKeyPairSync('rsa', { modulusLength }).publicKey.export({ format: 'jwk' }),
  use: 'sig',
});

beforeAll(() => {
  good = { ...rsa(2048), kid: 'good' };
});

describe('readSigningKeys', () => {
  it('reads RSA keys for signatures, with or without their algorithm', async () => {
    const keys = await readSigningKeys({ keys: [good, { ...good, kid: 'other', alg: 'RS256' }] });
    expect([...(keys?.keys() ?? [])]).toEqual(['good', 'other']);
    expect(keys?.get('other')).toMatchObject({ type: 'public', usages: ['verify'] });
  });

  it.each([null, undefined, 7, 'keys', [], {}, { keys: null }, { keys: {} }])(
    'rejects %j as a key set',
    async (document) => {
      expect(await readSigningKeys(document)).toBeNull();
    },
  );

  it.each<[string, () => unknown]>([
    ['for encryption', () => ({ ...good, kid: 'x', use: 'enc' })],
    ['without a use', () => ({ ...good, kid: 'x', use: undefined })],
    ['of another algorithm', () => ({ ...good, kid: 'x', alg: 'RS512' })],
    ['of fewer than 2,048 bits', () => ({ ...rsa(2047), kid: 'x' })],
    ['that is symmetric', () => ({ kid: 'x', kty: 'oct', use: 'sig', alg: 'RS256', k: 'c2VjcmV0' })],
    ['of another type', () => ({ ...good, kid: 'x', kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA' })],
    ['that is broken', () => ({ ...good, kid: 'x', n: '!' })],
    ['without a modulus', () => ({ ...good, kid: 'x', n: undefined })],
    ['that is null', () => null],
    ['that is text', () => 'x'],
    ['without an id', () => ({ ...good, kid: undefined })],
    ['with an empty id', () => ({ ...good, kid: '' })],
    ['whose id is a number', () => ({ ...good, kid: 1 })],
  ])('ignores a key %s, and reads the next one', async (_, key) => {
    expect([...((await readSigningKeys({ keys: [key(), good] }))?.keys() ?? [])]).toEqual(['good']);
  });

  it('reads only the public half of a key that was published with its private half', async () => {
    const whole = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' });
    const keys = await readSigningKeys({ keys: [{ ...whole, kid: 'whole', use: 'sig' }] });
    expect(keys?.get('whole')).toMatchObject({ type: 'public', usages: ['verify'] });
  });

  it('reads no more than the first hundred', async () => {
    const after = async (length: number) =>
      (await readSigningKeys({ keys: [...Array.from({ length }, () => null), good] }))?.size;
    expect(await after(99)).toBe(1);
    expect(await after(100)).toBe(0);
  });
});
