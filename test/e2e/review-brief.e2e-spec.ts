import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { Sha } from '../github-sim/git/git-object.js';
import { TestEnvironment } from '../support/test-environment.js';
import { type JsonAnswer, signIn, type UserSession } from '../support/user-session.js';
import { givenPersonalKey, ToolsClient } from './remote-tools/tools-client.js';
import { RepositoryScenario } from './scenarios/repository-scenario.js';

/** The authors are needed, so the service compares the commits. */
const POLICY = `version: v1
stages:
  evidencing:
    required_evidence: [{ kind: unit_tests }]
    required_reviewers: { min_approvals: 1, exclude_release_authors: true }
`;

let env: TestEnvironment;
let scenario: RepositoryScenario;
let secret: RepositoryScenario;
let rita: UserSession;

const junit = (tests: readonly string[]): string =>
  `<testsuite name="s">${tests.map((name) => `<testcase classname="c" name="${name}"/>`).join('')}</testsuite>`;
const sarif = (rules: readonly string[]): string =>
  JSON.stringify({
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'linter' } },
        results: rules.map((ruleId) => ({
          ruleId,
          level: 'error',
          message: { text: 'no' },
          locations: [{ physicalLocation: { artifactLocation: { uri: 'src/a.ts' }, region: { startLine: 1 } } }],
        })),
      },
    ],
  });

/** Brings a release with these tests and findings to EVIDENCING. Returns its candidate. */
async function evidencing(version: string, tests: readonly string[], rules: readonly string[]): Promise<Sha> {
  const milestone = scenario.milestone(version);
  scenario.repository.issues.close(scenario.repository.issues.create({ title: `Work on ${version}`, milestone }));
  const sha = scenario.commit();
  await env.waitUntilIdle();
  const files = [
    { filename: 'junit.xml', content: junit(tests) },
    { filename: 'linter.sarif', content: sarif(rules) },
  ];
  expect((await scenario.run(sha).upload(version, { files, job: 'test' })).status).toBe(201);
  await env.waitUntilIdle();
  return sha;
}

const idOf = async (version: string): Promise<string> => {
  const [row] = await env.asSuperuser<{ readonly id: string }>(`select id from release where version = '${version}'`);
  return row?.id ?? '';
};
const brief = async (version: string): Promise<JsonAnswer> =>
  rita.get(`/api/reviews/release/${await idOf(version)}/brief`);
const lostTests = async (): Promise<unknown> => {
  const { body } = await rita.get('/api/reviews/pending?page=1&scope=workspace');
  return (body['reviews'] as readonly Readonly<Record<string, unknown>>[]).map((review) => [
    review['version'],
    review['lostTests'],
  ]);
};

beforeAll(async () => {
  env = await TestEnvironment.start({ BILLING: 'off' });
  scenario = new RepositoryScenario(env, { name: 'payments', sdlc: POLICY });
  scenario.repository.changeVisibility('public');
  secret = new RepositoryScenario(env, { name: 'hushed' });
  await env.install();
  rita = await signIn(env, scenario.reviewer);
  await env.waitUntilIdle();
});
afterAll(() => env.stop());
afterEach(() => expect(env.violations).toEqual([]));

describe('the brief of a reviewer', () => {
  it('has no comparison for the first release of a repository', async () => {
    const candidateSha = await evidencing('v1.0.0', ['stays', 'goes'], ['known']);
    await env.waitUntilIdle();
    expect(await brief('v1.0.0')).toMatchObject({
      status: 200,
      body: {
        version: 'v1.0.0',
        candidateSha,
        since: null,
        tests: { now: { passed: 2, failed: 0, skipped: 0 }, before: null, change: null },
        change: null,
        newFindings: null,
        scanChange: null,
        overrides: [],
        ownReview: null,
      },
    });
    scenario.approve('v1.0.0');
    await env.waitUntilIdle();
    expect(await brief('v1.0.0')).toMatchObject({ body: { ownReview: { state: 'approved', counts: true } } });
    await scenario.deploy(candidateSha);
  });

  it('says what changed since the last shipped release, and marks lost tests in the list of reviews', async () => {
    const before = scenario.head();
    const candidateSha = await evidencing('v1.1.0', ['stays', 'comes'], ['known', 'fresh']);
    expect(await lostTests()).toEqual([['v1.1.0', null]]);
    await env.waitUntilIdle();
    expect(await lostTests()).toEqual([['v1.1.0', 1]]);
    await env.waitUntilIdle();
    const calls = env.exchanges.length;
    expect(await brief('v1.1.0')).toMatchObject({
      status: 200,
      body: {
        evidencePrUrl: expect.stringContaining('/pull/'),
        since: {
          version: 'v1.0.0',
          commitSha: before,
          comparisonUrl: `${scenario.repository.htmlUrl}/compare/${before}...${candidateSha}`,
          changes: { commits: 1, commitsComplete: true, files: 1, filesComplete: true, paths: ['src/a.ts'] },
        },
        scope: { open: 0, closed: 1, issues: [{ title: 'Work on v1.1.0', state: 'closed' }] },
        tests: {
          now: { passed: 2, failed: 0, skipped: 0 },
          before: { passed: 2, failed: 0, skipped: 0 },
          change: {
            newFailures: { count: 0 },
            fixedTests: { count: 0 },
            lostTests: { count: 1, names: ['s › c › goes'] },
          },
          flaky: { count: 0 },
          comparison: 'known',
        },
        scorecard: { grade: expect.any(String) },
        change: { score: expect.any(Number), coverage: null },
        newFindings: { count: 1, findings: [{ severity: 'high', count: 1 }], unidentified: 0 },
        scanChange: { lost: [], added: [] },
        ownReview: null,
      },
    });
    expect(env.exchanges.slice(calls).map(({ path }) => path)).toEqual([]);
    scenario.repository.pulls.reviews.submit(scenario.evidencePull('v1.1.0'), {
      by: scenario.reviewer,
      state: 'CHANGES_REQUESTED',
      body: 'Where is the test?',
    });
    await env.waitUntilIdle();
    const own = { ownReview: { state: 'changes_requested', counts: true } };
    expect(await brief('v1.1.0')).toMatchObject({ body: own });
    const tools = await ToolsClient.connect(env, (await givenPersonalKey(rita)).secret, '2025-11-25');
    const { content } = await tools.call('review_brief', { repo: 'payments', version: 'v1.1.0' });
    expect(content).toMatchObject(own);
    expect((await brief('v1.1.0')).body).toMatchObject(content);
    await tools.close();
  });

  it('names the kinds of scans that only one of the two releases has', async () => {
    const milestone = scenario.milestone('v1.2.0');
    scenario.repository.issues.close(scenario.repository.issues.create({ title: 'Scan again', milestone }));
    const sha = scenario.commit();
    await env.waitUntilIdle();
    expect(await brief('v1.2.0')).toMatchObject({ body: { since: { version: 'v1.0.0' }, scanChange: null } });
    const files = [{ filename: 'junit.xml', content: junit(['stays']) }];
    expect((await scenario.run(sha).upload('v1.2.0', { files, job: 'test' })).status).toBe(201);
    await env.waitUntilIdle();
    expect(await brief('v1.2.0')).toMatchObject({
      body: { newFindings: null, scanChange: { lost: ['sast_scan'], added: [] } },
    });
  });

  it('is not found for a user who cannot read the repository, and for unknown ids', async () => {
    secret.milestone('v9.0.0');
    await env.waitUntilIdle();
    for (const id of [await idOf('v9.0.0'), randomUUID(), 'v1.1.0'])
      expect([id, (await rita.get(`/api/reviews/release/${id}/brief`)).status]).toEqual([id, 404]);
  });
});
