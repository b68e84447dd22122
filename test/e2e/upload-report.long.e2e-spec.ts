import { createHash, randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { junit } from '../support/ci-run-client.js';
import { TestEnvironment } from '../support/test-environment.js';
import {
  fieldsOf,
  formOf,
  PASSING_REPORT,
  PAGE,
  postForm,
  type SentFile,
  type ReportJson,
  VERSION,
} from './scenarios/report-form.js';
import { RepositoryScenario } from './scenarios/repository-scenario.js';
import { postUpload } from './scenarios/service-requests.js';

const sha256 = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex');

describe('a form of reports', () => {
  let env: TestEnvironment;
  let repo: RepositoryScenario;
  let sha: string;

  beforeAll(async () => {
    env = await TestEnvironment.start({ BILLING: 'off' });
    await env.install();
    repo = new RepositoryScenario(env, { name: 'payments' });
    repo.milestone(VERSION);
    sha = repo.commit();
    await env.waitUntilIdle();
  });
  afterAll(() => env.stop());
  afterEach(() => expect(env.violations).toEqual([]));

  const token = (): Promise<string> => repo.run(sha).token();
  const columns = async (id: unknown, ...names: readonly string[]): Promise<Readonly<Record<string, unknown>>> =>
    (
      await env.asSuperuser<Record<string, unknown>>(`select ${names.join()} from evidence where id = '${String(id)}'`)
    )[0] ?? {};

  it('stores every file and returns them in order', async () => {
    const form = formOf(fieldsOf({ environment: 'staging', job: 'unit' }), [PAGE, PASSING_REPORT]);
    const { status, body } = await postForm(env, await token(), form);
    const reports = body['reports'] as readonly ReportJson[];
    expect(status).toBe(201);
    expect(body).toMatchObject({
      evidenceId: expect.any(String) as unknown,
      message: `Evidence received for ${VERSION} at ${sha.slice(0, 7)}; it counts at the candidate.`,
      pieces: [
        {
          kind: 'unit_tests',
          environment: 'staging',
          metrics: { unit_tests: { total: 2, passed: 2, failed: 0, skipped: 0 } },
          failures: [],
          moreFailures: 0,
        },
      ],
    });
    expect(reports.map(({ name, format, sha256: digest, size }) => ({ name, format, sha256: digest, size }))).toEqual([
      { name: 'index.html', format: 'html', sha256: sha256(PAGE.content), size: PAGE.content.length },
      {
        name: 'junit.xml',
        format: 'junit',
        sha256: sha256(PASSING_REPORT.content),
        size: PASSING_REPORT.content.length,
      },
    ]);
    expect(reports.map(({ url }) => url)).toEqual(
      reports.map(({ id }) => `${env.baseUrl}/api/evidence/${String(body['evidenceId'])}/reports/${id}`),
    );
    expect(await columns(body['evidenceId'], 'items', 'environment', 'job', 'commit_sha')).toMatchObject({
      items: [{ kind: 'unit_tests', metrics: { unit_tests: { total: 2, passed: 2 } } }],
      environment: 'staging',
      job: 'unit',
      commit_sha: sha,
    });
  });

  it('follows the same rules for metrics and documents as JSON', async () => {
    const metrics = JSON.stringify({ unit_tests: { total: 3, passed: 3, failed: 0, skipped: 0 } });
    const reports = JSON.stringify({ notes: { by: 'hand' } });
    const { status, body } = await postForm(env, await token(), formOf(fieldsOf({ metrics, reports })));
    expect([status, (body['reports'] as readonly ReportJson[]).map(({ name, format }) => [name, format])]).toEqual([
      201,
      [
        ['junit.xml', 'junit'],
        ['notes', 'json'],
      ],
    ]);
    expect(await columns(body['evidenceId'], 'flags')).toEqual({
      flags: ['metrics.unit_tests disagrees with the uploaded reports, which count.'],
    });
  });

  it('is the same upload in another order and with other boundaries', async () => {
    const bearer = await token();
    const fields = fieldsOf();
    const first = await postForm(env, bearer, formOf(fields, [PAGE, PASSING_REPORT]));
    const turned = formOf(Object.fromEntries(Object.entries(fields).toReversed()), [PASSING_REPORT, PAGE]);
    const again = await postForm(env, bearer, turned);
    expect([first.status, again.status]).toEqual([201, 200]);
    expect(again.body).toEqual({
      ...first.body,
      message: `Evidence was already received for ${VERSION} at ${sha.slice(0, 7)}; it counts at the candidate.`,
    });
    const renamed = await postForm(env, bearer, formOf(fields, [PAGE, { ...PASSING_REPORT, filename: 'other.xml' }]));
    expect(renamed.status).toBe(201);
  });

  it('with an Idempotency-Key and an API key is stored once', async () => {
    const bearer = await env.key();
    const headers = { 'idempotency-key': 'nightly-form' };
    const fields = fieldsOf({ commit_sha: sha });
    const send = (files: readonly SentFile[]) => postForm(env, bearer, formOf(fields, files), headers);
    const answers = [await send([PASSING_REPORT]), await send([PASSING_REPORT]), await send([PAGE])];
    expect(answers.map(({ status }) => status)).toEqual([201, 200, 409]);
  });

  it('is stored once when it arrives twice at once', async () => {
    const bearer = await token();
    const fields = fieldsOf();
    const send = (files: readonly SentFile[]) => postForm(env, bearer, formOf(fields, files));
    const answers = await Promise.all([
      send([PAGE, PASSING_REPORT]),
      send([PASSING_REPORT, PAGE]),
      send([PAGE, PASSING_REPORT]),
    ]);
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 200, 201]);
    const received = answers.map(({ body }) => [body['evidenceId'], body['reports']]);
    expect(received).toEqual(answers.map(() => received[0]));
  });

  it('without a job is stored, also with many files and a long run URL', async () => {
    const files = Array.from({ length: 40 }, () => ({ ...PAGE, filename: randomBytes(100).toString('hex') }));
    const run = `https://ci.example/${randomBytes(900).toString('hex')}`;
    const bearer = await env.key();
    const fields = fieldsOf({ commit_sha: sha, run_url: run });
    const send = () => postForm(env, bearer, formOf(fields, files));
    const [first, again] = [await send(), await send()];
    expect([first.status, again.status]).toEqual([201, 200]);
    expect(again.body['evidenceId']).toBe(first.body['evidenceId']);
  });

  it('is read when it is compressed, and in a thread when it has several megabytes', async () => {
    const boundary = 'of-bytes';
    const large = junit(12_000);
    const text = [
      ...Object.entries(fieldsOf()).map(
        ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
      ),
      `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="junit.xml"\r\n\r\n${large}\r\n`,
      `--${boundary}--\r\n`,
    ].join('');
    const headers = { 'content-type': `multipart/form-data; boundary=${boundary}`, 'content-encoding': 'gzip' };
    const { status, body } = await postForm(env, await token(), new Uint8Array(gzipSync(text)), headers);
    expect([status, body['reports']]).toMatchObject([201, [{ sha256: sha256(large), size: large.length }]]);
    expect(await columns(body['evidenceId'], 'items')).toMatchObject({
      items: [{ metrics: { unit_tests: { total: 12_000, passed: 12_000 } } }],
    });
    expect(await storedBytes(env, sha256(large))).toBe(large.length);
  });

  it('leads to the same verdict as JSON does', async () => {
    const scenario = new RepositoryScenario(env, { name: 'orders' });
    scenario.milestone(VERSION);
    const candidate = scenario.commit();
    await env.waitUntilIdle();
    const run = scenario.run(candidate);
    const red = [{ filename: 'junit.xml', content: junit(3, 1) }];
    const fields = { repo: 'orders', version: VERSION, pipeline: 'build', job: 'unit' };
    expect((await postForm(env, await run.token(), formOf(fields, red))).status).toBe(201);
    await env.waitUntilIdle();
    expect((await scenario.gate(VERSION)).tests_passing).toBe(false);
    const files = [{ filename: 'junit.xml', content: junit(3) }];
    const json = { repo: 'orders', version: VERSION, pipeline: 'build', job: 'unit', files };
    expect((await postUpload(env, { bearer: await run.again(2).token(), body: json })).status).toBe(201);
    await env.waitUntilIdle();
    expect((await scenario.gate(VERSION)).tests_passing).toBe(true);
  });
});

async function storedBytes(env: TestEnvironment, digest: string): Promise<number | undefined> {
  const [row] = await env.asSuperuser<{ readonly size: number }>(
    `select octet_length(bytes) as size from report_content where sha256 = '${digest}'`,
  );
  return row?.size;
}
