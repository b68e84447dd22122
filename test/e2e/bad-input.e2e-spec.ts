import { request } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { junit } from '../support/ci-run-client.js';
import { TestEnvironment } from '../support/test-environment.js';
import { RepositoryScenario } from './scenarios/repository-scenario.js';
import { requestGate, postUpload, countStoredRows, type UploadRequest } from './scenarios/service-requests.js';

const VERSION = 'v1.0.0';

describe('bad input', () => {
  let env: TestEnvironment;
  let repo: RepositoryScenario;
  let bearer: string;
  let before: Readonly<Record<string, number>>;

  beforeAll(async () => {
    env = await TestEnvironment.start();
    await env.install();
    repo = new RepositoryScenario(env, { name: 'payments' });
    repo.milestone(VERSION);
    await env.waitUntilIdle();
    bearer = await repo.run(repo.head()).token();
    before = await countStoredRows(env);
  });
  afterAll(() => env.stop());

  /** No request of these tests may store anything, cause a 5xx, or stop the gate from working. */
  afterEach(async () => {
    expect(await countStoredRows(env)).toEqual(before);
    expect(env.lines.filter((line) => line.includes('"status":5'))).toEqual([]);
    expect((await requestGate(env, bearer, { repo: 'payments', version: VERSION })).status).toBe(200);
    expect(env.violations).toEqual([]);
  });

  const good = { repo: 'payments', version: VERSION, pipeline: 'build', metrics: { custom: 1 } };
  const send = (body: UploadRequest['body'], headers: UploadRequest['headers'] = {}): ReturnType<typeof postUpload> =>
    postUpload(env, { bearer, body, headers });
  const rejection = (status: number, error: RegExp): object => ({
    status,
    body: { error: expect.stringMatching(error) as unknown },
  });

  it.each([
    ['nothing', '', 400, /body|repo/],
    ['no JSON', '{"repo": "payments",', 400, /line 1/],
    ['JSON with a comma too many', '{\n  "repo": "payments",\n}', 400, /line 3/],
    ['a list', '[]', 400, /^The body must be an object\.$/],
    ['a list of good ones', JSON.stringify([good]), 400, /^The body must be an object\.$/],
    ['a string', '"payments"', 400, /^The body must be an object\.$/],
    ['a number', '7', 400, /^The body must be an object\.$/],
    ['null', 'null', 400, /body|repo|object/],
    ['one name twice', '{"repo":"payments","repo":"ledger"}', 400, /twice/],
    ['__proto__', '{"repo":"payments","__proto__":{"org":"acme"}}', 400, /__proto__/],
    [
      'a number beyond range',
      '{"repo":"payments","metrics":{"coverage":{"line_percent":1e999}}}',
      400,
      /metrics\.coverage\.line_percent/,
    ],
    ['text that is no UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]), 400, /UTF-8/],
  ])('that is %s is rejected with its position', async (_name, body, status, error) => {
    expect(await send(body)).toMatchObject(rejection(status, error));
  });

  it.each([
    ['repo', 5],
    ['repo', '../../etc/passwd'],
    ['repo', ['payments']],
    ['version', {}],
    ['version', 'v'.repeat(101)],
    ['pipeline', null],
    ['pipeline', ''],
    ['org', false],
    ['environment', ['staging']],
    ['environment', 'x'.repeat(101)],
    ['job', 7],
    ['metrics', 'green'],
    ['metrics', [1]],
    ['reports', 'green'],
    ['files', 'junit.xml'],
    ['files', [{ filename: 'junit.xml' }]],
    ['files', [{ filename: 7, content: 'x' }]],
    ['files', [null]],
    ['files', [[]]],
    ['files', [[{ filename: 'junit.xml', content: junit(1) }]]],
    ['commit_sha', 'main'],
    ['commit_sha', 'A'.repeat(40)],
    ['kind', 'vibes'],
    ['run_url', 'javascript:alert(1)'],
    ['verified', true],
  ])('with %s of the wrong type or form (%j) is rejected with the name of the field', async (field, value) => {
    expect(await send({ ...good, [field]: value })).toMatchObject(rejection(400, new RegExp(`\\b${field}\\b`)));
  });

  it.each(['metrics', 'reports', 'files'])('with %s that is null counts as absent', async (field) => {
    const body = { repo: 'payments', version: VERSION, pipeline: 'build', [field]: null };
    expect(await send(body)).toMatchObject(
      rejection(400, /^The upload is empty\. Send at least one of metrics, reports and files\.$/),
    );
  });

  const FIELDS = ['org', 'repo', 'version', 'pipeline', 'environment', 'job', 'run_url', 'commit_sha'];
  it.each(
    FIELDS.flatMap((field) => [String.raw`\u0000`, String.raw`\ud800`, String.raw`\udc00x`].map((bad) => [field, bad])),
  )('with %s that contains %s is rejected with the name of the field', async (field = '', bad = '') => {
    const body = JSON.stringify({ ...good, [field]: 'PLACE' }).replace('PLACE', `a${bad}`);
    expect(await send(body)).toMatchObject(rejection(400, new RegExp(`\\b${field}\\b`)));
  });

  it.each([
    ['a name in metrics', { metrics: { 'a\u0000': 1 } }, /metrics/],
    ['a value in metrics', { metrics: { note: 'a\u0000' } }, /metrics\.note/],
    ['a report', { reports: { 'index.html': '<p>\ud800</p>' } }, /reports\.index\.html/],
    ['a name of a file', { files: [{ filename: 'a\u0000.xml', content: junit(1) }] }, /files\.0\.filename/],
    ['the content of a file', { files: [{ filename: 'a.xml', content: `${junit(1)}\u0000` }] }, /files\.0\.content/],
  ])('with NUL or a lone surrogate in %s is rejected with its position', async (_name, change, error) => {
    expect(await send(JSON.stringify({ ...good, ...change }))).toMatchObject(rejection(400, error));
  });

  it.each([
    ['counts below zero', { unit_tests: { passed: -1, failed: 0 } }, /metrics\.unit_tests\.passed/],
    ['counts of halves', { unit_tests: { passed: 1.5, failed: 0 } }, /metrics\.unit_tests\.passed/],
    ['counts beyond range', { unit_tests: { passed: 1e15, failed: 0 } }, /metrics\.unit_tests\.passed/],
    ['counts as text', { unit_tests: { passed: '3', failed: 0 } }, /metrics\.unit_tests\.passed/],
    ['a total below the sum', { unit_tests: { total: 4, passed: 5, failed: 0 } }, /metrics\.unit_tests\.total is 4/],
    ['a known name in another case', { unitTests: { passed: 5, failed: 0 } }, /metrics\.unitTests must be written as/],
    ['more than all', { coverage: { line_percent: 100.1 } }, /metrics\.coverage\.line_percent/],
    ['no object', { sast_scan: 0 }, /metrics\.sast_scan/],
  ])('with metrics of %s is rejected with the name of the field', async (_name, metrics, error) => {
    expect(await send({ ...good, metrics })).toMatchObject(rejection(422, error));
  });

  it('with more files than an upload can have is too large, whatever the files are', async () => {
    const files = Array.from({ length: 600 }, (_, index) => ({ filename: `junit-${index}.xml`, content: junit(1) }));
    expect(await send({ ...good, files })).toMatchObject(rejection(413, /more than 500 files/));
    expect(await send({ ...good, files: files.map(() => 7) })).toMatchObject(rejection(413, /more than 500 files/));
  });

  it('of half a million nested lists or objects is rejected', async () => {
    const depth = 500_000;
    expect(await send(`${'['.repeat(depth)}${']'.repeat(depth)}`)).toMatchObject(rejection(413, /deep/));
    const nested = `{"repo":"payments","metrics":${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}}`;
    expect(await send(nested)).toMatchObject(rejection(413, /deep/));
    expect(await send('['.repeat(depth))).toMatchObject(rejection(413, /deep/));
  });

  it('of 200 MB is rejected long before it is read', async () => {
    const size = 200 * 1024 * 1024;
    const announced = await sendRaw({ 'content-length': String(size) }, size);
    expect(announced.status).toBe(413);
    expect(announced.sent).toBeLessThan(size / 4);
    const chunked = await sendRaw({ 'transfer-encoding': 'chunked' }, size);
    expect(chunked.status).toBe(413);
    expect(chunked.sent).toBeLessThan(size / 4);
  });

  it('that inflates to more than the limit is rejected', async () => {
    const bomb = new Uint8Array(gzipSync(Buffer.alloc(100 * 1024 * 1024, 0x20)));
    expect(await send(bomb, { 'content-encoding': 'gzip' })).toMatchObject(rejection(413, /inflates/));
    const nested = new Uint8Array(gzipSync(gzipSync(JSON.stringify(good))));
    expect((await send(nested, { 'content-encoding': 'gzip' })).status).toBe(400);
    expect((await send(new Uint8Array(gzipSync('{}').subarray(0, 8)), { 'content-encoding': 'gzip' })).status).toBe(
      400,
    );
    expect((await send(JSON.stringify(good), { 'content-encoding': 'br' })).status).toBe(415);
    expect((await send(JSON.stringify(good), { 'content-type': 'text/plain' })).status).toBe(415);
  });

  const ENTITIES = `<!DOCTYPE t [${Array.from({ length: 9 }, (_, n) => `<!ENTITY e${n + 1} "${`&e${n};`.repeat(10)}">`).join('')}]>`;
  it.each([
    ['an entity that is declared', `<!DOCTYPE t [<!ENTITY e "x">]><testsuites><testsuite name="&e;"/></testsuites>`],
    ['entities of entities', `${ENTITIES}<testsuites><testsuite name="&e9;"/></testsuites>`],
    ['an entity of another file', `<!DOCTYPE t [<!ENTITY e SYSTEM "file:///etc/passwd">]><testsuites>&e;</testsuites>`],
    ['an internal subset', `<!DOCTYPE testsuites [<!ELEMENT testsuites ANY>]><testsuites/>`],
    ['an unclosed tag', `<testsuites><testsuite name="s"><testcase name="t"/>`],
    ['crossed tags', `<testsuites><testsuite name="s"></testsuites></testsuite>`],
    ['an unknown entity', `<testsuites><testsuite name="&e;"/></testsuites>`],
    ['a name that a tag gives twice', `<testsuites><testsuite name="s" name="t"/></testsuites>`],
    ['nothing in it', ''],
    ['a stop after half', junit(50).slice(0, 700)],
  ])('as XML with %s is rejected with file and line', async (_name, content) => {
    const files = [{ filename: 'junit.xml', content }];
    expect(await send({ ...good, files })).toMatchObject(rejection(422, /junit\.xml/));
  });

  it.each([
    [{ repo: 'payments' }, /version/],
    [{ version: VERSION }, /repo/],
    [{ repo: 'a b', version: VERSION }, /repo/],
    [{ repo: 'payments', version: '' }, /version/],
    [{ repo: 'payments', version: VERSION, sha: 'main' }, /sha/],
    [{ repo: 'payments', version: VERSION, explain: 'yes' }, /explain/],
    [{ repo: 'payments', version: 'v1\u0000' }, /NUL|version|address/i],
    [{ repo: 'payments', version: VERSION, org: 'globex' }, /org/],
  ])('to the gate as %j is rejected with the name of the field', async (query, error) => {
    expect(await requestGate(env, bearer, query as Record<string, string>)).toMatchObject(rejection(400, error));
  });

  it('to the gate with invalid escapes is rejected', async () => {
    const url = `${await env.app.getUrl()}/api/milestones/check`;
    const headers = { authorization: `Bearer ${bearer}` };
    const twice = await fetch(`${url}?repo=payments&repo=a&version=v1.0.0`, { headers });
    expect([twice.status, await twice.json()]).toEqual([400, { error: expect.stringContaining('repo') }]);
    for (const version of ['%', '%ff', '%ed%a0%80', '%zz']) {
      const response = await fetch(`${url}?repo=payments&version=${version}`, { headers });
      expect([400, 404]).toContain(response.status);
      expect(await response.json()).toEqual({ error: expect.any(String) as unknown });
    }
  });

  /** Sends zeroes until the service responds, like a client that ignores every limit. */
  async function sendRaw(
    headers: Readonly<Record<string, string>>,
    size: number,
  ): Promise<{ status: number; sent: number }> {
    const url = `${await env.app.getUrl()}/api/evidence/upload`;
    const all = { authorization: `Bearer ${bearer}`, 'content-type': 'application/json', ...headers };
    return new Promise((resolve, reject) => {
      const chunk = Buffer.alloc(64 * 1024, 0x30);
      let sent = 0;
      let status: number | null = null;
      const upload = request(url, { method: 'POST', headers: all, agent: false }, (response) => {
        status = response.statusCode ?? 0;
        response.resume();
        upload.destroy();
        resolve({ status, sent });
      });
      // The service may close the connection while more is sent. The response was read before.
      upload.on('error', (error) => {
        if (status === null) reject(error);
      });
      const write = (): void => {
        if (status !== null) return;
        if (sent >= size) {
          upload.end();
          return;
        }
        sent += chunk.length;
        upload.write(chunk, () => setImmediate(write));
      };
      write();
    });
  }
});
