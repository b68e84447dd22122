import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { junit } from '../support/ci-run-client.js';
import { TestEnvironment } from '../support/test-environment.js';
import { PLAIN_POLICY, RepositoryScenario } from './scenarios/repository-scenario.js';
import { postUpload, countStoredRows } from './scenarios/service-requests.js';

const VERSION = 'v1.0.0';
const DAY_MS = 86_400_000;

describe('an upload', () => {
  let env: TestEnvironment;
  let repo: RepositoryScenario;
  let other: RepositoryScenario;
  let sha: string;

  beforeAll(async () => {
    env = await TestEnvironment.start({ BILLING: 'off' });
    await env.install();
    repo = new RepositoryScenario(env, { name: 'payments' });
    other = new RepositoryScenario(env, {
      name: 'ledger',
      sdlc: `${PLAIN_POLICY}evidence_events: [pull_request_target]\n`,
    });
    for (const { repository } of [repo, other]) repository.milestones.create({ title: VERSION });
    sha = repo.commit();
    await env.waitUntilIdle();
  });
  afterAll(() => env.stop());
  afterEach(() => expect(env.violations).toEqual([]));

  /** A complete body. Each has its own pipeline, so that no upload repeats another by chance. */
  let pipelines = 0;
  const bodyOf = (more: object = {}): object => ({
    repo: 'payments',
    version: VERSION,
    pipeline: `pipeline ${(pipelines += 1)}`,
    files: [{ filename: 'junit.xml', content: junit(2) }],
    ...more,
  });

  it('is stored once when it arrives six times at once with one token', async () => {
    const bearer = await repo.run(sha).token();
    const body = bodyOf();
    const before = await countStoredRows(env);
    const answers = await Promise.all(Array.from({ length: 6 }, () => postUpload(env, { bearer, body })));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 200, 200, 200, 200, 201]);
    expect(new Set(answers.map(({ body: { evidenceId } }) => evidenceId)).size).toBe(1);
    const after = await countStoredRows(env);
    expect(after['evidence']).toBe((before['evidence'] ?? 0) + 1);
    expect(after['identity_token_use']).toBe((before['identity_token_use'] ?? 0) + 1);
  });

  it('returns the first upload for the same bytes and run with another token', async () => {
    const run = repo.run(sha);
    const body = bodyOf();
    const first = await postUpload(env, { bearer: await run.token(), body });
    const again = await postUpload(env, { bearer: await run.token(), body });
    expect([first.status, again.status]).toEqual([201, 200]);
    expect(again.body['evidenceId']).toBe(first.body['evidenceId']);
    expect((await postUpload(env, { bearer: await run.again(2).token(), body })).status).toBe(201);
  });

  it('returns the evidence that was found in it, also for a repetition', async () => {
    const run = repo.run(sha);
    const files = [
      { filename: 'junit.xml', content: junit(3, 1) },
      { filename: 'more.xml', content: junit(2) },
      { filename: 'lcov.info', content: 'SF:a.ts\nDA:1,1\nDA:2,0\nend_of_record\n' },
    ];
    const body = bodyOf({ files, environment: 'staging' });
    const pieces = [
      {
        kind: 'unit_tests',
        environment: 'staging',
        metrics: { unit_tests: { total: 5, passed: 4, failed: 1, skipped: 0, flaky: 0 } },
        failures: [],
        moreFailures: 0,
      },
      {
        kind: 'coverage',
        environment: 'staging',
        metrics: { coverage: { line_percent: 50, branch_percent: null, lines: { covered: 1, total: 2 } } },
        failures: [],
        moreFailures: 0,
      },
    ];
    const first = await postUpload(env, { bearer: await run.token(), body });
    expect([first.status, first.body['pieces']]).toEqual([201, pieces]);
    const again = await postUpload(env, { bearer: await run.token(), body });
    expect([again.status, again.body['pieces']]).toEqual([200, pieces]);
  });

  it('returns the first 20 failures that its reports state, and the number of the others', async () => {
    const empty = '<testsuites><testsuite name="s" tests="0"/></testsuites>';
    const files = Array.from({ length: 30 }, (_, at) => ({ filename: `${at}.xml`, content: empty }));
    const { status, body } = await postUpload(env, { bearer: await repo.run(sha).token(), body: bodyOf({ files }) });
    const [found] = body['pieces'] as readonly {
      readonly failures: readonly string[];
      readonly moreFailures: number;
    }[];
    expect([status, found?.failures.length, found?.moreFailures]).toEqual([201, 20, 10]);
    expect(found?.failures[0]).toContain('no test');
  });

  it('treats a member that is null as absent', async () => {
    const bearer = await repo.run(sha).token();
    const rest = Object.fromEntries(
      ['org', 'environment', 'job', 'reports', 'kind', 'run_url'].map((name) => [name, null]),
    );
    const ofMetrics = await postUpload(env, {
      bearer,
      body: bodyOf({ ...rest, files: null, metrics: { custom: 1 } }),
    });
    expect(ofMetrics.status).toBe(201);
    const files = [{ filename: 'junit.xml', content: junit(2), format: null }];
    const ofFiles = await postUpload(env, { bearer, body: bodyOf({ ...rest, files, metrics: null }) });
    expect(ofFiles.status).toBe(201);
  });

  it('is rejected after fifty uploads with one token', async () => {
    const bearer = await repo.run(sha).token();
    const small = (): object => bodyOf({ files: undefined, metrics: { custom: 1 } });
    const bodies = Array.from({ length: 50 }, small);
    for (const body of bodies) expect((await postUpload(env, { bearer, body })).status).toBe(201);
    const refused = await postUpload(env, { bearer, body: small() });
    expect(refused).toMatchObject({ status: 429, body: { error: expect.stringContaining('50') as unknown } });
    expect((await postUpload(env, { bearer, body: bodies[0] ?? {} })).status).toBe(200);
  });

  it('with an Idempotency-Key is stored once within a day', async () => {
    const bearer = await env.key();
    const headers = { 'idempotency-key': 'nightly-1' };
    const body = bodyOf({ commit_sha: sha });
    const first = await postUpload(env, { bearer, body, headers });
    const again = await postUpload(env, { bearer, body, headers });
    expect([first.status, again.status]).toEqual([201, 200]);
    expect(again.body['evidenceId']).toBe(first.body['evidenceId']);
    expect((await postUpload(env, { bearer, body: bodyOf({ commit_sha: sha }), headers })).status).toBe(409);
    env.clock.advance(DAY_MS + 1_000);
    const nextDay = await postUpload(env, { bearer, body, headers });
    expect(nextDay.status).toBe(201);
    expect(nextDay.body['evidenceId']).not.toBe(first.body['evidenceId']);
    const spaced = { 'idempotency-key': 'a key with spaces' };
    expect((await postUpload(env, { bearer, body, headers: spaced })).status).toBe(400);
  });

  it('with an API key and without commit_sha belongs to the candidate and says so', async () => {
    const { body, status } = await postUpload(env, { bearer: await env.key(), body: bodyOf() });
    expect(status).toBe(201);
    const [row] = await env.asSuperuser<{ commit_sha: string; commit_source: string }>(
      `select commit_sha, commit_source from evidence where id = '${String(body['evidenceId'])}'`,
    );
    expect(row).toEqual({ commit_sha: (await repo.gate(VERSION)).candidate_sha, commit_source: 'candidate' });
  });

  it('with a token belongs to the commit of its run, regardless of the body', async () => {
    const bearer = await repo.run(sha).token();
    const { body } = await postUpload(env, { bearer, body: bodyOf({ commit_sha: 'a'.repeat(40) }) });
    const [row] = await env.asSuperuser<{ commit_sha: string; commit_source: string }>(
      `select commit_sha, commit_source from evidence where id = '${String(body['evidenceId'])}'`,
    );
    expect(row).toEqual({ commit_sha: sha, commit_source: 'token' });
  });

  it.each([
    ['names another organization', { org: 'globex' }, 403],
    ['names another repository', { repo: 'ledger' }, 404],
    ['names another repository in full', { repo: 'acme/ledger' }, 404],
    ['names a repository that is not there', { repo: 'nowhere' }, 404],
    ['names an owner that is not its own', { repo: 'globex/payments' }, 404],
    ['names no version that there is', { version: 'v9.9.9' }, 404],
  ])('that %s is rejected and stores nothing', async (_name, change, status) => {
    const before = await countStoredRows(env);
    const answer = await postUpload(env, { bearer: await repo.run(sha).token(), body: bodyOf(change) });
    expect(answer).toMatchObject({ status, body: { error: expect.any(String) as unknown } });
    expect(await countStoredRows(env)).toEqual(before);
  });

  it('of an unsafe event is rejected unless the policy lists the event', async () => {
    for (const event of ['pull_request_target', 'pull_request', 'workflow_run', 'issue_comment']) {
      const answer = await postUpload(env, { bearer: await repo.run(sha, { event }).token(), body: bodyOf() });
      expect(answer.status).toBe(403);
    }
    for (const event of ['push', 'workflow_dispatch', 'schedule', 'release', 'merge_group']) {
      const answer = await postUpload(env, { bearer: await repo.run(sha, { event }).token(), body: bodyOf() });
      expect(answer.status).toBe(201);
    }
    const listed = await other.run(other.head(), { event: 'pull_request_target' }).token();
    expect((await postUpload(env, { bearer: listed, body: bodyOf({ repo: 'ledger' }) })).status).toBe(201);
    const unlisted = await other.run(other.head(), { event: 'pull_request' }).token();
    expect((await postUpload(env, { bearer: unlisted, body: bodyOf({ repo: 'ledger' }) })).status).toBe(403);
  });

  it('for an unknown version reads from GitHub once per minute', async () => {
    const countLookups = (): number =>
      env.exchanges.filter(({ method, path }) => method === 'GET' && path === '/repos/acme/payments/milestones').length;
    const request = async (): Promise<number> =>
      (await postUpload(env, { bearer: await repo.run(sha).token(), body: bodyOf({ version: 'v7.0.0' }) })).status;
    const before = countLookups();
    for (let times = 0; times < 3; times += 1) expect(await request()).toBe(404);
    expect(countLookups()).toBe(before + 1);
    env.outbox.faults.next({ kind: 'lose', event: 'milestone' });
    repo.milestone('v7.0.0');
    expect(await request()).toBe(404);
    env.clock.advance(60_001);
    expect(await request()).toBe(201);
    expect(countLookups()).toBe(before + 2);
  });

  it('may be compressed', async () => {
    const body = new Uint8Array(gzipSync(JSON.stringify(bodyOf())));
    const headers = { 'content-encoding': 'gzip' };
    expect((await postUpload(env, { bearer: await repo.run(sha).token(), body, headers })).status).toBe(201);
  });

  it('with metrics that contradict its reports gets a flag', async () => {
    const metrics = { unit_tests: { total: 3, passed: 3, failed: 0, skipped: 0 } };
    const { body } = await postUpload(env, { bearer: await repo.run(sha).token(), body: bodyOf({ metrics }) });
    const [row] = await env.asSuperuser<{ flags: readonly string[]; items: readonly object[] }>(
      `select flags, items from evidence where id = '${String(body['evidenceId'])}'`,
    );
    expect(row?.flags).toEqual(['metrics.unit_tests disagrees with the uploaded reports, which count.']);
    expect(row?.items).toMatchObject([{ kind: 'unit_tests', metrics: { unit_tests: { total: 2, passed: 2 } } }]);
  });

  it.each<[object, object, readonly string[]]>([
    [{ unit_tests: { total: 10, passed: 5, failed: 0, errors: 5 } }, { passed: 5, failed: 5 }, []],
    [{ unit_tests: { total: 10, passed: 5, failed: 0 } }, { passed: 5, failed: 5 }, []],
    [{ unit_tests: { passed: 5, failed: 0 }, success: false }, { failed: 0 }, ['metrics.success is false.']],
  ])('with metrics that state a failure fails: %j', async (metrics, counts, failures) => {
    const body = { ...bodyOf(), files: undefined, metrics };
    const stored = await postUpload(env, { bearer: await repo.run(sha).token(), body });
    expect(stored).toMatchObject({ status: 201, body: { pieces: [{ metrics: { unit_tests: counts }, failures }] } });
    const { reasons } = await repo.gate(VERSION, { explain: 'true' });
    expect(reasons).toContainEqual(expect.objectContaining({ code: 'evidence_failing' }));
  });

  it('with too many metrics is rejected, and with the maximum is stored unchanged', async () => {
    const bearer = await repo.run(sha).token();
    const metricsOf = (count: number): object => ({ a: Array.from({ length: count - 1 }, () => ({})) });
    const before = await countStoredRows(env);
    expect(await postUpload(env, { bearer, body: bodyOf({ metrics: metricsOf(10_001) }) })).toMatchObject({
      status: 413,
      body: { error: 'metrics have more than 10000 values; send documents as reports.' },
    });
    expect(await countStoredRows(env)).toEqual(before);
    const stored = await postUpload(env, { bearer, body: bodyOf({ metrics: metricsOf(10_000) }) });
    expect(
      await env.asSuperuser(`select metrics from evidence where id = '${String(stored.body['evidenceId'])}'`),
    ).toEqual([{ metrics: metricsOf(10_000) }]);
  });

  it('that is large gives the same result and the same errors as a small one', async () => {
    const bearer = await repo.run(sha).token();
    const reports = { 'data.json': Array.from({ length: 40_000 }, (_, at) => ({ at })) };
    const files = [{ filename: 'junit.xml', content: junit(2_000) }];
    const { status, body } = await postUpload(env, { bearer, body: bodyOf({ reports, files }) });
    expect(status).toBe(201);
    const sizes = await env.asSuperuser<{ name: string; size: number }>(
      `select name, size::int from evidence_report where evidence_id = '${String(body['evidenceId'])}' order by name`,
    );
    expect(sizes).toEqual([
      { name: 'data.json', size: JSON.stringify(reports['data.json']).length },
      { name: 'junit.xml', size: junit(2_000).length },
    ]);
    const wrong = bodyOf({ reports, files: [{ filename: 7, content: null }], extra: [1] });
    const { status: refused, body: answer } = await postUpload(env, { bearer, body: wrong });
    expect(refused).toBe(400);
    for (const named of ['content must be a string', 'filename must be a string', 'property extra should not exist']) {
      expect(answer['error']).toContain(named);
    }
  });

  it('stores HTML documents, which no verdict uses', async () => {
    const html = '<!doctype html><h1>All green</h1><script>alert(1)</script>';
    const reports = { 'index.html': html, 'data.json': { passed: true } };
    const upload = bodyOf({ files: undefined, reports });
    const { body } = await postUpload(env, { bearer: await repo.run(sha).token(), body: upload });
    const rows = await env.asSuperuser<{ name: string; format: string; text: string }>(
      `select name, format, convert_from(bytes, 'utf8') as text
       from evidence_report r join report_content c on c.org_id = r.org_id and c.sha256 = r.sha256
       where evidence_id = '${String(body['evidenceId'])}' order by name`,
    );
    expect(rows).toEqual([
      { name: 'data.json', format: 'json', text: '{"passed":true}' },
      { name: 'index.html', format: 'html', text: html },
    ]);
    const [{ items } = { items: null }] = await env.asSuperuser<{ items: unknown }>(
      `select items from evidence where id = '${String(body['evidenceId'])}'`,
    );
    expect(items).toEqual([{ kind: 'custom', metrics: {}, failures: [], content: 2 }]);
  });

  it.each([
    [
      'junit.xml',
      '<testsuites>\n  <testsuite name="s">\n    <testcase name="a">\n  </testsuite>\n</testsuites>',
      /^junit\.xml:4:/,
    ],
    ['lcov.info', 'TN:\nSF:a.ts\nDA:1\nend_of_record\n', /^lcov\.info:3: /],
    ['scan.sarif', '{"version":"2.1.0","runs":[{"results":[}]}', /^scan\.sarif:1:40: /],
  ])('with a broken %s is rejected with file, line and cause, and stores nothing', async (filename, content, error) => {
    const before = await countStoredRows(env);
    const files = [
      { filename: 'good.xml', content: junit(1) },
      { filename, content },
    ];
    const answer = await postUpload(env, { bearer: await repo.run(sha).token(), body: bodyOf({ files }) });
    expect(answer).toMatchObject({ status: 422, body: { error: expect.stringMatching(error) as unknown } });
    expect(await countStoredRows(env)).toEqual(before);
  });

  it('is rejected when its commit has the maximum of files or uploads, for keys and for tokens separately', async () => {
    const many = new RepositoryScenario(env, { name: 'many' });
    many.milestone(VERSION);
    const commit = many.commit();
    await env.waitUntilIdle();
    const key = await env.key();
    const by = (bearer: string, more: object = {}) =>
      postUpload(env, { bearer, body: bodyOf({ repo: 'many', commit_sha: commit, ...more }) });
    const first = await by(key);
    const id = String(first.body['evidenceId']);
    await env.asSuperuser(
      `insert into evidence_report (org_id, id, evidence_id, position, name, format, sha256, size, summary)
       select org_id, gen_random_uuid(), evidence_id, 100 + n, name, format, sha256, size, summary
       from evidence_report, generate_series(1, 9998) n where evidence_id = '${id}'`,
    );
    expect((await by(key)).status).toBe(201);
    const before = await countStoredRows(env);
    const refused = await by(key);
    expect([refused.status, refused.body['error']]).toEqual([
      413,
      'The evidence of one commit can have at most 2000 uploads and 10000 files. ' +
        'Merge the files before the upload, or test a new commit.',
    ]);
    expect(await countStoredRows(env)).toEqual(before);
    expect((await by(await many.run(commit).token())).status).toBe(201);
    expect((await by(key, { commit_sha: many.commit() })).status).toBe(201);

    const measured = { files: undefined, metrics: { custom: 1 } };
    expect((await by(key, measured)).status).toBe(201);
    const shared = `org_id, release_id, repository_id, environment, job, commit_sha, commit_source, uploaded_by, items, metrics,
      reports, flags, sha256, received_at`;
    await env.asSuperuser(
      `insert into evidence (id, pipeline, ${shared}) select gen_random_uuid(), 'cloned ' || n, ${shared}
       from evidence, generate_series(1, 1997) n where id = '${id}'`,
    );
    expect((await by(key, measured)).status).toBe(413);
  });

  it('is read only for callers that can upload', async () => {
    const post = async (authorization: Record<string, string>): Promise<number> => {
      const headers = { ...authorization, 'content-type': 'application/json' };
      const response = await fetch(`${env.baseUrl}/api/evidence/upload`, {
        method: 'POST',
        headers,
        body: '{broken',
      });
      return response.status;
    };
    const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
    expect(await post({})).toBe(401);
    expect(await post(bearer('sgk_of_nobody'))).toBe(401);
    expect(await post(bearer(await env.key(['gate:read'])))).toBe(403);
    expect(await post(bearer(await env.key()))).toBe(400);
  });

  it('with a key without the scope is rejected', async () => {
    const reader = await env.key(['gate:read']);
    expect((await postUpload(env, { bearer: reader, body: bodyOf() })).status).toBe(403);
  });

  it('for a shipped release is rejected', async () => {
    const shipped = new RepositoryScenario(env, { name: 'shipped' });
    await shipped.deploy(await shipped.approved('v1.0.0'));
    const bearer = await shipped.run(shipped.head()).token();
    const before = await countStoredRows(env);
    const answer = await postUpload(env, { bearer, body: bodyOf({ repo: 'shipped' }) });
    expect(answer).toMatchObject({ status: 409, body: { error: expect.stringContaining('shipped') as unknown } });
    expect(await countStoredRows(env)).toEqual(before);
  });
});
