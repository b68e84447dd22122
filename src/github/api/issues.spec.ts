import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { APP, startFakeGitHubGateway, type FakeGitHubGateway } from '../../../test/support/fake-github-gateway.js';

const ISSUES = 'GET /repos/acme/app/issues';
const TIMELINE = 'GET /repos/acme/app/issues/5/timeline';

const issueJson = (changes: object = {}): object => ({
  number: 5,
  title: 'Refunds are rounded',
  state: 'open',
  assignees: [{ login: 'ada' }],
  labels: [{ name: 'bug' }],
  html_url: 'https://github.test/acme/app/issues/5',
  ...changes,
});

describe('Issues', () => {
  let fake: FakeGitHubGateway;
  beforeEach(async () => {
    fake = await startFakeGitHubGateway();
  });
  afterEach(() => fake.server.stop());

  it('lists the open and closed issues of a milestone without its pull requests', async () => {
    const { server: host, github } = fake;
    host.on(ISSUES, { json: [issueJson(), issueJson({ number: 6, pull_request: { url: 'https://github.test/6' } })] });
    await expect(github.issues.listByMilestone(APP, 3)).resolves.toMatchObject({
      value: [
        {
          number: 5,
          title: 'Refunds are rounded',
          state: 'open',
          assignees: ['ada'],
          labels: ['bug'],
          url: 'https://github.test/acme/app/issues/5',
        },
      ],
    });
    expect(Object.fromEntries(host.calls(ISSUES)[0]!.query)).toMatchObject({ milestone: '3', state: 'all' });
  });

  const mention = (changes: object) => ({
    event: 'cross-referenced',
    source: { type: 'issue', issue: { number: 6, ...changes } },
  });
  it.each([
    [false, 'nothing', []],
    [false, 'a mention by an issue', [mention({})]],
    [true, 'a mention by a pull request', [mention({ pull_request: {} })]],
    [true, 'a connection', [{ event: 'connected' }]],
    [false, 'a connection that was removed', [{ event: 'connected' }, { event: 'disconnected' }]],
    [
      true,
      'two connections of which one was removed',
      [{ event: 'connected' }, { event: 'connected' }, { event: 'disconnected' }],
    ],
    [false, 'other events', [{ event: 'labeled' }, { sha: 'a commit has no event' }]],
  ])('answers %p to a timeline of %s', async (linked, _, events) => {
    fake.server.on(TIMELINE, { json: events });
    await expect(fake.github.issues.linkedPulls(APP, 5)).resolves.toMatchObject({ value: { linked } });
  });
});
