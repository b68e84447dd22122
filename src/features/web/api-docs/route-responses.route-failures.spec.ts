import { describe, expect, it } from '@jest/globals';
import type { ResponseObject } from '@nestjs/swagger';
import { RATE_LIMITS } from '../../../http/rate-limit/rate-limits.js';
import type { RouteContract } from './route-contract.js';
import { routeErrorResponses } from './route-responses.js';

const OPEN: RouteContract = {
  rule: { kind: 'public' },
  rateLimit: null,
  body: null,
  revalidated: false,
  answers: {},
  errorCodes: {},
  example: null,
};

const failures = (changes: Partial<RouteContract>): Record<string, ResponseObject> =>
  routeErrorResponses({ ...OPEN, ...changes }) as Record<string, ResponseObject>;

describe('the failures of a route', () => {
  it.each<[string, Partial<RouteContract>, string[]]>([
    ['an open route without input', {}, ['400', '500']],
    ['a route that declares no access', { rule: null }, ['400', '403', '500']],
    ['a session', { rule: { kind: 'session', role: 'admin' } }, ['400', '401', '403', '409', '500', '503']],
    ['a session without a workspace', { rule: { kind: 'session', role: 'user' } }, ['400', '401', '409', '500', '503']],
    [
      'a session that changes something',
      { rule: { kind: 'session', role: 'user' }, body: 'json' },
      ['400', '401', '403', '409', '413', '415', '500', '503'],
    ],
    [
      'a session or a personal key',
      { rule: { kind: 'session', role: 'member', personalKey: 'read' } },
      ['400', '401', '403', '409', '429', '500', '503'],
    ],
    [
      'a CI credential',
      { rule: { kind: 'ci', scope: 'gate:read', tenantBy: 'guard' } },
      ['400', '401', '403', '429', '500', '503'],
    ],
    ['a JSON body', { body: 'json' }, ['400', '413', '415', '500']],
    ['a raw body, which is accepted with any content', { body: 'raw' }, ['400', '500']],
    ['a rate limit', { rateLimit: RATE_LIMITS.public }, ['400', '429', '500']],
    ['its own answers', { answers: { 404: 'There is none.', 409: 'It is shipped.' } }, ['400', '404', '409', '500']],
  ])('follow from %s', (_, changes, statuses) => {
    expect(Object.keys(failures(changes)).toSorted()).toEqual(statuses);
  });

  it("list every cause of one status, the route's own last and as the example", () => {
    const { 429: response } = failures({ rateLimit: RATE_LIMITS.upload, answers: { 429: 'The token is used up.' } });
    expect(response?.description).toBe('There were more than 300 requests in 60 seconds. The token is used up.');
    expect(response?.content?.['application/json']?.example).toEqual({ error: 'The token is used up.' });
    expect(Object.keys(response?.headers ?? {})).toEqual([
      'X-Request-Id',
      'RateLimit',
      'RateLimit-Policy',
      'Retry-After',
    ]);
  });

  it.each([
    [401, ['X-Request-Id', 'WWW-Authenticate']],
    [404, ['X-Request-Id']],
    [503, ['X-Request-Id', 'Retry-After']],
  ])('have the headers that a response with the status %d needs', (status, headers) => {
    expect(Object.keys(failures({ answers: { [status]: 'So.' } })[status]?.headers ?? {})).toEqual(headers);
  });

  it('name the codes of the causes that share a status', () => {
    const rule = { kind: 'session', role: 'member' } as const;
    const { 403: forbidden, 409: conflict } = failures({
      rule,
      answers: { 409: 'The name is taken.' },
      errorCodes: { 409: ['name_taken'] },
    });
    const codesOf = (response: ResponseObject | undefined): unknown => response?.headers?.['X-Error-Code'];
    expect(codesOf(conflict)).toMatchObject({ schema: { enum: ['name_taken', 'other_workspace'] } });
    expect(codesOf(forbidden)).toMatchObject({ schema: { enum: ['discovering', 'no_workspace'] } });
    expect(codesOf(failures({ answers: { 404: 'There is none.' } })[404])).toBeUndefined();
  });

  it('list the same cause once, and request a credential from programs, for a session or a personal key', () => {
    const { 401: missing, 503: away } = failures({ rule: { kind: 'session', role: 'member', personalKey: 'read' } });
    expect(missing?.description).toBe('There is no valid session. The key is missing or not valid.');
    expect(Object.keys(missing?.headers ?? {})).toEqual(['X-Request-Id', 'WWW-Authenticate']);
    expect(away?.description).toBe('A required system is not available.');
  });

  it('challenge no browser for a session', () => {
    const { 401: response } = failures({ rule: { kind: 'session', role: 'member' }, answers: { 401: 'Again.' } });
    expect(Object.keys(response?.headers ?? {})).toEqual(['X-Request-Id']);
  });
});
