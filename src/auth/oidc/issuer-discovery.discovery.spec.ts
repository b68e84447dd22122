import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { discoverJwksUri } from './issuer-discovery.js';

let document: unknown;
let requested: string | undefined;
let issuer: string;
const server = createServer((request, response) => {
  requested = request.url;
  response.end(JSON.stringify(document));
});

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

describe('discoverJwksUri', () => {
  it.each(['', '/', '/a/b', '/a/b/'])('reads the document of an issuer at %j from the standard path', async (path) => {
    const name = `${issuer}${path}`;
    document = { issuer: name, jwks_uri: `${issuer}/jwks` };
    expect(await discoverJwksUri(name)).toBe(`${issuer}/jwks`);
    expect(requested).toBe(`${path.replace(/\/$/, '')}/.well-known/openid-configuration`);
  });

  it('accepts keys under https of any host', async () => {
    document = { issuer, jwks_uri: 'https://keys.example.com/jwks' };
    expect(await discoverJwksUri(issuer)).toBe('https://keys.example.com/jwks');
  });

  const ANOTHER = 'The discovery document names another issuer.';
  const NO_KEYS = 'The discovery document names no keys.';
  const ELSEWHERE = "The issuer's keys are neither under https nor on its origin.";

  it.each<[string, () => unknown, string]>([
    ['null', () => null, ANOTHER],
    ['without a name', () => ({ jwks_uri: `${issuer}/jwks` }), ANOTHER],
    ['of another name', () => ({ issuer: `${issuer}/`, jwks_uri: `${issuer}/jwks` }), ANOTHER],
    ['without keys', () => ({ issuer }), NO_KEYS],
    ['with a list of addresses', () => ({ issuer, jwks_uri: [`${issuer}/jwks`] }), NO_KEYS],
    ['with a relative address', () => ({ issuer, jwks_uri: '/jwks' }), NO_KEYS],
    ['with keys over http elsewhere', () => ({ issuer, jwks_uri: 'http://keys.example.com/jwks' }), ELSEWHERE],
    ['with keys in a file', () => ({ issuer, jwks_uri: 'file:///etc/jwks' }), ELSEWHERE],
  ])('rejects a document %s', async (_, written, message) => {
    document = written();
    await expect(discoverJwksUri(issuer)).rejects.toMatchObject({ code: 'unavailable', cause: { message } });
  });
});
