import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { junit } from '../support/ci-run-client.js';
import { type UserSession, signIn } from '../support/user-session.js';
import { TestEnvironment } from '../support/test-environment.js';
import { formOf, postForm } from './scenarios/report-form.js';
import { PLAIN_POLICY, RepositoryScenario } from './scenarios/repository-scenario.js';

const VERSION = 'v1.0.0';
const RED = `<testsuites><testsuite name="s" tests="2">
  <testcase classname="pay" name="by card" file="src/pay.spec.ts"><failure message="got 500"/></testcase>
  <testcase classname="pay" name="by invoice"/>
</testsuite></testsuites>`;
/** The page of the token's run on GitHub. */
const RUN_URL = /^http:\/\/[\w.:]+\/acme\/open\/actions\/runs\/\d+\/attempts\/1$/;
const PAGE = '<!doctype html><title>All green</title>';

type Body = Readonly<Record<string, unknown>>;

describe('evidence', () => {
  let env: TestEnvironment;
  let open: RepositoryScenario;
  let secret: RepositoryScenario;
  let member: UserSession;
  let reader: UserSession;
  let stranger: UserSession;
  const ids = new Map<RepositoryScenario, { release: string; evidence: string }>();

  beforeAll(async () => {
    env = await TestEnvironment.start({ BILLING: 'off' });
    open = new RepositoryScenario(env, { name: 'open', sdlc: PLAIN_POLICY });
    secret = new RepositoryScenario(env, { name: 'secret' });
    open.repository.changeVisibility('public');
    secret.repository.changeVisibility('private');
    await env.install();
    for (const scenario of [open, secret]) ids.set(scenario, await uploaded(scenario));
    const elsewhere = env.github.createOrganization({ login: 'elsewhere' });
    await env.install(elsewhere);
    const user = (login: string) => env.github.createUser({ login });
    member = await signIn(env, user('mona'));
    reader = await signIn(env, user('rita'));
    stranger = await signIn(env, user('sam'), { role: 'admin', organization: elsewhere });
    await mayRead(reader, secret);
  });
  afterAll(() => env.stop());
  afterEach(() => expect(env.violations).toEqual([]));

  async function uploaded(scenario: RepositoryScenario): Promise<{ release: string; evidence: string }> {
    scenario.milestone(VERSION);
    const sha = scenario.commit();
    await env.waitUntilIdle();
    const run = scenario.run(sha);
    const fields = {
      repo: scenario.repository.name,
      version: VERSION,
      pipeline: 'build',
      environment: 'staging',
      metrics: JSON.stringify({
        unit_tests: { passed: 2, failed: 0 },
        performance: { p95: 120 },
      }),
      run_url: 'https://ci.example/runs/7',
    };
    const files = [
      { filename: 'junit.xml', content: RED },
      { filename: 'index.html', content: PAGE },
    ];
    const { body, status } = await postForm(env, await run.token(), formOf(fields, files));
    if (status !== 201) throw new Error(JSON.stringify(body));
    await run.again(2).upload(VERSION, { files: [{ filename: 'junit.xml', content: junit(3) }] });
    await env.waitUntilIdle();
    const [row] = await env.asSuperuser<{ id: string }>(
      `select release_id as id from evidence where id = '${String(body['evidenceId'])}'`,
    );
    return { release: row?.id ?? '', evidence: String(body['evidenceId']) };
  }

  const mayRead = async (user: UserSession, scenario: RepositoryScenario): Promise<unknown> =>
    env.asSuperuser(
      `insert into repository_access (org_id, person, repository_github_id)
       values ('${await env.orgId()}', ${user.user.id}, ${scenario.repository.id}) on conflict do nothing`,
    );
  const idsOf = (scenario: RepositoryScenario) => ids.get(scenario) ?? { release: '', evidence: '' };

  it('of a release is listed by item, newest first', async () => {
    const { release, evidence } = idsOf(open);
    const { status, body } = await member.get(`/api/milestones/${release}/evidence`);
    const items = body['evidence'] as readonly Body[];
    expect([status, Object.keys(body)]).toEqual([200, ['evidence']]);
    expect(items.map(({ type, status }) => [type, status])).toEqual([
      ['unit_tests', 'passed'],
      ['unit_tests', 'failed'],
    ]);
    expect(items[1]).toEqual({
      evidenceId: evidence,
      type: 'unit_tests',
      environment: 'staging',
      pipeline: 'build',
      commitSha: open.head(),
      metrics: { unit_tests: { total: 2, passed: 1, failed: 1, skipped: 0 } },
      status: 'failed',
      failures: ['1 of 2 tests failed'],
      decides: true,
      // Another address was sent with it.
      runUrl: expect.stringMatching(RUN_URL) as unknown,
      createdAt: expect.stringMatching(/^\d{4}-/) as unknown,
    });
  });

  describe('of a release', () => {
    const list = async (query: string, user = member, scenario = open) =>
      user.get(`/api/milestones/${idsOf(scenario).release}/evidence${query}`);
    const found = async (query: string): Promise<readonly (readonly unknown[])[]> => {
      const { status, body } = await list(query);
      expect([query, status]).toEqual([query, 200]);
      return (body['evidence'] as readonly Body[]).map(({ environment, status: itemStatus, decides }) => [
        environment,
        itemStatus,
        decides,
      ]);
    };

    beforeAll(async () => {
      const run = open.run(open.head(), { job: 'other' });
      await run.upload(VERSION, { environment: 'ci', files: [{ filename: 'junit.xml', content: junit(2) }] });
      await env.waitUntilIdle();
    });

    it('is listed in pages, with the number of all items', async () => {
      const whole = (await list('')).body['evidence'] as readonly Body[];
      const { body } = await list('?page=1&pageSize=10');
      expect(body).toEqual({ evidence: whole, pagination: { page: 1, pageSize: 10, total: 3, pages: 1 } });
      expect((await list('?page=2')).body).toEqual({
        evidence: [],
        pagination: { page: 2, pageSize: 25, total: 3, pages: 1 },
      });
    });

    it('says which items the verdict uses, like the details of the release', async () => {
      const { body } = await member.get(`/api/milestones/${idsOf(open).release}`);
      const toKey = ({ evidenceId, type, decides }: Body): readonly unknown[] => [evidenceId, type, decides];
      const expected = (body['evidence'] as readonly Body[]).map(toKey);
      expect(expected.map(([, , decides]) => decides)).toContain(true);
      expect(((await list('')).body['evidence'] as readonly Body[]).map(toKey)).toEqual(expected);
      const upload = (await member.get(`/api/evidence/${idsOf(open).evidence}`)).body;
      expect(upload['pieces']).toMatchObject([{ type: 'unit_tests', decides: true }]);
    });

    it.each(['', '&page=1'])('is filtered by type, environment and use, %s', async (page) => {
      const all = [
        ['ci', 'passed', true],
        ['ci', 'passed', false],
        ['staging', 'failed', true],
      ];
      const [newest, replaced, failed] = all;
      expect(await found(`?type=unit_tests${page}`)).toEqual(all);
      expect(await found(`?type=coverage${page}`)).toEqual([]);
      expect(await found(`?environment=ci${page}`)).toEqual([newest, replaced]);
      expect(await found(`?decides=true${page}`)).toEqual([newest, failed]);
      expect(await found(`?decides=false&environment=ci${page}`)).toEqual([replaced]);
      expect(await found(`?environment=Staging${page}`)).toEqual([]);
    });

    it.each(['page=0', 'pageSize=20', 'type=tests', 'type=', 'environment=', 'decides=yes', 'decides=', 'search=a'])(
      'cannot be requested with %s',
      async (query) => {
        expect(await list(`?${query}`)).toMatchObject({ status: 400, body: { error: expect.any(String) } });
      },
    );

    it('is hidden in pages too from users who cannot read it, and from other workspaces', async () => {
      for (const query of ['?page=1', '?decides=true']) {
        expect((await list(query, member, secret)).status).toBe(404);
        expect((await list(query, stranger)).status).toBe(404);
        expect((await list(query, reader, secret)).status).toBe(200);
      }
    });
  });

  it('is returned with its reports and their results', async () => {
    const { release, evidence } = idsOf(open);
    const { status, body } = await member.get(`/api/evidence/${evidence}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      evidenceId: evidence,
      milestoneId: release,
      repo: 'acme/open',
      version: VERSION,
      pipeline: 'build',
      environment: 'staging',
      job: 'test',
      run: { id: expect.stringMatching(/^\d+$/) as unknown, attempt: 1, proven: true },
      commitSha: open.head(),
      commitSource: 'token',
      uploadedBy: 'identity_token',
      metrics: { unit_tests: { passed: 2, failed: 0 }, performance: { p95: 120 } },
      flags: ['metrics.unit_tests disagrees with the uploaded reports, which count.'],
      pieces: [{ type: 'unit_tests', status: 'failed' }],
    });
    const base = `${env.baseUrl}/api/evidence/${evidence}/reports`;
    const reports = body['reports'] as readonly Body[];
    expect(reports.map(({ url }) => url)).toEqual(reports.map(({ id }) => `${base}/${String(id)}`));
    expect(reports).toMatchObject([
      {
        name: 'junit.xml',
        format: 'junit',
        size: RED.length,
        result: {
          kind: 'unit_tests',
          metrics: { unit_tests: { total: 2, passed: 1, failed: 1, skipped: 0 } },
          details: [{ title: 'by card', location: 'src/pay.spec.ts', message: 'got 500' }],
        },
      },
      { name: 'index.html', format: 'html', size: PAGE.length, result: null },
    ]);
  });

  const pathsOf = async (scenario: RepositoryScenario): Promise<readonly string[]> => {
    const { release, evidence } = idsOf(scenario);
    const rows = await env.asSuperuser<{ id: string }>(
      `select id from evidence_report where evidence_id = '${evidence}' order by position`,
    );
    return [
      `/api/milestones/${release}/evidence`,
      `/api/evidence/${evidence}`,
      ...rows.map(({ id }) => `/api/evidence/${evidence}/reports/${id}`),
    ];
  };
  const statusesFor = async (user: UserSession, scenario: RepositoryScenario): Promise<readonly number[]> =>
    Promise.all((await pathsOf(scenario)).map(async (path) => (await user.get(path)).status));

  it('of a private repository is visible only to users who can read it', async () => {
    expect(await statusesFor(member, open)).toEqual([200, 200, 200, 200]);
    expect(await statusesFor(reader, secret)).toEqual([200, 200, 200, 200]);
    expect(await statusesFor(member, secret)).toEqual([404, 404, 404, 404]);
    expect(await statusesFor(stranger, open)).toEqual([404, 404, 404, 404]);
  });

  it('does not return a report of another upload', async () => {
    const [, , report = ''] = await pathsOf(open);
    const moved = report.replace(idsOf(open).evidence, idsOf(secret).evidence);
    expect((await reader.get(moved)).status).toBe(404);
  });

  it.each(['/api/milestones/7/evidence', '/api/evidence/upload', '/api/evidence/x/reports/y'])(
    'returns 404 for an id that is not valid: %s',
    async (path) => {
      expect((await member.get(path)).status).toBe(404);
    },
  );

  it('of a deleted release returns 404', async () => {
    const { release } = idsOf(open);
    await env.asSuperuser(`update release set deleted_at = now() where id = '${release}'`);
    expect(await statusesFor(member, open)).toEqual([404, 404, 404, 404]);
    await env.asSuperuser(`update release set deleted_at = null where id = '${release}'`);
  });
});
