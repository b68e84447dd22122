import { describe, expect, it } from '@jest/globals';
import { keySecret } from '../domain/keys/key-secret.js';
import { presentsCiCredential, presentsPersonalKey, readBearer } from './bearer.js';

const key = keySecret('sgk', new Uint8Array(32).fill(1));
const personalKey = keySecret('sgp', new Uint8Array(32).fill(2));
const token = 'eyJhbGciOiJSUzI1NiJ9.e30.c2ln';
const withHeaders = (...rawHeaders: string[]) => readBearer({ rawHeaders });

describe('readBearer', () => {
  it('returns null without a credential', () => {
    expect(withHeaders()).toBeNull();
    expect(withHeaders('Host', 'authorization', 'Cookie', 'connect.sid=x')).toBeNull();
  });

  it.each(['Authorization', 'authorization', 'AUTHORIZATION'])('reads %s', (name) => {
    expect(withHeaders('Host', 'x', name, `Bearer ${key}`)).toEqual({ kind: 'api_key', secret: key });
  });

  it('distinguishes a personal key from an API key', () => {
    expect(withHeaders('Authorization', `Bearer ${personalKey}`)).toEqual({
      kind: 'personal_key',
      secret: personalKey,
    });
  });

  it.each(['Bearer', 'bearer', 'BEARER'])('reads the scheme %s', (scheme) => {
    expect(withHeaders('Authorization', `${scheme} ${token}`)).toEqual({ kind: 'identity_token', token });
  });

  it('reads a credential behind several spaces', () => {
    expect(withHeaders('Authorization', `Bearer   ${key}`)).toEqual({ kind: 'api_key', secret: key });
  });

  it('distinguishes an unsigned token from other text, for the verifier', () => {
    expect(withHeaders('Authorization', 'Bearer e30.e30.')).toEqual({ kind: 'identity_token', token: 'e30.e30.' });
  });

  it.each([
    ['nothing', ''],
    ['no credential', 'Bearer'],
    ['an empty credential', 'Bearer '],
    ['another scheme', `Basic ${key}`],
    ['no scheme', key],
    ['two credentials', `Bearer ${token}, Bearer ${key}`],
    ['two credentials without a comma', `Bearer ${token} ${key}`],
    ['a mistyped key', `Bearer ${key.slice(0, -1)}`],
    ['a mistyped personal key', `Bearer ${personalKey.slice(0, -1)}`],
    ['a personal key with the prefix of an API key', `Bearer ${personalKey.replace('sgp', 'sgk')}`],
    ['two parts', 'Bearer e30.e30'],
    ['five parts, as of an encrypted token', 'Bearer e30.e30.e30.e30.e30'],
    ['padding', 'Bearer e30=.e30.e30'],
    ['characters that no token contains', 'Bearer ä.b.c'],
  ])('rejects %s as malformed', (_, value) => {
    expect(withHeaders('Authorization', value)).toEqual({ kind: 'malformed' });
  });

  it.each([
    [`Bearer ${token}`, `Bearer ${key}`],
    [`Bearer ${key}`, `Bearer ${key}`],
    [`Bearer ${personalKey}`, `Bearer ${personalKey}`],
    [`Bearer ${personalKey}`, `Bearer ${key}`],
    [`Bearer ${key}`, ''],
  ])('rejects two fields as malformed with any content', (first, second) => {
    expect(withHeaders('Authorization', first, 'authorization', second)).toEqual({ kind: 'malformed' });
  });
});

describe('presentsCiCredential', () => {
  it.each([
    [['Authorization', `Bearer ${key}`], true],
    [['Authorization', `Bearer ${key}`, 'Cookie', 'connect.sid=s%3Aa.b'], true],
    [['authorization', `Bearer ${token}`], true],
    [['authorization', 'Basic cHJveHk6eA=='], true],
    [['authorization', `Bearer ${token}`, 'cookie', 'connect.sid=s%3Aa.b'], false],
    [['Cookie', `Bearer ${key}`], false],
    [['Cookie', 'Authorization'], false],
    [[], false],
  ])('of %j is %s', (rawHeaders, presented) => {
    expect(presentsCiCredential({ rawHeaders })).toBe(presented);
  });
});

describe('presentsPersonalKey', () => {
  it.each([
    [['Authorization', `Bearer ${personalKey}`], true],
    [['authorization', 'bearer  sgp_mistyped'], true],
    [['Authorization', `Bearer ${token}`, 'Authorization', `Bearer ${personalKey}`], true],
    [['Authorization', `Bearer ${key}`], false],
    [['Authorization', `Bearer ${token}`], false],
    [['Authorization', 'Bearer'], false],
    [['Authorization', 'Basic cHJveHk6eA=='], false],
    [['Authorization', personalKey], false],
    [['Authorization', ''], false],
    [['Cookie', `Bearer ${personalKey}`], false],
    [[], false],
  ])('of %j is %s', (rawHeaders, presented) => {
    expect(presentsPersonalKey({ rawHeaders })).toBe(presented);
  });
});
