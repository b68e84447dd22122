import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { GITHUB_API } from '../../test/support/github-contract.js';
import { APP, startFakeGitHubGateway, type FakeGitHubGateway } from '../../test/support/fake-github-gateway.js';
import type { SeenRequest } from '../../test/support/fake-http-server.js';
import type { GitHubGateway } from './github-gateway.js';
import { gfm } from './markdown.js';

const SHA = 'a'.repeat(40);
const PULL = { title: 'Evidence for v1.0.0', head: 'shipgate/evidence/v1.0.0', base: 'main', body: gfm`All of it.` };
const CHECK = {
  name: 'Shipgate',
  externalId: 'e',
  conclusion: 'success',
  title: 'Part of v1',
  summary: gfm`Yes.`,
} as const;
const ACME = { id: 11, installationId: 7 };
const RULESET = {
  name: 'Shipgate: release branches',
  target: 'branch',
  enforcement: 'active',
  include: ['refs/heads/release/**/*'],
  exclude: [],
  bypassActors: [],
  rules: [{ type: 'deletion', parameters: {} }],
};
const FILES = [{ path: '.releases/v1.0.0/EVIDENCE.md', content: '# Evidence' }];

/** Members of the gateway outside the REST API, which GitHub's description does not cover. */
const BESIDE: ReadonlySet<string> = new Set(['client', 'clock', 'oauth']);

/** Methods of the same classes that only their own class calls. */
const PRIVATE_METHODS: ReadonlySet<string> = new Set([
  'checks.readAttempts',
  'commits.createBlob',
  'deployments.listStatuses',
  'deployments.withStatuses',
  'organizations.account',
  'organizations.isMemberByLogin',
  'rulesets.find',
  'rulesets.list',
  'workflowRuns.readJobs',
]);

const CALLS: readonly (readonly [string, (github: GitHubGateway) => Promise<unknown>])[] = [
  ['repositories.find', (github) => github.repositories.find(APP)],
  ['repositories.file', (github) => github.repositories.file(APP, '.github/workflows/ci.yml', 'release/1.0')],
  ['repositories.folder', (github) => github.repositories.folder(APP, '.github/workflows', 'release/1.0')],
  ['repositories.permission', (github) => github.repositories.permission(APP, 'ada')],
  ['workflowRuns.find', (github) => github.workflowRuns.find(APP, 12)],
  ['workflowRuns.listWaiting', (github) => github.workflowRuns.listWaiting(APP)],
  ['workflowRuns.jobs', (github) => github.workflowRuns.jobs(APP, 12)],
  ['attestations.listProvenances', (github) => github.attestations.listProvenances(APP, `sha256:${'d'.repeat(64)}`)],
  ['deploymentReviews.listPending', (github) => github.deploymentReviews.listPending(APP, 12)],
  ['deploymentReviews.list', (github) => github.deploymentReviews.list(APP, 12)],
  [
    'deploymentReviews.decide',
    (github) =>
      github.deploymentReviews.decide(APP, 12, { environment: 'prod/eu', state: 'approved', comment: gfm`Go.` }),
  ],
  [
    'deploymentReviews.report',
    (github) => github.deploymentReviews.report(APP, 12, { environment: 'prod/eu', comment: gfm`It is closed.` }),
  ],
  ['environments.find', (github) => github.environments.find(APP, 'prod/eu')],
  ['environments.create', (github) => github.environments.create(APP, 'prod/eu')],
  ['environments.listRules', (github) => github.environments.listRules(APP, 'prod/eu')],
  ['environments.enableRule', (github) => github.environments.enableRule(APP, 'prod/eu', 5)],
  ['milestones.list', (github) => github.milestones.list(APP)],
  ['milestones.find', (github) => github.milestones.find(APP, 3)],
  [
    'milestones.create',
    (github) =>
      github.milestones.create(APP, { title: 'v1.0.0', description: 'Pay by card.', dueOn: new Date('2026-05-06') }),
  ],
  ['issues.listByMilestone', (github) => github.issues.listByMilestone(APP, 3)],
  ['issues.linkedPulls', (github) => github.issues.linkedPulls(APP, 5)],
  ['appIssues.find', (github) => github.appIssues.find(APP, 'shipgate[bot]', '<!-- shipgate -->')],
  ['appIssues.create', (github) => github.appIssues.create(APP, { title: 'Tampered with', body: gfm`By whom?` })],
  [
    'appIssues.update',
    (github) => github.appIssues.update(APP, 9, { title: 'Restored', body: gfm`As it was.`, state: 'closed' }),
  ],
  ['issueAssignments.find', (github) => github.issueAssignments.find(APP, 9)],
  [
    'issueAssignments.searchWithoutMilestone',
    (github) => github.issueAssignments.searchWithoutMilestone(APP, { matches: () => true, limit: 50 }),
  ],
  ['issueAssignments.listAssignees', (github) => github.issueAssignments.listAssignees(APP)],
  ['issueAssignments.setMilestone', (github) => github.issueAssignments.setMilestone(APP, 9, 3)],
  ['issueAssignments.addAssignee', (github) => github.issueAssignments.addAssignee(APP, 9, 'ada')],
  ['issueAssignments.removeAssignee', (github) => github.issueAssignments.removeAssignee(APP, 9, 'ada')],
  ['rulesets.listByName', (github) => github.rulesets.listByName(APP, [RULESET.name])],
  ['rulesets.create', (github) => github.rulesets.create(APP, RULESET)],
  ['rulesets.replace', (github) => github.rulesets.replace(APP, 31, RULESET)],
  ['branches.listByPrefix', (github) => github.branches.listByPrefix(APP, 'release/')],
  ['branches.findHead', (github) => github.branches.findHead(APP, 'release/v1.0.0')],
  ['branches.create', (github) => github.branches.create(APP, 'shipgate/evidence/v1.0.0', SHA)],
  ['branches.forceUpdate', (github) => github.branches.forceUpdate(APP, 'shipgate/evidence/v1.0.0', SHA)],
  ['commits.history', (github) => github.commits.history(APP, SHA)],
  ['commits.exists', (github) => github.commits.exists(APP, SHA)],
  ['commits.hasChangedFile', (github) => github.commits.hasChangedFile(APP, SHA, '.github/workflows/shipgate-ci.yml')],
  ['commits.findLastChange', (github) => github.commits.findLastChange(APP, 'main', 'sdlc.yaml')],
  ['commits.compare', (github) => github.commits.compare(APP, SHA, SHA)],
  ['commits.create', (github) => github.commits.create(APP, { baseSha: SHA, files: FILES, message: 'docs: evidence' })],
  ['checks.listByCommit', (github) => github.checks.listByCommit(APP, SHA)],
  ['checkRuns.findByName', (github) => github.checkRuns.findByName(APP, SHA, 'Shipgate')],
  ['checkRuns.create', (github) => github.checkRuns.create(APP, SHA, CHECK)],
  ['checkRuns.update', (github) => github.checkRuns.update(APP, 4, CHECK)],
  ['openPullRequests.list', (github) => github.openPullRequests.list(APP)],
  ['pulls.find', (github) => github.pulls.find(APP, 12)],
  ['pulls.listByHead', (github) => github.pulls.listByHead(APP, 'shipgate/evidence/v1.0.0')],
  ['pulls.reviews', (github) => github.pulls.reviews(APP, 12)],
  ['pulls.open', (github) => github.pulls.open(APP, PULL)],
  ['pulls.update', (github) => github.pulls.update(APP, 12, { title: 'Evidence', body: gfm``, state: 'closed' })],
  ['pulls.requestTeamReviews', (github) => github.pulls.requestTeamReviews(APP, 12, ['release-managers'])],
  ['deployments.find', (github) => github.deployments.find(APP, 70)],
  ['deployments.listRecent', (github) => github.deployments.listRecent(APP, 'production')],
  [
    'deployments.listOfCommit',
    (github) => github.deployments.listOfCommit(APP, { environment: 'production', sha: SHA }),
  ],
  [
    'deployments.listSuccessful',
    (github) => github.deployments.listSuccessful(APP, 'production', () => Promise.resolve([])),
  ],
  ['deployments.dispatch', (github) => github.deployments.dispatch(APP, 'shipgate-deploy', { version: 'v1.0.0' })],
  ['teams.members', (github) => github.teams.members(7, 'acme', 'release-managers')],
  ['installations.app', (github) => github.installations.app()],
  ['installations.list', (github) => github.installations.list()],
  ['installations.find', (github) => github.installations.find(7)],
  ['installations.repositories', (github) => github.installations.repositories(7)],
  ['userAccess.account', (github) => github.userAccess.account('ghu_ada')],
  ['userAccess.memberships', (github) => github.userAccess.memberships('ghu_ada')],
  ['userAccess.repositories', (github) => github.userAccess.repositories('ghu_ada', 7)],
  ['users.findByLogin', (github) => github.users.findByLogin(7, 'mia')],
  ['organizations.memberIds', (github) => github.organizations.memberIds(ACME)],
  ['organizations.hasMember', (github) => github.organizations.hasMember(ACME, { id: 501, login: 'mia' })],
  ['webhookDeliveries.recent', (github) => github.webhookDeliveries.recent()],
  ['webhookDeliveries.pages', (github) => github.webhookDeliveries.pages(3).next()],
  ['webhookDeliveries.redeliver', (github) => github.webhookDeliveries.redeliver(12345)],
];

describe("The gateway's requests", () => {
  let fake: FakeGitHubGateway;

  beforeAll(async () => {
    fake = await startFakeGitHubGateway();
    const { server: host } = fake;
    // Requests whose answers other calls need get these answers. All other requests are rejected.
    host.on(`GET /repos/acme/app/git/commits/${SHA}`, { json: { tree: { sha: SHA } } });
    host.on('POST /repos/acme/app/git/blobs', { status: 201, json: { sha: SHA } });
    host.on('POST /repos/acme/app/git/trees', { status: 201, json: { sha: SHA } });
    host.on(`GET /repos/acme/app/commits/${SHA}/check-runs`, { json: { total_count: 0, check_runs: [] } });
    const deployment = {
      id: 70,
      sha: SHA,
      environment: 'production',
      creator: null,
      created_at: '2026-05-04T09:00:00Z',
    };
    host.on('GET /repos/acme/app/deployments', { json: [deployment] });
    host.on('GET /repos/acme/app/deployments/70', { json: deployment });
    host.on('GET /repos/acme/app/rulesets', { json: [{ id: 31, name: RULESET.name }] });
    host.on('GET /app/installations/7', {
      json: {
        id: 7,
        account: { id: 11, login: 'acme' },
        target_type: 'Organization',
        repository_selection: 'all',
        permissions: { members: 'read' },
        suspended_at: null,
      },
    });
  });
  afterAll(() => fake.server.stop());

  /** Returns the differences of a request from GitHub's description, regardless of the answer. */
  const problemsOf = ({ route, query, headers, body }: SeenRequest): readonly object[] => {
    const [method = '', path = ''] = route.split(' ');
    const requestHeaders = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
    const exchange = { method, path, query: Object.fromEntries(query), requestHeaders };
    const requestBody: unknown = body === '' ? undefined : JSON.parse(body);
    return GITHUB_API.check({ ...exchange, requestBody, status: 404, responseBody: { message: 'Not Found' } }).filter(
      ({ part }) => part !== 'status' && part !== 'response body',
    );
  };

  it.each(CALLS)('match the description of GitHub: %s', async (_, call) => {
    const before = fake.server.seen.length;
    await call(fake.github).catch(() => null);
    const sent = fake.server.seen.slice(before);
    expect(sent.length).toBeGreaterThan(0);
    expect(sent.flatMap(problemsOf)).toEqual([]);
  });

  it('cover every method of the gateway', () => {
    const methods = Object.entries(fake.github).flatMap(([noun, value]: readonly [string, object]) =>
      BESIDE.has(noun)
        ? []
        : Object.getOwnPropertyNames(Object.getPrototypeOf(value))
            .filter((name) => name !== 'constructor' && !PRIVATE_METHODS.has(`${noun}.${name}`))
            .map((name) => `${noun}.${name}`),
    );
    expect(methods.toSorted()).toEqual(CALLS.map(([name]) => name).toSorted());
  });
});
