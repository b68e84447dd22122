import { generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { isPublicKey, isSignedBy, jwkThumbprint } from './public-key.js';

/** The key, its thumbprint and its signature that RFC 8037 shows in appendix A. */
const X = '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo';
const THUMBPRINT = 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k';
const SIGNED = Buffer.from('eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc');
const SIGNATURE = 'hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg';

describe('a public key', () => {
  it('is named by its thumbprint, as RFC 8037 does', () => {
    expect(jwkThumbprint(X)).toBe(THUMBPRINT);
  });

  it('verifies its own signature, as in RFC 8037', () => {
    expect(isSignedBy(X, SIGNED, SIGNATURE)).toBe(true);
  });

  it.each([
    ['another content', Buffer.concat([SIGNED, Buffer.from('.')]), SIGNATURE],
    ['a signature that was cut', SIGNED, SIGNATURE.slice(0, -1)],
    ['one of another kind of text', SIGNED, `${SIGNATURE}==`],
    ['one that spells the same bytes in another way', SIGNED, `${SIGNATURE.slice(0, -1)}h`],
    ['none', SIGNED, ''],
  ])('accepts no signature over %s', (_, content, signature) => {
    expect(isSignedBy(X, content, signature)).toBe(false);
  });

  it('encodes the same bytes in another way if the test does so', () => {
    const respelt = `${SIGNATURE.slice(0, -1)}h`;
    expect(Buffer.from(respelt, 'base64url').equals(Buffer.from(SIGNATURE, 'base64url'))).toBe(true);
  });

  it.each(['', 'AAAA', `${X}A`, `${X.slice(0, -1)}p`, '*'.repeat(43)])('is nothing but 32 bytes: %j', (x) => {
    expect(isPublicKey(x)).toBe(false);
    expect(isSignedBy(x, SIGNED, SIGNATURE)).toBe(false);
  });

  it('does not vouch for another key', () => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const { x = '' } = publicKey.export({ format: 'jwk' });
    const signature = sign(null, SIGNED, privateKey).toString('base64url');
    expect([isSignedBy(x, SIGNED, signature), isSignedBy(X, SIGNED, signature)]).toEqual([true, false]);
  });
});
