import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  APP,
  repositoryJson,
  scriptedGateway,
  type FakeGitHubGateway,
} from '../../../../test/support/scripted-gateway.js';
import { GitHubError } from '../../../github/transport/github-error.js';
import type { RateLimitLeases } from '../../../http/rate-limit/rate-limit-leases.js';
import type { UserTokensService } from '../../accounts/users/user-tokens.service.js';
import { ScopeGitHubService } from './scope-github.service.js';

const REPOSITORY = 'GET /repos/acme/app';
const ADA = { id: 7, login: 'ada', name: null, avatarUrl: 'https://avatars.test/7' };
const MAY_TRIAGE = { admin: false, maintain: false, push: false, triage: true, pull: true };

describe('who changes an issue as themselves', () => {
  let scripted: FakeGitHubGateway;
  let findAccessToken: () => Promise<string | null>;
  beforeEach(async () => {
    scripted = await scriptedGateway();
    findAccessToken = () => Promise.resolve('ghu_ada');
  });
  afterEach(() => scripted.host.stop());

  const verify = () =>
    new ScopeGitHubService(
      scripted.github,
      scripted.clock,
      { findAccessToken } as unknown as UserTokensService,
      {} as RateLimitLeases,
    ).verify(ADA, APP);

  it.each([
    ['triage', MAY_TRIAGE],
    ['write', { ...MAY_TRIAGE, push: true }],
    ['maintain', { ...MAY_TRIAGE, push: true, maintain: true }],
    ['admin', { ...MAY_TRIAGE, push: true, maintain: true, admin: true }],
  ])('may do so with the role %s, and is asked for with their own token alone', async (_, permissions) => {
    scripted.host.on(REPOSITORY, { json: repositoryJson({ permissions }) });
    const writer = await verify();
    expect(writer.as?.reveal()).toBe('ghu_ada');
    expect(JSON.stringify(writer)).not.toContain('ghu_ada');
    expect(scripted.host.seen.map(({ headers }) => headers.authorization)).toEqual(['Bearer ghu_ada']);
  });

  it.each([
    ['may only read', { json: repositoryJson({ permissions: { ...MAY_TRIAGE, triage: false } }) }, 'forbidden'],
    ['may do nobody knows what', { json: repositoryJson() }, 'forbidden'],
    ['came too late', { json: repositoryJson({ permissions: MAY_TRIAGE, archived: true }) }, 'forbidden'],
    ['reads another of that name', { json: repositoryJson({ id: 102, permissions: MAY_TRIAGE }) }, 'not_found'],
    ['may not read', { status: 404, json: { message: 'Not Found' } }, 'not_found'],
    ['took their token back', { status: 401, json: { message: 'Bad credentials' } }, 'forbidden'],
    ['did not sign in by SAML', { status: 403, json: { message: 'Resource protected by SAML' } }, 'forbidden'],
    ['asks too much', { status: 429, json: { message: 'You have exceeded a secondary rate limit' } }, 'unavailable'],
    ['is told of an error', { status: 500, json: { message: 'Server Error' } }, 'unavailable'],
    ['is told half of it', { json: repositoryJson({ permissions: MAY_TRIAGE }), fault: 'truncate' }, 'unavailable'],
    ['is told nothing', { fault: 'drop' }, 'unavailable'],
    ['is told something else', { json: ['not', 'a', 'repository'] }, 'unavailable'],
  ] as const)('is refused who %s', async (_, reply, code) => {
    scripted.host.on(REPOSITORY, reply);
    await expect(verify()).rejects.toMatchObject({ name: 'DomainError', code });
  });

  it.each([
    ['gave none', () => Promise.resolve(null), 'forbidden'],
    ['cannot be told', () => Promise.reject(new GitHubError('timeout', 'renewed elsewhere')), 'unavailable'],
  ] as const)('is refused whose token %s, without a word to GitHub', async (_, answer, code) => {
    findAccessToken = answer;
    await expect(verify()).rejects.toMatchObject({ name: 'DomainError', code });
    expect(scripted.host.seen).toEqual([]);
  });
});
