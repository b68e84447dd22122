import { generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { isPublicKey, isSignedBy, jwkThumbprint } from './public-key.js';

/** The key, its thumbprint and its signature that RFC 8037 shows in appendix A. */
const X = '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo';
const THUMBPRINT = 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k';
const SIGNED = Buffer.from('eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc');
const SIGNATURE = 'hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg';

describe('jwkThumbprint and isSignedBy', () => {
  it('returns the thumbprint of RFC 8037', () => {
    expect(jwkThumbprint(X)).toBe(THUMBPRINT);
  });

  it('verifies the signature of RFC 8037', () => {
    expect(isSignedBy(X, SIGNED, SIGNATURE)).toBe(true);
  });

  it.each([
    ['other content', Buffer.concat([SIGNED, Buffer.from('.')]), SIGNATURE],
    ['a truncated signature', SIGNED, SIGNATURE.slice(0, -1)],
    ['a signature with padding', SIGNED, `${SIGNATURE}==`],
    ['a signature that is not canonical base64url', SIGNED, `${SIGNATURE.slice(0, -1)}h`],
    ['an empty signature', SIGNED, ''],
  ])('rejects %s', (_, content, signature) => {
    expect(isSignedBy(X, content, signature)).toBe(false);
  });

  it('decodes the signature that is not canonical to the same bytes', () => {
    const respelt = `${SIGNATURE.slice(0, -1)}h`;
    expect(Buffer.from(respelt, 'base64url').equals(Buffer.from(SIGNATURE, 'base64url'))).toBe(true);
  });

  it.each(['', 'AAAA', `${X}A`, `${X.slice(0, -1)}p`, '*'.repeat(43)])('rejects an invalid public key: %j', (x) => {
    expect(isPublicKey(x)).toBe(false);
    expect(isSignedBy(x, SIGNED, SIGNATURE)).toBe(false);
  });

  it('rejects the signature of another key', () => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const { x = '' } = publicKey.export({ format: 'jwk' });
    const signature = sign(null, SIGNED, privateKey).toString('base64url');
    expect([isSignedBy(x, SIGNED, signature), isSignedBy(X, SIGNED, signature)]).toEqual([true, false]);
  });
});
