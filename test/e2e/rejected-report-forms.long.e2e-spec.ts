import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { junit } from '../support/ci-run-client.js';
import { TestEnvironment } from '../support/test-environment.js';
import { fieldsOf, formOf, PASSING_REPORT, PAGE, postForm, VERSION } from './scenarios/report-form.js';
import { RepositoryScenario } from './scenarios/repository-scenario.js';
import { countStoredRows } from './scenarios/service-requests.js';

describe('a form of reports', () => {
  let env: TestEnvironment;
  let repo: RepositoryScenario;
  let sha: string;

  beforeAll(async () => {
    env = await TestEnvironment.start({
      BILLING: 'off',
      MAX_FILE_BYTES: '1MB',
      MAX_UPLOAD_BYTES: '2MB',
      MAX_INFLATED_BYTES: '3MB',
    });
    await env.install();
    repo = new RepositoryScenario(env, { name: 'payments' });
    for (const { repository } of [repo, new RepositoryScenario(env, { name: 'ledger' })]) {
      repository.milestones.create({ title: VERSION });
    }
    sha = repo.commit();
    await env.waitUntilIdle();
  });
  afterAll(() => env.stop());
  afterEach(() => expect(env.violations).toEqual([]));

  const token = (): Promise<string> => repo.run(sha).token();

  it.each([
    ['small', 2],
    ['large', 4_000],
  ])('with one broken %s file is rejected with file, line and cause, and nothing of it is stored', async (_, tests) => {
    const before = await countStoredRows(env);
    const broken = { filename: 'broken.xml', content: junit(tests).replace('</testsuite>', '\n</testcase>') };
    const { status, body } = await postForm(env, await token(), formOf(fieldsOf(), [PASSING_REPORT, PAGE, broken]));
    expect([status, body['error']]).toEqual([422, expect.stringMatching(/^broken\.xml:2:\d+: not well-formed XML/)]);
    expect(await countStoredRows(env)).toEqual(before);
  });

  it.each<readonly [string, number, (fields: Record<string, string>) => FormData]>([
    ['an unknown field', 400, (fields) => formOf({ ...fields, tenant: 'acme' })],
    ['a field that is given twice', 400, (fields) => appended(formOf(fields), 'version', VERSION)],
    [
      'no version',
      400,
      (fields) => formOf(Object.fromEntries(Object.entries(fields).filter(([name]) => name !== 'version'))),
    ],
    ['nothing but an address', 400, (fields) => formOf(fields, [])],
    ['metrics that are no JSON', 400, (fields) => formOf({ ...fields, metrics: '{' })],
    ['metrics that are no object', 400, (fields) => formOf({ ...fields, metrics: '[1]' })],
    [
      'metrics nested too deeply',
      413,
      (fields) => formOf({ ...fields, metrics: `${'['.repeat(70)}${']'.repeat(70)}` }),
    ],
    ['a file without a name', 400, (fields) => appended(formOf(fields, []), 'file', junit(1))],
    ['a field `__proto__`', 400, (fields) => formOf({ ...fields, ['__proto__']: 'x' })],
    ['an environment with NUL', 400, (fields) => formOf({ ...fields, environment: 'a\0b' })],
    ['a format that its file is not', 422, (fields) => formOf({ ...fields, format: 'lcov' })],
    [
      'more files than may be',
      413,
      (fields) =>
        formOf(
          fields,
          Array.from({ length: 501 }, () => PASSING_REPORT),
        ),
    ],
    [
      'more parts than are read',
      413,
      (fields) =>
        formOf(
          fields,
          Array.from({ length: 600 }, () => PASSING_REPORT),
        ),
    ],
    ['a file that is too large', 413, (fields) => formOf(fields, [{ ...PAGE, content: 'x'.repeat(1_048_577) }])],
    [
      'files that are too large together',
      413,
      (fields) =>
        formOf(
          fields,
          [1, 2, 3].map(() => ({ ...PAGE, content: 'x'.repeat(900_000) })),
        ),
    ],
    ['the name of another organization', 403, (fields) => formOf({ ...fields, org: 'globex' })],
    ['the name of another repository', 404, (fields) => formOf({ ...fields, repo: 'acme/ledger' })],
    ['a version that there is not', 404, (fields) => formOf({ ...fields, version: 'v9.9.9' })],
  ])('with %s is rejected with %i and stores nothing', async (_, expected, form) => {
    const before = await countStoredRows(env);
    const { status, body } = await postForm(env, await token(), form(fieldsOf()));
    expect([status, Object.keys(body)]).toEqual([expected, ['error']]);
    expect(await countStoredRows(env)).toEqual(before);
  });

  it.each([
    ['of no boundary', 'multipart/form-data', '--b\r\n\r\n--b--', 400],
    ['of a boundary that it does not have', 'multipart/form-data; boundary=other', '--b\r\n\r\n--b--', 400],
    [
      'without an end',
      'multipart/form-data; boundary=b',
      '--b\r\nContent-Disposition: form-data; name="repo"\r\n\r\npay',
      400,
    ],
    ['of another type', 'application/json', '{}', 415],
    [
      'of a part without a name',
      'multipart/form-data; boundary=b',
      '--b\r\nContent-Disposition: form-data\r\n\r\nx\r\n--b--',
      400,
    ],
    [
      'of a part that says nothing of itself',
      'multipart/form-data; boundary=b',
      '--b\r\nX-Other: 1\r\n\r\nx\r\n--b--',
      400,
    ],
    ['of nothing', 'multipart/form-data; boundary=b', '--b--', 400],
  ])('%s is rejected', async (_, type, body, expected) => {
    expect((await postForm(env, await token(), body, { 'content-type': type })).status).toBe(expected);
  });

  it('that the client aborts is not stored', async () => {
    const before = await countStoredRows(env);
    const { hostname, port } = new URL(env.baseUrl);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    const begun = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.xml"\r\n\r\n<testsuite/>';
    socket.write(
      [
        'POST /api/evidence/upload-report HTTP/1.1',
        `Host: ${hostname}`,
        `Authorization: Bearer ${await token()}`,
        'Content-Type: multipart/form-data; boundary=b',
        'Content-Length: 100000',
        '',
        begun,
      ].join('\r\n'),
    );
    socket.end();
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 400 /);
    expect(await countStoredRows(env)).toEqual(before);
  });

  it('without a credential is not read', async () => {
    const { hostname, port } = new URL(env.baseUrl);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    socket.write(
      `POST /api/evidence/upload-report HTTP/1.1\r\nHost: ${hostname}\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 1000000\r\n\r\n--b`,
    );
    // The response does not wait for the body, which never arrives.
    const [answer] = (await once(socket, 'data')) as [Buffer];
    socket.destroy();
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 401 /);
  });
});

function appended(form: FormData, name: string, value: string): FormData {
  form.append(name, value);
  return form;
}
