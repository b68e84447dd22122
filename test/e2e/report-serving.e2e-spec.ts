import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { S3TestServer } from '../support/s3-test-server.js';
import { type UserSession, signIn } from '../support/user-session.js';
import { TestEnvironment } from '../support/test-environment.js';
import { formOf, PASSING_REPORT, postForm, type SentFile, type ReportJson } from './scenarios/report-form.js';
import { RepositoryScenario } from './scenarios/repository-scenario.js';

const VERSION = 'v1.0.0';

describe('a report', () => {
  let server: S3TestServer;
  let env: TestEnvironment;
  /** The month of the upload, which is in the location of its file. */
  const month = (): string => env.clock.now().toISOString().slice(0, 7);
  let repo: RepositoryScenario;
  let member: UserSession;
  let sha: string;
  let ended: Promise<void> | null = null;

  beforeAll(async () => {
    server = await S3TestServer.start();
    env = await TestEnvironment.start({ BILLING: 'off', STORAGE_URL: server.storageUrl() });
    repo = new RepositoryScenario(env, { name: 'payments' });
    repo.repository.changeVisibility('public');
    repo.milestone(VERSION);
    await env.install();
    sha = repo.commit();
    await env.waitUntilIdle();
    member = await signIn(env, env.github.createUser({ login: 'mona' }));
  });
  afterAll(async () => {
    await (ended ?? env.stop());
    await server.goDown().catch(() => undefined);
    await server.clear();
  });
  afterEach(() => expect(env.violations).toEqual([]));

  let pipelines = 0;
  const upload = async (files: readonly SentFile[], fields: Readonly<Record<string, string>> = {}) => {
    const own = { repo: 'payments', version: VERSION, pipeline: `pipeline ${(pipelines += 1)}`, ...fields };
    return postForm(env, await repo.run(sha).token(), formOf(own, files));
  };
  const uploadFile = async (file: SentFile): Promise<ReportJson> => {
    const { body, status } = await upload([file]);
    const [report] = (body['reports'] ?? []) as readonly ReportJson[];
    if (status !== 201 || !report) throw new Error(JSON.stringify(body));
    return report;
  };
  const download = ({ url }: ReportJson, method = 'GET'): Promise<Response> =>
    fetch(url, { method, headers: { cookie: member.cookie } });

  it.each<readonly [string, SentFile, string]>([
    [
      'HTML',
      { filename: 'index.html', content: '<!doctype html><script>alert(1)</script>' },
      'text/html; charset=utf-8',
    ],
    ['JUnit', PASSING_REPORT, 'application/xml'],
    [
      'SARIF',
      {
        filename: 'scan.sarif',
        content: '{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"scan"}},"results":[]}]}',
      },
      'application/json',
    ],
    [
      'LCOV',
      { filename: 'lcov.info', content: 'TN:\nSF:a.ts\nDA:1,1\nLF:1\nLH:1\nend_of_record\n' },
      'text/plain; charset=utf-8',
    ],
  ])('of %s is downloaded unchanged and never displayed', async (_, file, type) => {
    const report = await uploadFile(file);
    const response = await download(report);
    expect([response.status, await response.text()]).toEqual([200, file.content]);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': type,
      'content-length': String(report.size),
      'content-disposition': `attachment; filename="${file.filename}"`,
      'content-security-policy': "sandbox; default-src 'none'",
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    });
    expect(response.headers.get('set-cookie')).toBeNull();
    const head = await download(report, 'HEAD');
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([
      200,
      String(report.size),
      '',
    ]);
    expect(head.headers.get('content-security-policy')).toBe("sandbox; default-src 'none'");
  });

  it('with a hostile name is downloaded under a harmless one', async () => {
    const report = await uploadFile({ ...PASSING_REPORT, filename: '../..\\März x;\u202Elmth.exe' });
    const disposition = (await download(report)).headers.get('content-disposition');
    expect(disposition).toBe(
      `attachment; filename="_.._Ma_rz x;_lmth.exe"; filename*=UTF-8''_.._M%C3%A4rz%20x%3B_lmth.exe`,
    );
  });

  it('is in the object store under its workspace and digest, and not in the database', async () => {
    const report = await uploadFile({
      ...PASSING_REPORT,
      content: '<testsuite><testcase name="only here"/></testsuite>',
    });
    expect(await server.keys()).toContain(`kept/${await env.orgId()}/${month()}/${report.sha256}`);
    const rows = await env.asSuperuser<{ size: number; location: string }>(
      `select octet_length(bytes) as size, location from report_content where sha256 = '${report.sha256}'`,
    );
    expect(rows).toEqual([
      { size: 0, location: expect.stringContaining(`/${report.sha256}?endpoint=http`) as unknown },
    ]);
  });

  it('that is rejected leaves nothing in the store', async () => {
    const before = await server.keys();
    const broken = { filename: 'broken.xml', content: '<testsuite>' };
    expect((await upload([PASSING_REPORT, broken])).status).toBe(422);
    expect(
      (
        await upload([{ ...PASSING_REPORT, content: '<testsuite><testcase name="new"/></testsuite>' }], {
          version: 'v9.9.9',
        })
      ).status,
    ).toBe(404);
    expect(await server.keys()).toEqual(before);
  });

  it('that was damaged returns 500 with a message, and is logged', async () => {
    const report = await uploadFile({
      ...PASSING_REPORT,
      content: '<testsuite><testcase name="to be harmed"/></testsuite>',
    });
    await server.corrupt(`kept/${await env.orgId()}/${month()}/${report.sha256}`);
    const response = await download(report);
    expect([response.status, await response.json()]).toEqual([
      500,
      { error: 'The stored report does not match its digest. Ask the operator of the service to look into the log.' },
    ]);
    expect(env.lines.join('')).toContain(`the content of ${report.sha256} has the digest`);
  });

  it('returns 503 for uploads and downloads while the store is down', async () => {
    const report = await uploadFile({ ...PASSING_REPORT, content: '<testsuite><testcase name="before"/></testsuite>' });
    const count = () => env.asSuperuser('select count(*) from evidence');
    const before = await count();
    await server.goDown();
    const answers = [await download(report), await upload([PASSING_REPORT])];
    expect(answers.map(({ status, headers }) => [status, headers.get('retry-after')])).toEqual([
      [503, '5'],
      [503, '5'],
    ]);
    expect(await count()).toEqual(before);
  });

  it('that is being stored during a shutdown is stored', async () => {
    // Replaces the store by a slow server on the same port.
    await server.goDown().catch(() => undefined);
    const endpoint = new URL(server.storageUrl()).searchParams.get('endpoint') ?? '';
    const store = createServer().listen(Number(new URL(endpoint).port), '127.0.0.1');
    const arriving = once(store, 'request') as Promise<[unknown, ServerResponse]>;
    const form = formOf({ repo: 'payments', version: VERSION, pipeline: 'late' }, [
      { ...PASSING_REPORT, content: '<testsuite><testcase name="late"/></testsuite>' },
    ]);
    const uploading = postForm(env, await repo.run(sha).token(), form, { connection: 'close' });
    const [, answer] = await arriving;
    ended = env.stop();
    while (await listensAt(env.baseUrl));
    answer.end();
    expect((await uploading).status).toBe(201);
    await ended;
    store.close();
  });
});

async function listensAt(baseUrl: string): Promise<boolean> {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect(Number(port), hostname);
  const listens = await once(socket, 'connect').then(
    () => true,
    () => false,
  );
  socket.destroy();
  return listens;
}
