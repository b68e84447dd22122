import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { APP, startFakeGitHubGateway, type FakeGitHubGateway } from '../../../../test/support/fake-github-gateway.js';
import type { ScopeChange } from '../../../domain/release/scope-change.js';
import { PersonalToken } from '../../../github/transport/token-scope.js';
import { RateLimitLeases } from '../../../http/rate-limit/rate-limit-leases.js';
import type { LeasedTokens } from '../../../http/rate-limit/rate-limit.repository.js';
import type { UserTokensService } from '../../accounts/users/user-tokens.service.js';
import { ChangeOutcomeUnknownError } from '../releases.errors.js';
import { ScopeGitHubService } from './scope-github.service.js';
import type { ScopedRelease } from './scope.repository.js';

const ISSUE = '/repos/acme/app/issues/5';
const ADA = { id: 7, login: 'ada', name: null, avatarUrl: 'https://avatars.test/7' };
const AS_ADA = { ...APP, as: new PersonalToken('ghu_ada') };
const OURS = { id: 501, number: 3, title: 'v1.0.0' };
const RELEASE: ScopedRelease = {
  id: 'release',
  version: 'v1.0.0',
  milestoneNumber: 3,
  milestoneGithubId: OURS.id,
  shipped: false,
  cancelled: false,
  repository: {
    id: 'repository',
    githubId: APP.id,
    org: 'acme',
    name: 'app',
    defaultBranch: 'main',
    private: false,
    managed: true,
    holdsPolicyDefault: false,
    removed: false,
    ref: APP,
    organizationDefault: null,
  },
};
const CHANGES = {
  link: { action: 'link', number: 5 },
  unlink: { action: 'unlink', number: 5 },
  assign: { action: 'assign', number: 5, assignee: 'bob' },
  unassign: { action: 'unassign', number: 5, assignee: 'ada' },
} as const satisfies Record<string, ScopeChange>;
const WRITES = {
  link: `PATCH ${ISSUE}`,
  unlink: `PATCH ${ISSUE}`,
  assign: `POST ${ISSUE}/assignees`,
  unassign: `DELETE ${ISSUE}/assignees`,
} as const;

const issueJson = (changes: object = {}): object => ({
  number: 5,
  title: 'Refunds are rounded',
  state: 'open',
  assignees: [{ login: 'ada' }],
  labels: [],
  html_url: 'https://github.test/acme/app/issues/5',
  repository_url: 'https://api.github.test/repos/acme/app',
  milestone: OURS,
  ...changes,
});

describe('a change of the scope', () => {
  let fake: FakeGitHubGateway;
  let granted: number;
  beforeEach(async () => {
    fake = await startFakeGitHubGateway();
    granted = Infinity;
  });
  afterEach(() => fake.server.stop());

  const limited = (leaseTokens: () => Promise<LeasedTokens>) =>
    new ScopeGitHubService(
      fake.github,
      fake.clock,
      {} as UserTokensService,
      new RateLimitLeases({ leaseTokens }, fake.clock, () => undefined),
    );

  const make = (action: keyof typeof CHANGES): Promise<unknown> => {
    const take = () =>
      Promise.resolve({ granted: Math.min(granted, 6), used: granted < 6 ? 60 : 0, resetsInMs: 30_000 });
    return limited(take)
      .apply(ADA, AS_ADA, RELEASE, CHANGES[action])
      .catch((error: unknown) => error);
  };

  it.each([
    ['link', { milestone: null }, 'forbidden'],
    ['link', { milestone: { id: 502, number: 4, title: 'v2.0.0' } }, 'conflict'],
    ['unlink', {}, 'forbidden'],
    ['assign', {}, 'unprocessable'],
    ['unassign', {}, 'forbidden'],
  ] as const)('fails if GitHub accepts it but does not apply it: %s %j', async (action, changes, code) => {
    fake.server.on(WRITES[action], { json: issueJson(changes) });
    expect(await make(action)).toMatchObject({ name: 'DomainError', code });
  });

  it.each([
    ['link', 401, 'Bad credentials', 'forbidden'],
    ['link', 403, 'Resource not accessible by integration', 'forbidden'],
    ['link', 404, 'Not Found', 'not_found'],
    ['link', 410, 'This issue was deleted', 'not_found'],
    ['link', 422, 'Validation Failed', 'conflict'],
    ['unlink', 422, 'Validation Failed', 'conflict'],
    ['assign', 422, 'Validation Failed', 'unprocessable'],
    ['assign', 403, 'Must have triage access', 'forbidden'],
    ['unassign', 404, 'Not Found', 'not_found'],
    ['assign', 429, 'You have exceeded a secondary rate limit', 'unavailable'],
  ] as const)('reports the rejection of GitHub: %s %i %s', async (action, status, message, code) => {
    fake.server.on(WRITES[action], { status, json: { message } });
    const error = await make(action);
    expect([error instanceof ChangeOutcomeUnknownError, (error as { code: string }).code]).toEqual([false, code]);
  });

  it.each([
    ['succeeds if GitHub applied it without a response', issueJson(), { number: 5, milestone: { githubId: OURS.id } }],
    [
      'is unknown if GitHub has not applied it yet',
      issueJson({ milestone: null }),
      { name: 'DomainError', code: 'unavailable' },
    ],
    [
      'is unknown if the issue has another milestone in the meantime',
      issueJson({ milestone: { ...OURS, id: 502 } }),
      { code: 'unavailable' },
    ],
  ])('%s', async (_, found, outcome) => {
    fake.server.on(WRITES.link, { status: 502, json: { message: 'Server Error' } });
    fake.server.on(`GET ${ISSUE}`, { json: found });
    expect(await make('link')).toMatchObject(outcome);
  });

  it.each(['drop', 'truncate'] as const)(
    'succeeds if GitHub applied it and the response failed with a %s',
    async (fault) => {
      fake.server.on(WRITES.link, { json: issueJson(), fault });
      fake.server.on(`GET ${ISSUE}`, { json: issueJson() });
      expect(await make('link')).toMatchObject({ number: 5, milestone: { githubId: OURS.id } });
      expect(fake.server.calls(WRITES.link)).toHaveLength(1);
    },
  );

  it('is sent a second time if GitHub did not apply it', async () => {
    fake.server.on(WRITES.link, { status: 502, json: { message: 'Server Error' } }, { json: issueJson() });
    fake.server.on(`GET ${ISSUE}`, { json: issueJson({ milestone: null }) });
    expect(await make('link')).toMatchObject({ number: 5, milestone: { githubId: OURS.id } });
    expect(fake.server.calls(WRITES.link)).toHaveLength(2);
  });

  it.each([
    [401, 'Bad credentials'],
    [403, 'Must have triage access'],
    [404, 'Not Found'],
    [422, 'Validation Failed'],
    [429, 'You have exceeded a secondary rate limit'],
  ])(
    'is unknown if GitHub rejects the second request, because the first may have taken effect: %i',
    async (status, message) => {
      fake.server.on(WRITES.link, { status: 502, json: { message: 'Server Error' } }, { status, json: { message } });
      fake.server.on(`GET ${ISSUE}`, { json: issueJson({ milestone: null }) });
      expect(await make('link')).toBeInstanceOf(ChangeOutcomeUnknownError);
    },
  );

  it.each([
    [401, 'Bad credentials', 'forbidden'],
    [403, 'Resource protected by organization SAML enforcement', 'forbidden'],
    [404, 'Not Found', 'not_found'],
    [500, 'Server Error', 'unavailable'],
  ])('is not requested if GitHub does not show the issue: %i', async (status, message, code) => {
    fake.server.on(`GET ${ISSUE}`, { status, json: { message } });
    const host = limited(() => Promise.reject(new Error('nothing is written')));
    await expect(host.read(AS_ADA, 5)).rejects.toMatchObject({ name: 'DomainError', code });
  });

  it('is not sent if the rate limit of the user is used up', async () => {
    granted = 0;
    fake.server.on(WRITES.link, { json: issueJson() });
    expect(await make('link')).toMatchObject({ code: 'rate_limited', headers: { 'Retry-After': '30' } });
    expect(fake.server.calls(WRITES.link)).toHaveLength(0);
  });
});
