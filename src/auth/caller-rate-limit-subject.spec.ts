import { describe, expect, it } from '@jest/globals';
import type { FastifyRequest } from 'fastify';
import {
  type ApiKeyCaller,
  type CredentialInHand,
  type IdentityTokenCaller,
  type MemberCaller,
  setCaller,
  setCredential,
} from './caller.js';
import { UnreadForm } from '../http/body/unread-form.js';
import { TOLD_BY_BODY } from '../http/rate-limit/rate-limit-subject.js';
import { CallerRateLimitSubject, subjectOfKey } from './caller-rate-limit-subject.js';

const subject = new CallerRateLimitSubject();
const run = { kind: 'identity_token', repositoryGithubId: 7 } as IdentityTokenCaller;
const key = { kind: 'api_key', keyId: 'k1' } as ApiKeyCaller;

const requestOf = (parts: { readonly query?: unknown; readonly body?: unknown } = {}): FastifyRequest =>
  ({ query: {}, ...parts }) as FastifyRequest;

describe('CallerRateLimitSubject', () => {
  it.each(['upload', 'gate'] as const)('counts the %s limit of a run for its repository', (name) => {
    const request = requestOf({ query: { repo: 'another' } });
    setCaller(request, run);
    expect(subject.of(name, request)).toBe('repository:7');
  });

  it.each([
    [{ query: { repo: 'acme/Payments' } }, 'key:k1:payments'],
    [{ query: { repo: 'payments' } }, 'key:k1:payments'],
    [{ body: { repo: 'payments' } }, 'key:k1:payments'],
    [{ body: null }, 'key:k1:'],
    [{ query: { repo: ['a', 'b'] } }, 'key:k1:'],
    [{ query: { repo: 'x'.repeat(101) } }, 'key:k1:'],
    [{ query: { repo: 'a b' } }, 'key:k1:'],
  ])('counts the limit of a key for each repository that it asks for: %j', (parts, counted) => {
    const request = requestOf(parts);
    setCaller(request, key);
    expect(subject.of('upload', request)).toBe(counted);
  });

  it('leaves it to the route to count a form of a key, which says only by its fields what it is for', () => {
    const body = new UnreadForm(requestOf(), { wireBytes: 1, inflatedBytes: 1 });
    const [byKey, byRun] = [requestOf({ body, query: { repo: 'payments' } }), requestOf({ body })];
    setCaller(byKey, key);
    setCaller(byRun, run);
    expect([subject.of('upload', byKey), subject.of('upload', byRun)]).toEqual([TOLD_BY_BODY, 'repository:7']);
    expect(subjectOfKey(key, 'acme/Payments')).toBe('key:k1:payments');
  });

  it('counts a credential in hand like the caller that it will be', () => {
    const byRun = requestOf();
    setCredential(byRun, { kind: 'identity_token', claims: { repositoryGithubId: 7 } } as CredentialInHand);
    expect(subject.of('gate', byRun)).toBe('repository:7');

    const byKey = requestOf({ query: { repo: 'payments' } });
    setCredential(byKey, { kind: 'api_key', secretHash: Buffer.from([1, 2, 3]) } as unknown as CredentialInHand);
    expect(subject.of('gate', byKey)).toBe('key:AQID:payments');
  });

  it.each(['person', 'member'])('counts the limit of sessions for each %s, and no other limit', (kind) => {
    const request = requestOf();
    setCaller(request, { kind, person: { id: 9 } } as MemberCaller);
    expect(subject.of('session', request)).toBe('person:9');
    for (const name of ['public', 'auth', 'upload', 'gate'] as const) expect(subject.of(name, request)).toBeNull();
  });

  it('leaves every other limit, and whoever is not known, to the address', () => {
    const request = requestOf();
    for (const name of ['gate', 'session'] as const) expect(subject.of(name, request)).toBeNull();
    setCaller(request, run);
    for (const name of ['public', 'auth', 'session'] as const) expect(subject.of(name, request)).toBeNull();
  });
});
