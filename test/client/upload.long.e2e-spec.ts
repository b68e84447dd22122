import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createGunzip, gunzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type IncomingMessage, request as httpRequest, type ServerResponse } from 'node:http';
import { RepositoryScenario } from '../e2e/scenarios/repository-scenario.js';
import { junit } from '../support/ci-run-client.js';
import { TestEnvironment } from '../support/test-environment.js';
import { identityService, TestServer } from '../workflows/runner-services.js';
import { createMarkedKey } from './marked-key.js';
import { buildClient, type ClientOutcome, removeClient, shipgate } from './client-process.js';
import { keySecret } from '../../src/domain/keys/key-secret.js';

const SECRET = 'the secret of the job';
const VERSION = 'v1.4.0';
/** The user that owns no files. */
const OTHER_USER = 65_534;
const MEGABYTE = 1_048_576;
/** The part of a request that reaches the service before the connection breaks. */
const START_BYTES = 2_048;

const sha256 = (content: string): string => createHash('sha256').update(content).digest('hex');

describe('shipgate upload', () => {
  let env: TestEnvironment;
  let scenario: RepositoryScenario;
  let identities: TestServer;
  let sha: string;
  let folder: string;
  let token: () => Promise<string>;

  beforeAll(async () => {
    buildClient();
    env = await TestEnvironment.start({ BILLING: 'off' });
    await env.install();
    scenario = new RepositoryScenario(env, { name: 'payments' });
    scenario.milestone(VERSION);
    sha = scenario.commit();
    await env.waitUntilIdle();
  }, 240_000);
  afterAll(async () => {
    removeClient();
    await env.stop();
  });
  beforeEach(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'shipgate-upload-'));
    const run = scenario.run(sha);
    token = () => run.token();
    identities = await identityService(SECRET, () => token());
  });
  afterEach(async () => {
    rmSync(folder, { recursive: true });
    await identities.stop();
  });

  const write = (name: string, content: string): string => {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), content);
    return name;
  };
  const variables = (): Readonly<Record<string, string>> => ({
    SHIPGATE_URL: env.baseUrl,
    GITHUB_ACTIONS: 'true',
    GITHUB_SERVER_URL: 'https://github.com',
    GITHUB_REPOSITORY: 'acme/payments',
    GITHUB_SHA: sha,
    GITHUB_WORKFLOW: 'build',
    GITHUB_JOB: 'test',
    GITHUB_RUN_ID: '123',
    GITHUB_RUN_ATTEMPT: '1',
    ACTIONS_ID_TOKEN_REQUEST_URL: `${identities.url}/token?api-version=2.0`,
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: SECRET,
  });
  const upload = (
    args: readonly string[],
    given: Readonly<Record<string, string>> = {},
    killed: Promise<unknown> = new Promise(() => undefined),
  ): Promise<ClientOutcome> =>
    shipgate(['upload', ...args, '--release', VERSION], {
      cwd: folder,
      killed,
      env: {
        ...variables(),
        ...given,
      },
    });
  /** The variables of a parallel job of GitLab. */
  const gitlabJob = (name: string, index: number, total: number): Readonly<Record<string, string>> => ({
    GITHUB_ACTIONS: '',
    GITLAB_CI: 'true',
    CI_COMMIT_SHA: sha,
    CI_COMMIT_REF_NAME: 'main',
    CI_PROJECT_PATH: 'acme/payments',
    CI_JOB_NAME: name,
    CI_JOB_RETRY_COUNT: '0',
    CI_NODE_INDEX: String(index),
    CI_NODE_TOTAL: String(total),
    CI_PIPELINE_URL: 'https://gitlab.example/acme/payments/-/pipelines/5',
    SHIPGATE_REPO: 'acme/payments',
  });
  /** Forwards a request to the service. */
  const passOn = async (request: IncomingMessage): Promise<Response> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { host: _host, connection: _connection, 'transfer-encoding': _encoding, ...headers } = request.headers;
    return fetch(`${env.baseUrl}${request.url}`, {
      method: request.method ?? 'GET',
      headers: headers as Record<string, string>,
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
    });
  };
  /** Runs an upload through a server that may respond itself, and forwards other requests to the service. */
  const through = async (
    answer: (count: number, request: IncomingMessage, response: ServerResponse) => Promise<boolean> | boolean,
    args: readonly string[],
  ): Promise<ClientOutcome & { readonly requests: number }> => {
    let requests = 0;
    const server = await TestServer.answering(async (request, response) => {
      requests += 1;
      if (await answer(requests, request, response)) return;
      const passed = await passOn(request);
      const text = await passed.text();
      if (requests === 1 && losesFirstAnswer) {
        response.destroy();
        return;
      }
      response.writeHead(passed.status, { 'content-type': 'application/json' }).end(text);
    });
    try {
      const outcome = await upload(args, { SHIPGATE_URL: server.url });
      return Object.assign(outcome, { requests });
    } finally {
      await server.stop();
      losesFirstAnswer = false;
    }
  };
  let losesFirstAnswer = false;
  const stored = async (): Promise<number> => {
    const [row] = await env.asSuperuser<{ count: number }>('select count(*)::integer as count from evidence');
    return row?.count ?? 0;
  };

  it('stores the reports byte for byte, with the digests of the files', async () => {
    const [tests, coverage] = [junit(3, 0), 'TN:\nSF:a.ts\nDA:1,1\nLF:1\nLH:1\nend_of_record\n'];
    const scan = JSON.stringify({ version: '2.1.0', runs: [{ tool: { driver: { name: 'scan' } }, results: [] }] });
    write('out/scan.sarif', scan);
    write('out/junit.xml', tests);
    write('out/lcov.info', coverage);
    const { code, json, stderr } = await upload(['out', '--environment', 'staging', '--json']);
    expect([code, stderr]).toEqual([0, expect.stringContaining('Stored: ')]);
    expect(json).toMatchObject({
      command: 'upload',
      outcome: 'kept',
      files: [
        { name: 'out/junit.xml', size: tests.length, sha256: sha256(tests) },
        { name: 'out/lcov.info', size: coverage.length, sha256: sha256(coverage) },
        { name: 'out/scan.sarif', size: scan.length, sha256: sha256(scan) },
      ],
      fields: { repo: 'acme/payments', version: VERSION, pipeline: 'build', job: 'test', environment: 'staging' },
    });
    const rows = await env.asSuperuser<{ name: string; sha256: string }>(
      `select name, sha256 from evidence_report where evidence_id = '${String(json['evidence_id'])}' order by position`,
    );
    expect(rows.map(({ sha256: digest }) => digest)).toEqual([sha256(tests), sha256(coverage), sha256(scan)]);
  });

  it('says what the upload means for the release, and ends with 1 if it must decide and does not', async () => {
    write('junit.xml', junit(31, 0));
    const decides = await upload(['junit.xml', '--require-effect']);
    expect([decides.code, decides.stderr]).toEqual([0, expect.not.stringContaining('Warning')]);
    expect(decides.stdout).toContain(
      `\nEvidence received for ${VERSION} at ${sha.slice(0, 7)}; it counts at the candidate.\n${env.baseUrl}/w/acme/releases/`,
    );

    const nowhere = { GITHUB_ACTIONS: '', SHIPGATE_API_KEY: await env.key(), SHIPGATE_REPO: 'acme/payments' };
    const lost = [
      'junit.xml',
      '--commit',
      'f'.repeat(40),
      '--pipeline',
      'lost',
      '--run-url',
      'https://ci.example/runs/8',
    ];
    const warned = await upload(lost, nowhere);
    expect([warned.code, warned.stdout, warned.stderr]).toEqual([
      0,
      expect.stringContaining('at fffffff; it does not count: GitHub has no such commit.'),
      expect.stringContaining('Warning: the verdict of the release does not rest on this upload (unknown_commit).'),
    ]);
    const refused = await upload([...lost, '--require-effect', '--json'], nowhere);
    expect(refused).toMatchObject({
      code: 1,
      json: {
        outcome: 'repeated',
        exit: 1,
        effect: 'unknown_commit',
        message: expect.stringContaining('GitHub has no such commit'),
        commit_sha: 'f'.repeat(40),
        commit_source: 'stated',
        candidate_sha: sha,
        release_url: expect.stringContaining(`${env.baseUrl}/w/acme/releases/`),
        error: null,
      },
    });
    expect(await upload(lost, { ...nowhere, SHIPGATE_REQUIRE_EFFECT: 'true' })).toMatchObject({ code: 1 });
    expect(await upload(lost, { ...nowhere, SHIPGATE_REQUIRE_EFFECT: 'yes' })).toMatchObject({ code: 2 });
  });

  it('adds nothing when the same command runs again with a new token', async () => {
    write('junit.xml', junit(4, 0));
    const first = await upload(['junit.xml', '--json']);
    const again = await upload(['junit.xml', '--json']);
    expect([first.json['outcome'], again.json['outcome'], again.code]).toEqual(['kept', 'repeated', 0]);
    expect(again.json['evidence_id']).toBe(first.json['evidence_id']);
  });

  it('adds one item when three uploads run at once', async () => {
    write('junit.xml', junit(5, 0));
    const outcomes = await Promise.all([1, 2, 3].map(() => upload(['junit.xml', '--json'])));
    expect(outcomes.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(new Set(outcomes.map(({ json }) => json['evidence_id'])).size).toBe(1);
  });

  it('adds one item if the process is killed after the service stored it, with each credential', async () => {
    const key = await env.key();
    const system = { GITHUB_ACTIONS: '', SHIPGATE_API_KEY: key, SHIPGATE_REPO: 'acme/payments' };
    const named = ['junit.xml', '--json', '--commit', sha, '--pipeline', 'nightly', '--job', 'tests'];
    for (const [tests, args, given] of [
      [20, ['junit.xml', '--json'], {}],
      [21, [...named, '--run-url', 'https://ci.example/runs/7'], system],
      [22, named, system],
    ] as const) {
      write('junit.xml', junit(tests, 0));
      const before = await stored();
      let hasStored = (): void => undefined;
      const killed = new Promise<void>((resolve) => (hasStored = resolve));
      // The process waits for a response that does not arrive.
      const silent = await TestServer.answering(async (request) => {
        await passOn(request);
        hasStored();
      });
      const lost = await upload(args, { ...given, SHIPGATE_URL: silent.url }, killed);
      await silent.stop();
      expect([lost.code, await stored()]).toEqual([null, before + 1]);
      const again = await upload(args, given);
      expect([again.code, again.json['outcome'], await stored()]).toEqual([0, 'repeated', before + 1]);
    }
  });

  it('ends with 1 and stores nothing if a file grows while it is sent', async () => {
    const before = await stored();
    const file = path.join(folder, write('junit.xml', `${junit(9, 0)}${' '.repeat(8_000_000)}`));
    const server = await TestServer.answering(async (request, response) => {
      // The file grows after the service has read a part of it.
      request.once('data', () => appendFileSync(file, ' '));
      await passOn(request).catch(() => undefined);
      response.destroy();
    });
    const { code, stderr } = await upload(['junit.xml'], { SHIPGATE_URL: server.url });
    await server.stop();
    expect([code, stderr]).toEqual([1, expect.stringContaining('error: junit.xml changed while it was read. Nothing')]);
    expect(await stored()).toBe(before);
  });

  it('omits values that an older service does not accept, and reports it', async () => {
    write('junit.xml', junit(14, 0));
    const bodies: string[] = [];
    const older = await TestServer.answering(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      response.setHeader('content-type', 'application/json');
      if (request.url === '/api/config/ci') {
        response.end('{"upload_fields":["repo","version","pipeline","commit_sha","run_url","job"]}');
        return;
      }
      const body = gunzipSync(Buffer.concat(chunks)).toString();
      bodies.push(body);
      const isKnown = !/name="(?:run_attempt|job_group)"/.test(body);
      response.writeHead(isKnown ? 201 : 400);
      response.end(isKnown ? '{"evidenceId":"e"}' : '{"error":"job_group is not known."}');
    });
    const gitlab = {
      ...gitlabJob('test 1/2', 1, 2),
      SHIPGATE_API_KEY: keySecret('sgk', new Uint8Array(32)),
      SHIPGATE_URL: older.url,
    };
    const outcome = await upload(['junit.xml', '--json'], gitlab);
    await older.stop();
    expect([outcome.code, outcome.json['outcome'], bodies.length]).toEqual([0, 'kept', 2]);
    expect(outcome.stderr).toContain('does not know run_attempt and job_group and job_total');
    expect(outcome.json['fields']).not.toHaveProperty('job_group');
    for (const name of ['repo', 'version', 'pipeline', 'commit_sha', 'run_url', 'job']) {
      expect(bodies[1]).toContain(`name="${name}"`);
    }
  });

  it('opens no gate until all shards of a pipeline are there, and a retried job replaces its failing upload', async () => {
    const sharded = new RepositoryScenario(env, {
      name: 'shards',
      sdlc: 'version: v1\nstages:\n  deployment: { requires_evidence_approval: false }\n',
    });
    sharded.milestone(VERSION);
    const commit = sharded.commit();
    await env.waitUntilIdle();
    const key = await env.key();
    write('green.xml', junit(3, 0));
    write('red.xml', junit(3, 1));
    const shard = async (name: string, index: number, file: string, retries: number): Promise<unknown> => {
      const { code } = await upload([file], {
        ...gitlabJob(name, index, 2),
        CI_JOB_RETRY_COUNT: String(retries),
        CI_COMMIT_SHA: commit,
        SHIPGATE_REPO: 'acme/shards',
        SHIPGATE_API_KEY: key,
      });
      await env.waitUntilIdle();
      const { tests_passing: passing, reasons } = await sharded.gate(VERSION, { explain: 'true' });
      return [code, passing, reasons?.map((reason) => reason.code)];
    };
    expect(await shard('test 1/2', 1, 'red.xml', 0)).toEqual([
      0,
      false,
      expect.arrayContaining(['evidence_incomplete']),
    ]);
    expect(await shard('test 1/2', 1, 'green.xml', 1)).toEqual([0, false, ['evidence_incomplete']]);
    expect(await shard('test 2/2', 2, 'green.xml', 0)).toEqual([0, true, []]);
  });

  it('ends with 3 if nothing answers, after the time for all tries', async () => {
    write('junit.xml', junit(15, 0));
    const outcome = await upload(['junit.xml', '--json'], {
      SHIPGATE_URL: 'http://127.0.0.1:9',
      SHIPGATE_RETRY_FOR: '1s',
    });
    expect([outcome.code, outcome.json['outcome']]).toEqual([3, 'unknown']);
  });

  it('ends with 0 for failing tests, because the gate decides', async () => {
    write('junit.xml', junit(2, 1));
    expect(await upload(['junit.xml'])).toMatchObject({ code: 0 });
  });

  it('ends with 1 for a report that is cut off, with the sentence of the service', async () => {
    write('junit.xml', junit(3, 0).slice(0, 40));
    const { code, stderr } = await upload(['junit.xml']);
    expect([code, stderr]).toEqual([1, expect.stringContaining('error: junit.xml:1:41: not well-formed XML')]);
  });

  it('tries again after a temporary answer and after a broken connection', async () => {
    write('junit.xml', junit(6, 0));
    const outcome = await through(
      (count, request, response) => {
        if (count > 2) return false;
        request.resume();
        if (count === 1) response.writeHead(502).end('<html>Bad gateway</html>');
        else request.socket.destroy();
        return true;
      },
      ['junit.xml', '--json'],
    );
    expect([outcome.code, outcome.json['outcome'], outcome.requests]).toEqual([0, 'kept', 3]);
    expect(outcome.stderr).toContain('Shipgate answered 502. Next try in');
  });

  it('waits as long as the service requests before the next try', async () => {
    write('junit.xml', junit(23, 0));
    const times: number[] = [];
    const outcome = await through(
      (count, request, response) => {
        times.push(performance.now());
        if (count > 2) return false;
        request.resume();
        response.writeHead(count === 1 ? 503 : 502, count === 1 ? { 'retry-after': '2' } : {}).end();
        return true;
      },
      ['junit.xml', '--json'],
    );
    expect([outcome.code, outcome.json['outcome'], outcome.requests]).toEqual([0, 'kept', 3]);
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(1_990);
  });

  it('adds one item if the connection broke when the service had the start of the report', async () => {
    const names = Array.from(
      { length: 400 },
      () => `<testcase classname="c" name="${randomBytes(16).toString('hex')}"/>`,
    );
    write('junit.xml', `<testsuite name="s">${names.join('')}</testsuite>`);
    const before = await stored();
    let forwarded = 0;
    const outcome = await through(
      async (count, request) => {
        if (count > 1) return false;
        // A destroyed request has no socket.
        const { socket } = request;
        const { host: _host, ...headers } = request.headers;
        const cut = httpRequest(`${env.baseUrl}${request.url}`, { method: 'POST', headers });
        cut.on('error', () => undefined);
        for await (const chunk of request) {
          const part = (chunk as Buffer).subarray(0, START_BYTES - forwarded);
          forwarded += part.length;
          await new Promise((resolve) => cut.write(part, resolve));
          if (forwarded === START_BYTES) break;
        }
        cut.destroy();
        socket.destroy();
        return true;
      },
      ['junit.xml', '--json'],
    );
    expect([outcome.code, outcome.json['outcome'], outcome.requests]).toEqual([0, 'kept', 2]);
    expect([forwarded, await stored()]).toEqual([START_BYTES, before + 1]);
  });

  it('adds one item if the answer was lost after the service stored it', async () => {
    write('junit.xml', junit(7, 0));
    losesFirstAnswer = true;
    const outcome = await through(() => false, ['junit.xml', '--json']);
    expect([outcome.code, outcome.json['outcome'], outcome.requests]).toEqual([0, 'repeated', 2]);
  });

  it('sends a report uncompressed if it grows too much when decompressed', async () => {
    const blank = `${junit(8, 0)}${' '.repeat(4_000_000)}`;
    write('junit.xml', blank);
    const encodings: (string | undefined)[] = [];
    const outcome = await through(
      (_, request) => {
        encodings.push(request.headers['content-encoding']);
        return false;
      },
      ['junit.xml'],
    );
    expect([outcome.code, encodings]).toEqual([0, ['gzip', undefined]]);
  });

  it('sends 24 MB in three files with at most 100 MB of memory', async () => {
    const line = (): string => `<testcase classname="c" name="${randomBytes(16).toString('hex')}"/>\n`;
    const block = Array.from({ length: 1_000 }, line).join('');
    const report = `<testsuite name="s">${block.repeat(Math.ceil((8 * MEGABYTE) / block.length))}</testsuite>`;
    for (const name of ['1.xml', '2.xml', '3.xml']) write(name, report);
    // `maxRSS` of the process is only for systems without /proc, because it includes the memory of Jest at the fork.
    const hook = write(
      'usage.cjs',
      `const { existsSync, readFileSync, writeFileSync } = require('node:fs');
       const peak = () => existsSync('/proc/self/status')
         ? /VmHWM:\\s*(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]
         : process.resourceUsage().maxRSS;
       process.on('exit', () => writeFileSync(__dirname + '/usage', String(peak())));`,
    );
    let received = 0;
    const service = await TestServer.answering(async (request, response) => {
      for await (const chunk of request.pipe(createGunzip())) received += (chunk as Buffer).length;
      response.writeHead(201, { 'content-type': 'application/json' }).end('{"evidenceId":"e"}');
    });
    try {
      const given = { SHIPGATE_URL: service.url, NODE_OPTIONS: `--require=${path.join(folder, hook)}` };
      expect(await upload(['*.xml'], given)).toMatchObject({ code: 0 });
    } finally {
      await service.stop();
    }
    expect(received).toBeGreaterThan(24 * MEGABYTE);
    // In units of 1,024 bytes.
    expect(Number(readFileSync(path.join(folder, 'usage'), 'utf8')) / 1_024).toBeLessThanOrEqual(100);
  });

  it('gets a token from an endpoint that fails, hangs and fails again, within 20 s', async () => {
    write('junit.xml', junit(10, 0));
    let requests = 0;
    const endpoint = await TestServer.answering(async (request, response) => {
      request.resume();
      requests += 1;
      if (requests === 1) response.writeHead(503).end();
      else if (requests === 2) return;
      else if (requests === 3) response.writeHead(500).end('no');
      else response.writeHead(200).end(JSON.stringify({ value: await token() }));
    });
    try {
      const start = performance.now();
      const outcome = await upload(['junit.xml'], { ACTIONS_ID_TOKEN_REQUEST_URL: `${endpoint.url}/token?v=2` });
      expect(outcome.code).toBe(0);
      expect(performance.now() - start).toBeLessThan(20_000);
    } finally {
      await endpoint.stop();
    }
  });

  it('skips pull requests of forks, and names the permission that another run needs', async () => {
    write('junit.xml', junit(1, 0));
    const event = write(
      'event.json',
      JSON.stringify({
        pull_request: {
          head: { repo: { full_name: 'stranger/payments' } },
          base: { repo: { full_name: 'acme/payments' } },
        },
      }),
    );
    const none = { ACTIONS_ID_TOKEN_REQUEST_URL: '', ACTIONS_ID_TOKEN_REQUEST_TOKEN: '' };
    const fork = { ...none, GITHUB_EVENT_NAME: 'pull_request', GITHUB_EVENT_PATH: path.join(folder, event) };
    const skipped = await upload(['junit.xml', '--json'], fork);
    expect([skipped.code, skipped.json['outcome']]).toEqual([0, 'skipped']);
    // With a credential it is uploaded like any other: `pull_request_target` has an identity.
    const { GITHUB_EVENT_NAME, GITHUB_EVENT_PATH } = fork;
    expect(await upload(['junit.xml', '--json'], { GITHUB_EVENT_NAME, GITHUB_EVENT_PATH })).toMatchObject({
      json: { outcome: 'kept' },
    });
    const refused = await upload(['junit.xml'], none);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('id-token: write')]);
  });

  it('ends with 2 if a pattern matches nothing, and with 0 if that is allowed', async () => {
    write('junit.xml', junit(1, 0));
    expect(await upload(['*.sarif'])).toMatchObject({ code: 2, stderr: 'error: No file matches *.sarif.\n' });
    expect(await upload(['junit.xml', '*.sarif'])).toMatchObject({ code: 2 });
    expect(await upload(['*.sarif', '--allow-empty', '--json'])).toMatchObject({ code: 0, json: { outcome: 'empty' } });
    // An existing name is that file, although its brackets look like a pattern.
    const named = write('test-results/[chromium].xml', junit(17, 0));
    expect((await upload([named, '--json'])).json['files']).toEqual([expect.objectContaining({ name: named })]);
  });

  it('refuses committed files, unless they are allowed', async () => {
    write('junit.xml', junit(11, 0));
    for (const args of [
      ['init', '-q'],
      ['add', 'junit.xml'],
    ])
      spawnSync('git', args, { cwd: folder });
    const refused = await upload(['junit.xml']);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('committed')]);
    expect(await upload(['junit.xml', '--allow-committed'])).toMatchObject({ code: 0 });
    const outside = mkdtempSync(path.join(tmpdir(), 'shipgate-outside-'));
    writeFileSync(path.join(outside, 'other.xml'), junit(1, 0));
    try {
      const both = ['junit.xml', path.relative(folder, path.join(outside, 'other.xml'))];
      expect(await upload(both)).toMatchObject({ code: 2 });
    } finally {
      rmSync(outside, { recursive: true });
    }
  });

  it('sends nothing in a dry run, and ends as it would', async () => {
    write('junit.xml', junit(12, 0));
    const before = await stored();
    expect(await upload(['junit.xml', '--dry-run', '--json'])).toMatchObject({ code: 0, json: { outcome: 'dry_run' } });
    expect(await upload(['*.sarif', '--dry-run'])).toMatchObject({ code: 2 });
    expect(await stored()).toBe(before);
  });

  it('reads the files in a dry run as Shipgate reads them, and names what would be rejected', async () => {
    write('junit.xml', junit(14, 2));
    write('lcov.info', 'TN:\nSF:a.ts\nDA:1,1\nDA:2,0\nLF:2\nLH:1\nend_of_record\n');
    write('page.html', '<!doctype html><html><body>Hello</body></html>');
    const files = ['junit.xml', 'lcov.info', 'page.html'];
    const dry = await upload([...files, '--dry-run', '--kind', 'integration_tests']);
    expect([dry.code, dry.stdout]).toEqual([
      0,
      `Would upload 3 files for ${VERSION} of acme/payments at ${sha.slice(0, 7)} (pipeline build, job test, environment ci):
  junit.xml (junit)  integration_tests: 14 total, 12 passed, 2 failed, 0 skipped
  lcov.info (lcov)  coverage: 50 line_percent
  page.html (html)  a document, which no verdict uses
Nothing was uploaded. Not checked: the credential, and whether Shipgate has this release and accepts evidence for it.
`,
    ]);
    const real = await upload([...files, '--kind', 'integration_tests']);
    expect(real.stdout).toContain('  integration_tests (ci): 14 total, 12 passed, 2 failed, 0 skipped\n');
    expect(real.stdout).toContain('  coverage (ci): 50 line_percent\n');

    write('cut.xml', '<testsuite><testcase');
    write('notes.txt', 'no report');
    const wrong = ['junit.xml', 'cut.xml', 'notes.txt'];
    const [refused, sent] = [await upload([...wrong, '--dry-run', '--json']), await upload(wrong)];
    expect([refused.code, refused.json['outcome'], sent.code]).toEqual([1, 'refused', 1]);
    // The service ends with the first file, and a dry run names all of them.
    expect(refused.stderr).toContain('cut.xml:1:');
    expect(refused.stderr).toContain('notes.txt:1');
    expect(refused.json['read']).toEqual([
      expect.objectContaining({ name: 'cut.xml', rejected: expect.stringContaining('not well-formed XML') }),
      expect.objectContaining({ name: 'junit.xml', kind: 'unit_tests', format: 'junit', rejected: null }),
      expect.objectContaining({
        name: 'notes.txt',
        rejected: expect.stringContaining('not a report of a known format'),
      }),
    ]);
    const stated = ['junit.xml', '--format', 'lcov'];
    expect([(await upload([...stated, '--dry-run'])).code, (await upload(stated)).code]).toEqual([1, 1]);
    const kind = ['junit.xml', '--kind', 'nonsense'];
    expect([(await upload([...kind, '--dry-run'])).code, (await upload(kind)).code]).toEqual([2, 2]);
  });

  it('finds the release of the branch without --release, or says how to name it', async () => {
    write('junit.xml', junit(15, 0));
    const start = (ref: string, commit = sha): Promise<ClientOutcome> =>
      shipgate(['upload', 'junit.xml'], {
        cwd: folder,
        env: { ...variables(), GITHUB_REF_NAME: ref, GITHUB_SHA: commit },
      });
    const found = await start('main');
    expect([found.code, found.stderr]).toEqual([0, expect.stringContaining(`Release ${VERSION}: `)]);
    const none = await start('feature/x');
    expect([none.code, none.stdout]).toEqual([
      0,
      'Nothing was uploaded: "feature/x" is neither a version, nor a release branch, nor the development branch. ' +
        'Name the release with --release VERSION or SHIPGATE_VERSION.\n',
    ]);
    scenario.milestone('v1.5.0');
    await env.waitUntilIdle();
    const several = await start('main', 'f'.repeat(40));
    expect(several.code).toBe(2);
    expect(several.stderr).toContain('It may be v1.5.0 or v1.4.0. Name the release with --release VERSION');
  });

  it('reports how it read each file', async () => {
    write('out/junit.xml', junit(5, 2));
    write('out/lcov.info', 'TN:\nSF:a.ts\nDA:1,1\nDA:2,0\nLF:2\nLH:1\nend_of_record\n');
    const { code, stdout, stderr } = await upload(['out', '--environment', 'qa']);
    expect([code, stderr.includes('error')]).toEqual([0, false]);
    expect(stdout.split('\n').slice(1)).toEqual([
      '  unit_tests (qa): 5 total, 3 passed, 2 failed, 0 skipped',
      '  coverage (qa): 50 line_percent',
      `Evidence received for ${VERSION} at ${sha.slice(0, 7)}; it counts at the candidate.`,
      expect.stringContaining(`${env.baseUrl}/w/acme/releases/`),
      '',
    ]);
  });

  it('lists in its document what the service found, also for a repetition and for an older service', async () => {
    write('out/junit.xml', junit(5, 2));
    const args = ['out', '--environment', 'list', '--json'];
    const found = [
      expect.objectContaining({ kind: 'unit_tests', environment: 'list', metrics: expect.objectContaining({}) }),
    ];
    const first = await upload(args);
    expect([first.json['outcome'], first.json['items']]).toEqual(['kept', found]);
    expect(first.json['files']).toEqual([expect.objectContaining({ name: 'out/junit.xml', format: null })]);
    const second = await upload(args);
    expect([second.json['outcome'], second.json['items']]).toEqual(['repeated', found]);
    const stated = await upload([...args, '--format', 'junit', '--dry-run']);
    expect([stated.json['files'], stated.json['items']]).toEqual([[expect.objectContaining({ format: 'junit' })], []]);
    const older = await TestServer.answering((request, response) => {
      request.resume().once('end', () => response.writeHead(201).end('{"evidenceId":"e"}'));
    });
    expect((await upload(args, { SHIPGATE_URL: older.url })).json).toMatchObject({ outcome: 'kept', items: [] });
    await older.stop();
  });

  describe('with a secret in every input', () => {
    /** Each environment variable that may contain a secret, and some that contain one by mistake. */
    const SURROUNDINGS = {
      AWS_SECRET_ACCESS_KEY: 'canary-aws-0123456789',
      CIRCLE_REPOSITORY_URL: 'https://x:canary-url-0123456789@github.com/acme/payments',
      GIT_URL: 'https://x:canary-git-0123456789@github.com/acme/payments',
      GITHUB_TOKEN: 'canary-github-0123456789',
      NODE_AUTH_TOKEN: 'canary-npm-0123456789',
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'canary-request-0123456789',
      SHIPGATE_PERSONAL_KEY: createMarkedKey('sgp'),
    };
    const KEY = createMarkedKey('sgk');
    const QUIET = { SHIPGATE_RETRY_FOR: '0s' };

    /** Responds with everything that it received, like the error page of a proxy. */
    const echoing = (status: number): Promise<TestServer> =>
      TestServer.answering(async (request, response) => {
        for await (const _ of request);
        const { authorization = '' } = request.headers;
        response.writeHead(status, {
          'content-type': 'application/json',
          location: `https://other.example/?${authorization.replace('Bearer ', '')}`,
          'x-request-id': authorization,
        });
        const disguised = authorization.replace(/.{6}$/, '\u200E$&');
        const reason = { actor: 'team', code: 'other', detail: disguised };
        const body = {
          error: `Not with ${disguised}`,
          problems: [authorization],
          can_deploy: false,
          reasons: [reason],
        };
        // An escape of JSON hides the credential from a search in the body.
        response.end(JSON.stringify(body).replaceAll('canary', String.raw`c\u0061nary`));
      });
    const visible = (text: string): string =>
      text
        .replaceAll(/\\u([0-9a-f]{4})/g, (_, unit: string) => String.fromCharCode(Number.parseInt(unit, 16)))
        .replaceAll(/\p{Cf}/gu, '');

    it.each([200, 302, 401, 403, 422, 503])(
      'prints none if the service answers %s with everything that it received',
      async (status) => {
        const server = await echoing(status);
        write('key', `${KEY}\n`);
        write('junit.xml', `${junit(1, 0)}<!-- canary-file-0123456789 -->`);
        const env = {
          ...SURROUNDINGS,
          ...QUIET,
          SHIPGATE_URL: server.url,
          GITHUB_SHA: sha,
          SHIPGATE_REPO: 'acme/payments',
        };
        const system = {
          GITHUB_ACTIONS: 'true',
          GITHUB_WORKFLOW: 'w',
          GITHUB_RUN_ID: '1',
          GITHUB_SERVER_URL: 'https://github.com',
        };
        const release = ['--release', VERSION];
        const identity = `${identities.url}/token?v=2`;
        try {
          const outcomes = await Promise.all(
            [
              { SHIPGATE_API_KEY: KEY },
              { SHIPGATE_API_KEY_FILE: path.join(folder, 'key') },
              { SHIPGATE_ID_TOKEN: `e30.${Buffer.from('{"aud":"shipgate"}').toString('base64url')}.canary-signature` },
              { ACTIONS_ID_TOKEN_REQUEST_URL: identity, ACTIONS_ID_TOKEN_REQUEST_TOKEN: SECRET },
            ].flatMap((credential) =>
              [
                ['upload', 'junit.xml', '--allow-committed', ...release],
                ['gate', ...release],
                ['policy', 'check', '--remote'],
                ['doctor'],
                ['release', 'list'],
              ].flatMap((args) =>
                [args, [...args, '--json']].map((given) =>
                  shipgate(given, { cwd: folder, env: { ...system, ...env, ...credential } }),
                ),
              ),
            ),
          );
          for (const { code, stdout, stderr } of outcomes) {
            expect(code).not.toBe(0);
            expect(visible(stdout + stderr)).not.toContain('canary');
            expect(visible(stdout + stderr)).not.toContain(SECRET);
          }
          // A call with --json prints one document, also after an error.
          for (const { json } of outcomes.filter((_, index) => index % 2 === 1)) expect(json).toHaveProperty('exit');
        } finally {
          await server.stop();
        }
      },
    );
  });

  it.each([
    ['a command of GitHub Actions', '::error::x.xml'],
    ['a command of Azure Pipelines', '##vso[x].xml'],
    ['a second field of the form', 'a";name="version.xml'],
    ['a change of direction', `a\u202Elmx.xml`],
  ])('stores a file under its exact name, and prints nothing active for it: %s', async (_, name) => {
    write(name, junit(24, 0));
    const accepted = await upload([name, '--json']);
    expect([accepted.code, accepted.json['files']]).toEqual([0, [expect.objectContaining({ name })]]);
    const id = String(accepted.json['evidence_id']);
    const rows = await env.asSuperuser(`select name from evidence_report where evidence_id = '${id}'`);
    expect(rows).toEqual([{ name }]);
    write(name, junit(24, 0).slice(0, 40));
    const refused = await upload([name]);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('not well-formed XML')]);
    rmSync(path.join(folder, name));
    const missing = await upload([name]);
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('No file matches')]);
    for (const { stdout, stderr } of [accepted, refused, missing]) {
      expect(stdout + stderr).not.toMatch(/^\s*::|##vso\[|\u202E/m);
    }
  });

  it('ends with 3 at the first try if the answer is larger than 4 MB', async () => {
    write('junit.xml', junit(25, 0));
    const outcome = await through(
      (_, request, response) => {
        request.resume();
        response.writeHead(201).end(`{"evidenceId":"e"}${' '.repeat(5 * MEGABYTE)}`);
        return true;
      },
      ['junit.xml'],
    );
    expect([outcome.code, outcome.requests]).toEqual([3, 1]);
    expect(outcome.stderr).toContain('error: The answer is larger than 4 MB.\n');
  });

  it('ends with 2 if a folder or a file may not be read, unless it is excluded', async () => {
    write('out/junit.xml', junit(16, 0));
    chmodSync(folder, 0o755);
    for (const [name, file, exclusion] of [
      ['out/private', 'out/private/red.xml', '!out/private/**'],
      ['out/secret.xml', 'out/secret.xml', '!out/secret.xml'],
    ] as const) {
      write(file, junit(1, 1));
      chmodSync(path.join(folder, name), 0o000);
      const dryRun = (...patterns: readonly string[]): Promise<ClientOutcome> =>
        shipgate(
          ['upload', ...patterns, '--release', VERSION, '--repo', 'a/b', '--pipeline', 'p', '--dry-run', '--json'],
          {
            cwd: folder,
            env: { SHIPGATE_URL: env.baseUrl, SHIPGATE_API_KEY: keySecret('sgk', new Uint8Array(32)) },
            // Root may read everything.
            uid: process.getuid?.() === 0 ? OTHER_USER : undefined,
          },
        );
      const refused = await dryRun('out');
      expect([refused.code, refused.json['error']]).toEqual([2, expect.stringContaining(`${name} cannot be read`)]);
      const excluded = await dryRun('out', exclusion);
      expect([excluded.code, excluded.json['files']]).toEqual([
        0,
        [expect.objectContaining({ name: 'out/junit.xml' })],
      ]);
      chmodSync(path.join(folder, name), 0o700);
      rmSync(path.join(folder, name), { recursive: true });
    }
  });

  it('does not follow links', async () => {
    const outside = mkdtempSync(path.join(tmpdir(), 'shipgate-outside-'));
    writeFileSync(path.join(outside, 'secret.xml'), junit(1, 0));
    symlinkSync(path.join(outside, 'secret.xml'), path.join(folder, 'link.xml'));
    symlinkSync(outside, path.join(folder, 'linked'));
    try {
      for (const pattern of ['link.xml', '*.xml', 'linked', 'linked/**', 'linked/secret.xml', './linked/s*.xml', '.']) {
        expect(await upload([pattern])).toMatchObject({ code: 2 });
      }
    } finally {
      rmSync(outside, { recursive: true });
    }
  });
});
