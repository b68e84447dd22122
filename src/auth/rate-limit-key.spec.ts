import { describe, expect, it } from '@jest/globals';
import type { FastifyRequest } from 'fastify';
import { toOrgId } from '../database/ids.js';
import {
  type ApiKeyCaller,
  type UnresolvedCredential,
  type IdentityTokenCaller,
  type MemberCaller,
  setCaller,
  setCredential,
} from './caller.js';
import { CallerRateLimitKey, repositoryRateLimitKey } from './rate-limit-key.js';

const subject = new CallerRateLimitKey();
const run = { kind: 'identity_token', repositoryGithubId: 7 } as IdentityTokenCaller;
const key = { kind: 'api_key', keyId: 'k1' } as ApiKeyCaller;

const requestOf = (parts: { readonly query?: unknown; readonly body?: unknown } = {}): FastifyRequest =>
  ({ query: {}, ...parts }) as FastifyRequest;

describe('CallerRateLimitKey', () => {
  it.each(['upload', 'gate'] as const)('counts the %s limit of a run for its repository', (name) => {
    const byRun = requestOf({ query: { repo: 'another' } });
    setCaller(byRun, run);
    const inHand = requestOf();
    setCredential(inHand, { kind: 'identity_token', claims: { repositoryGithubId: 7 } } as UnresolvedCredential);
    const expected = { name, subject: 'repository:7', counted: 'now' };
    expect([subject.findCount(name, byRun), subject.findCount(name, inHand)]).toEqual([expected, expected]);
  });

  it.each([['payments'], ['another'], [undefined]])(
    'counts a key separately for any requested repository: %j',
    (repo) => {
      const known = requestOf({ query: { repo }, body: { repo } });
      setCaller(known, key);
      expect(subject.findCount('upload', known)).toEqual({ name: 'key', subject: 'key:k1', counted: 'now' });
      expect(subject.findCount('gate', known)).toEqual({ name: 'gate', subject: 'key:k1', counted: 'now' });
    },
  );

  it('counts a user for the session limit on a route of the gate', () => {
    const request = requestOf();
    setCaller(request, { kind: 'member', user: { id: 7 } } as MemberCaller);
    expect(subject.findCount('gate', request)).toEqual({ name: 'session', subject: 'person:7', counted: 'now' });
  });

  it('lets the route count a key of which only the digest is known, because the key may not exist', () => {
    const request = requestOf({ query: { repo: 'payments' } });
    setCredential(request, { kind: 'api_key', secretHash: Buffer.from([1, 2, 3]) } as unknown as UnresolvedCredential);
    expect(subject.findCount('gate', request)).toEqual({ name: 'key', subject: 'key:AQID', counted: 'later' });
  });

  it('has one bucket for all names that are no repository of the workspace', () => {
    const orgId = toOrgId('5d1c7e0a-3b64-4a0f-9a57-2f8f0c6b1e42');
    expect(repositoryRateLimitKey(orgId, { githubId: 7 })).toBe('repository:7');
    expect(repositoryRateLimitKey(orgId, null)).toBe(`unknown:${orgId}`);
  });

  it.each(['user', 'member'])('counts the limit of sessions for each %s, and no other limit', (kind) => {
    const request = requestOf();
    setCaller(request, { kind, user: { id: 9 } } as MemberCaller);
    expect(subject.findCount('session', request)).toEqual({ name: 'session', subject: 'person:9', counted: 'now' });
    for (const name of ['public', 'auth', 'upload'] as const) expect(subject.findCount(name, request)).toBeNull();
  });

  it('uses the address for every other limit, and for unknown callers', () => {
    const request = requestOf();
    for (const name of ['gate', 'session'] as const) expect(subject.findCount(name, request)).toBeNull();
    setCaller(request, run);
    for (const name of ['public', 'auth', 'session'] as const) expect(subject.findCount(name, request)).toBeNull();
  });
});
