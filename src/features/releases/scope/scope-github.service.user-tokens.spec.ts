import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  APP,
  repositoryJson,
  startFakeGitHubGateway,
  type FakeGitHubGateway,
} from '../../../../test/support/fake-github-gateway.js';
import { GitHubError } from '../../../github/transport/github-error.js';
import type { RateLimitLeases } from '../../../http/rate-limit/rate-limit-leases.js';
import type { UserTokensService } from '../../accounts/users/user-tokens.service.js';
import { ScopeGitHubService } from './scope-github.service.js';

const REPOSITORY = 'GET /repos/acme/app';
const ADA = { id: 7, login: 'ada', name: null, avatarUrl: 'https://avatars.test/7' };
const MAY_TRIAGE = { admin: false, maintain: false, push: false, triage: true, pull: true };

describe('a user who changes an issue in their own name', () => {
  let fake: FakeGitHubGateway;
  let findAccessToken: () => Promise<string | null>;
  beforeEach(async () => {
    fake = await startFakeGitHubGateway();
    findAccessToken = () => Promise.resolve('ghu_ada');
  });
  afterEach(() => fake.server.stop());

  const verify = () =>
    new ScopeGitHubService(
      fake.github,
      fake.clock,
      { findAccessToken } as unknown as UserTokensService,
      {} as RateLimitLeases,
    ).verify(ADA, APP);

  it.each([
    ['triage', MAY_TRIAGE],
    ['write', { ...MAY_TRIAGE, push: true }],
    ['maintain', { ...MAY_TRIAGE, push: true, maintain: true }],
    ['admin', { ...MAY_TRIAGE, push: true, maintain: true, admin: true }],
  ])('is permitted with the role %s, and is checked with their own token only', async (_, permissions) => {
    fake.server.on(REPOSITORY, { json: repositoryJson({ permissions }) });
    const writer = await verify();
    expect(writer.as?.reveal()).toBe('ghu_ada');
    expect(JSON.stringify(writer)).not.toContain('ghu_ada');
    expect(fake.server.seen.map(({ headers }) => headers.authorization)).toEqual(['Bearer ghu_ada']);
  });

  it.each([
    ['can only read', { json: repositoryJson({ permissions: { ...MAY_TRIAGE, triage: false } }) }, 'forbidden'],
    ['has unknown permissions', { json: repositoryJson() }, 'forbidden'],
    [
      'names an archived repository',
      { json: repositoryJson({ permissions: MAY_TRIAGE, archived: true }) },
      'forbidden',
    ],
    [
      'reads another repository of that name',
      { json: repositoryJson({ id: 102, permissions: MAY_TRIAGE }) },
      'not_found',
    ],
    ['cannot read', { status: 404, json: { message: 'Not Found' } }, 'not_found'],
    ['revoked the token', { status: 401, json: { message: 'Bad credentials' } }, 'forbidden'],
    ['did not sign in by SAML', { status: 403, json: { message: 'Resource protected by SAML' } }, 'forbidden'],
    [
      'exceeds the rate limit',
      { status: 429, json: { message: 'You have exceeded a secondary rate limit' } },
      'unavailable',
    ],
    ['receives an error', { status: 500, json: { message: 'Server Error' } }, 'unavailable'],
    [
      'receives a truncated response',
      { json: repositoryJson({ permissions: MAY_TRIAGE }), fault: 'truncate' },
      'unavailable',
    ],
    ['receives no response', { fault: 'drop' }, 'unavailable'],
    ['receives an unexpected response', { json: ['not', 'a', 'repository'] }, 'unavailable'],
  ] as const)('is rejected if the user %s', async (_, reply, code) => {
    fake.server.on(REPOSITORY, reply);
    await expect(verify()).rejects.toMatchObject({ name: 'DomainError', code });
  });

  it.each([
    ['is missing', () => Promise.resolve(null), 'forbidden'],
    ['cannot be read', () => Promise.reject(new GitHubError('timeout', 'renewed elsewhere')), 'unavailable'],
  ] as const)('is rejected without a request to GitHub if the token %s', async (_, answer, code) => {
    findAccessToken = answer;
    await expect(verify()).rejects.toMatchObject({ name: 'DomainError', code });
    expect(fake.server.seen).toEqual([]);
  });
});
