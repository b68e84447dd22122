import { describe, expect, it } from '@jest/globals';
import { createHash, createHmac } from 'node:crypto';
import { LoginSecret } from './login-cookie.js';

const TEXT = 'A'.repeat(43);
const derived = (use: string): string => createHmac('sha256', TEXT).update(use).digest('base64url');

describe('LoginSecret', () => {
  it('derives the same state and verifier in every version of the service', () => {
    const secret = LoginSecret.read(TEXT)!;
    expect([secret.state, secret.verifier]).toEqual([derived('state'), derived('verifier')]);
    expect(secret.challenge).toBe(createHash('sha256').update(derived('verifier')).digest('base64url'));
  });

  it.each(['', 'A', `${TEXT}A`, ` ${TEXT}`, `${TEXT}\n`, `${TEXT.slice(1)}=`])(
    'does not read a secret from %j',
    (text) => {
      expect(LoginSecret.read(text)).toBeNull();
    },
  );
});
