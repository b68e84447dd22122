import { describe, expect, it } from '@jest/globals';
import { createHash, createHmac } from 'node:crypto';
import { LoginSecret } from './login-cookie.js';

const TEXT = 'A'.repeat(43);
const derived = (use: string): string => createHmac('sha256', TEXT).update(use).digest('base64url');

describe('LoginSecret', () => {
  it('gives another version of the service the state and the verifier that it gave this one', () => {
    const secret = LoginSecret.read(TEXT)!;
    expect([secret.state, secret.verifier]).toEqual([derived('state'), derived('verifier')]);
    expect(secret.challenge).toBe(createHash('sha256').update(derived('verifier')).digest('base64url'));
  });

  it.each(['', 'A', `${TEXT}A`, ` ${TEXT}`, `${TEXT}\n`, `${TEXT.slice(1)}=`])('is never read from %j', (text) => {
    expect(LoginSecret.read(text)).toBeNull();
  });
});
