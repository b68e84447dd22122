import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { APP, startFakeGitHubGateway, type FakeGitHubGateway } from '../../../test/support/fake-github-gateway.js';
import { PersonalToken } from '../transport/token-scope.js';

const ISSUE = '/repos/acme/app/issues/5';
const AS_ADA = { ...APP, as: new PersonalToken('ghu_ada') };

const issueJson = (changes: object = {}): object => ({
  number: 5,
  title: 'Refunds are rounded',
  state: 'open',
  assignees: [{ login: 'ada' }],
  labels: [],
  html_url: 'https://github.test/acme/app/issues/5',
  repository_url: 'https://api.github.test/repos/Acme/App',
  milestone: { id: 501, number: 3, title: 'v1.0.0' },
  ...changes,
});

describe('ScopeIssues', () => {
  let fake: FakeGitHubGateway;
  beforeEach(async () => {
    fake = await startFakeGitHubGateway();
  });
  afterEach(() => fake.server.stop());

  it('returns the milestone of an issue, in any notation of the repository name', async () => {
    fake.server.on(`GET ${ISSUE}`, { json: issueJson() });
    const found = await fake.github.issueAssignments.find(APP, 5);
    expect(found).toMatchObject({ number: 5, assignees: ['ada'], milestone: { githubId: 501, title: 'v1.0.0' } });
    fake.server.on(`GET ${ISSUE}`, { json: issueJson({ milestone: null }) });
    await expect(fake.github.issueAssignments.find(APP, 5)).resolves.toMatchObject({ milestone: null });
  });

  it.each([
    ['a pull request', { json: issueJson({ pull_request: {} }) }],
    [
      'an issue that was transferred to another repository',
      { json: issueJson({ repository_url: 'https://x.test/repos/acme/b' }) },
    ],
    ['an issue that got another number in its new repository', { json: issueJson({ number: 6 }) }],
    ['a deleted issue', { status: 410, json: { message: 'This issue was deleted' } }],
    ['an issue that never existed', { status: 404, json: { message: 'Not Found' } }],
  ])('finds no issue for %s', async (_, answer) => {
    fake.server.on(`GET ${ISSUE}`, answer);
    await expect(fake.github.issueAssignments.find(APP, 5)).resolves.toBeNull();
  });

  it.each([
    ['sets a milestone', 'PATCH', ISSUE, { milestone: 3 }],
    ['clears the milestone', 'PATCH', ISSUE, { milestone: null }],
    ['adds one owner', 'POST', `${ISSUE}/assignees`, { assignees: ['bob'] }],
    ['removes one owner', 'DELETE', `${ISSUE}/assignees`, { assignees: ['bob'] }],
  ] as const)('%s in the name of the user, and returns the issue afterwards', async (_, method, path, body) => {
    fake.server.on(`${method} ${path}`, { json: issueJson() });
    const { issueAssignments } = fake.github;
    const done =
      'milestone' in body
        ? issueAssignments.setMilestone(AS_ADA, 5, body.milestone)
        : method === 'POST'
          ? issueAssignments.addAssignee(AS_ADA, 5, 'bob')
          : issueAssignments.removeAssignee(AS_ADA, 5, 'bob');
    await expect(done).resolves.toMatchObject({ number: 5, milestone: { githubId: 501 } });
    const [request] = fake.server.calls(`${method} ${path}`);
    expect([JSON.parse(request?.body ?? ''), request?.headers.authorization]).toEqual([body, 'Bearer ghu_ada']);
  });

  describe('search', () => {
    const ISSUES = 'GET /repos/acme/app/issues';
    const ASSIGNEES = 'GET /repos/acme/app/assignees';
    /** Answers with endless pages, each with one item. */
    const givePages = (route: string, toItem: (page: number) => object): void => {
      fake.server.on(route, ({ query }) => {
        const page = Number(query.get('page') ?? '1');
        const next = `${fake.server.url}${route.slice('GET '.length)}?page=${page + 1}`;
        return { json: [toItem(page)], headers: { link: `<${next}>; rel="next"` } };
      });
    };

    it('stops when it has enough issues without a milestone, or after ten pages', async () => {
      givePages(ISSUES, (page) => issueJson({ number: page, milestone: null }));
      const search = async (matches: (number: number) => boolean): Promise<readonly number[]> => {
        const found = await fake.github.issueAssignments.searchWithoutMilestone(AS_ADA, {
          matches: ({ number }) => matches(number),
          limit: 2,
        });
        return found.map(({ number }) => number);
      };
      await expect(search((number) => number > 1)).resolves.toEqual([2, 3]);
      expect(fake.server.calls(ISSUES)).toHaveLength(3);
      expect(Object.fromEntries(fake.server.calls(ISSUES)[0]!.query)).toMatchObject({
        milestone: 'none',
        state: 'open',
      });
      await expect(search((number) => number > 9)).resolves.toEqual([10]);
    });

    it('returns the assignees of the first ten pages', async () => {
      givePages(ASSIGNEES, (id) => ({ id, login: `user-${id}`, avatar_url: `https://avatars.test/${id}` }));
      const found = await fake.github.issueAssignments.listAssignees(AS_ADA);
      expect(found).toHaveLength(10);
      expect(found[1]).toEqual({ id: 2, login: 'user-2', avatarUrl: 'https://avatars.test/2' });
    });
  });

  it('does not follow an issue that was transferred', async () => {
    const location = `${fake.server.url}/repositories/999/issues/1`;
    fake.server.on(`PATCH ${ISSUE}`, { status: 301, json: {}, headers: { location } });
    await expect(fake.github.issueAssignments.setMilestone(AS_ADA, 5, 3)).rejects.toMatchObject({
      kind: 'not_found',
    });
  });
});
