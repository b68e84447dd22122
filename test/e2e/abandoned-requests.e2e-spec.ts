import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Client } from 'pg';
import { ReportParserService } from '../../src/features/evidence/parsing/report-parser.service.js';
import { UploadMemoryLimit } from '../../src/features/evidence/upload/upload-memory-limit.js';
import { GateService } from '../../src/features/releases/gate/gate.service.js';
import { blockingParserThreads, ENDLESS_FILE } from '../support/blocking-parser-threads.js';
import { junit } from '../support/ci-run-client.js';
import { HeldResources } from '../support/held-resources.js';
import { TestEnvironment } from '../support/test-environment.js';
import { signIn, type UserSession } from '../support/user-session.js';
import { givenPersonalKey } from './remote-tools/tools-client.js';
import { RepositoryScenario } from './scenarios/repository-scenario.js';

const VERSION = 'v1.0.0';
/** Enough for a list and an export that no socket buffers completely. */
const RECORDS = 20_000;
/** The tests of a report that no socket buffers completely. */
const TESTS = 100_000;

let env: TestEnvironment;
let parser: ReportParserService;
let memory: UploadMemoryLimit;
let held: HeldResources;
let member: UserSession;
let orgId: string;
let [key, keyOfOther, personalKey] = ['', '', ''];
let [packPath, reportPath] = ['', ''];
const sockets: Socket[] = [];

beforeAll(async () => {
  env = await TestEnvironment.start({ BILLING: 'off' }, blockingParserThreads());
  const other = env.github.createOrganization({ login: 'other' });
  const repos = [
    new RepositoryScenario(env, { name: 'payments', private: false }),
    new RepositoryScenario(env, { name: 'cart', organization: other }),
  ];
  for (const repo of repos) repo.milestone(VERSION);
  orgId = await env.install();
  await env.install(other);
  for (const repo of repos) repo.commit();
  await env.waitUntilIdle();
  [key, keyOfOther] = [await env.key(), await env.key(['evidence:write'], other)];
  member = await signIn(env, env.github.createUser({ login: 'ada' }), { role: 'admin' });
  await env.asSuperuser(
    `insert into deployment_record (org_id, id, repository_id, version, kind, commit_sha, environment, deployed_at,
       deployed_by, approvers, recorded_at)
     select org_id, gen_random_uuid(), id, 'v1.0.0', 'ungoverned', repeat('c', 40), 'production', now() - n * interval '1 minute',
       'ada', '[]', now() from repository, generate_series(1, ${RECORDS}) n where org_id = '${orgId}' and name = 'payments'`,
  );
  personalKey = (await givenPersonalKey(member)).secret;
  const large = await sendUpload(jsonUpload('payments', 'large.xml', TESTS));
  expect(String(await once(large, 'data'))).toMatch(/^HTTP\/1\.1 201 /);
  const [stored] = await env.asSuperuser<{ readonly pack: string; readonly report: string }>(
    `select '/api/milestones/' || e.release_id || '/audit-pack?org=acme' as pack,
       '/api/evidence/' || e.id || '/reports/' || r.id as report
     from evidence e join evidence_report r on r.evidence_id = e.id`,
  );
  [packPath, reportPath] = [stored?.pack ?? '', stored?.report ?? ''];
  // The first stream opens the connection on which the service listens for events.
  await once(await send('/api/events', { cookie: member.cookie }), 'data');
  parser = env.app.get(ReportParserService);
  memory = env.app.get(UploadMemoryLimit);
  held = new HeldResources(env);
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});
afterAll(() => env.stop());

const until = async (isReached: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await isReached())) await sleep(5);
};

const jsonUpload = (repo: string, filename: string, tests = 200): string =>
  JSON.stringify({ repo, version: VERSION, pipeline: 'ci', files: [{ filename, content: junit(tests) }] });

const FORM_TYPE = 'multipart/form-data; boundary=b';
const formUpload = (repo: string, filename: string): string =>
  [
    ...Object.entries({ repo, version: VERSION, pipeline: 'ci' }).map(
      ([name, value]) => `name="${name}"\r\n\r\n${value}`,
    ),
    `name="file"; filename="${filename}"\r\n\r\n${junit(200)}`,
  ]
    .map((part) => `--b\r\nContent-Disposition: form-data; ${part}\r\n`)
    .join('') + '--b--\r\n';

/** Sends a request on its own connection. Sends only a part of the body if `share` is below 1. */
async function send(
  path: string,
  headers: Readonly<Record<string, string>>,
  body: string | Buffer | null = null,
  share = 1,
): Promise<Socket> {
  const { hostname, port } = new URL(env.baseUrl);
  const socket = connect(Number(port), hostname);
  sockets.push(socket);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  const bytes = Buffer.from(body ?? '');
  const all = { host: 'shipgate', ...headers, ...(body !== null && { 'content-length': String(bytes.length) }) };
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`${body === null ? 'GET' : 'POST'} ${path} HTTP/1.1\r\n${head.join('')}\r\n`);
  socket.write(bytes.subarray(0, Math.floor(bytes.length * share)));
  return socket;
}

const sendUpload = (body: string | Buffer, share = 1, type: Readonly<Record<string, string>> = {}): Promise<Socket> =>
  send(
    '/api/evidence/upload',
    { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...type },
    body,
    share,
  );
const sendForm = (body: string, share = 1): Promise<Socket> =>
  send('/api/evidence/upload-report', { authorization: `Bearer ${key}`, 'content-type': FORM_TYPE }, body, share);

const uploadOfOther = (): Promise<Response> =>
  fetch(`${env.baseUrl}/api/evidence/upload`, {
    method: 'POST',
    headers: { authorization: `Bearer ${keyOfOther}`, 'content-type': 'application/json' },
    body: jsonUpload('cart', 'junit.xml'),
  });

describe('uploads that are never parsed to their end', () => {
  it('do not delay the upload of another workspace, and end with their senders', async () => {
    const senders = [];
    for (let nth = 0; nth < 3; nth += 1) senders.push(await sendUpload(jsonUpload('payments', ENDLESS_FILE)));
    await until(() => parser.load.parsing + parser.load.waiting === 3);
    const answer = await uploadOfOther();
    expect([answer.status, parser.load.parsing + parser.load.waiting]).toEqual([201, 3]);
    for (const sender of senders) sender.destroy();
    await until(() => parser.load.parsing + parser.load.waiting === 0);
    expect(memory.load).toEqual({ uploads: 0, bytes: 0 });
    const next = await sendUpload(jsonUpload('payments', 'junit.xml'));
    expect(String(await once(next, 'data'))).toMatch(/^HTTP\/1\.1 201 /);
  });
});

/** Returns the number of statements that wait for a lock and begin like this. */
async function countWaiting(beginning: string): Promise<number> {
  const waiting = await env.asSuperuser(
    `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '${beginning}%'`,
  );
  return waiting.length;
}

describe('uploads that wait for the lock of their release', () => {
  it('use a few connections to the database, and none after their senders left', async () => {
    const before = await held.countAtRest();
    const blocker = new Client({ connectionString: env.databaseUrls.superuserUrl });
    await blocker.connect();
    try {
      await blocker.query(`begin; select from release where version = '${VERSION}' and org_id = '${orgId}' for update`);
      const senders = [];
      for (let nth = 0; nth < 20; nth += 1) senders.push(await sendUpload(jsonUpload('payments', `${nth}.xml`)));
      await until(() => memory.load.uploads === 20 && parser.load.parsing + parser.load.waiting === 0);
      expect((await uploadOfOther()).status).toBe(201);
      // Uploads that read facts wait, too, and so do jobs. The pool has 16 connections for all workspaces.
      expect(await countWaiting('')).toBeLessThan(8);
      expect(await countWaiting('select shipped_at')).toBeLessThanOrEqual(1);
      for (const sender of senders) sender.destroy();
      // The one upload that waits in the database ends with the lock.
      await until(() => memory.load.uploads <= 1);
    } finally {
      await blocker.end();
    }
    await held.expectNoMoreThan({ ...before, connections: Number.POSITIVE_INFINITY });
  });
});

const whileParsing = (): Promise<void> => until(() => parser.load.parsing > 0);
const whileReceiving = (): Promise<void> => until(() => memory.load.bytes > 0);
const gzip = (body: string): Buffer => gzipSync(body, { level: 1 });

describe('a request whose sender leaves', () => {
  it.each<[string, () => Promise<Socket>, (socket: Socket) => Promise<unknown>]>([
    ['JSON upload that arrives', () => sendUpload(jsonUpload('payments', 'a.xml'), 0.5), whileReceiving],
    ['JSON upload that is parsed', () => sendUpload(jsonUpload('payments', ENDLESS_FILE)), whileParsing],
    ['form that arrives', () => sendForm(formUpload('payments', 'a.xml'), 0.5), whileReceiving],
    ['form that is parsed', () => sendForm(formUpload('payments', ENDLESS_FILE)), whileParsing],
    [
      'gzip upload that arrives',
      () => sendUpload(gzip(jsonUpload('payments', 'a.xml').repeat(20)), 0.5, { 'content-encoding': 'gzip' }),
      whileReceiving,
    ],
    [
      'gzip upload that is parsed',
      () => sendUpload(gzip(jsonUpload('payments', ENDLESS_FILE)), 1, { 'content-encoding': 'gzip' }),
      whileParsing,
    ],
    ...[
      ['export as CSV', () => '/api/history/export?format=csv'] as const,
      ['export as XLSX', () => '/api/history/export?format=xlsx'] as const,
      ['list', () => '/api/history'] as const,
      ['stream of events', () => '/api/events'] as const,
      ['audit pack', () => packPath] as const,
      ['report', () => reportPath] as const,
    ].map(([what, toPath]): [string, () => Promise<Socket>, (socket: Socket) => Promise<unknown>] => [
      `${what} that is sent`,
      () => send(toPath(), { cookie: member.cookie }),
      async (socket) => {
        await once(socket, 'readable');
        expect(String(socket.read(15))).toBe('HTTP/1.1 200 OK');
      },
    ]),
    [
      'delivery that arrives',
      () => send('/api/webhook', { 'content-type': 'application/json' }, '{"zen":"a"}'.padEnd(100_000), 0.5),
      (socket) => until(() => socket.bytesWritten > 1_000),
    ],
    [
      'change that arrives',
      () =>
        send('/api/projects', { cookie: member.cookie, 'content-type': 'application/json' }, '{}'.padEnd(9_999), 0.5),
      (socket) => until(() => socket.bytesWritten > 1_000),
    ],
  ])('holds nothing after a %s', async (_what, open, untilHeld) => {
    const before = await held.countAtRest();
    const socket = await open();
    await untilHeld(socket);
    socket.destroy();
    await held.expectNoMoreThan(before);
  });
});

describe('a download whose sender leaves before it begins', () => {
  it.each<[string, string, () => string]>([
    ['export as CSV', 'deployment_record', () => '/api/history/export?format=csv'],
    ['export as XLSX', 'deployment_record', () => '/api/history/export?format=xlsx'],
    ['list', 'deployment_record', () => '/api/history'],
    ['audit pack', 'evidence_report', () => packPath],
    ['report', 'evidence_report', () => reportPath],
  ])('holds nothing once the database answers: %s', async (_what, table, toPath) => {
    const before = await held.countAtRest();
    const blocker = new Client({ connectionString: env.databaseUrls.superuserUrl });
    await blocker.connect();
    try {
      await blocker.query(`begin; lock table ${table} in access exclusive mode`);
      const socket = await send(toPath(), { cookie: member.cookie });
      await until(async () => (await countWaiting('')) > 0);
      socket.destroy();
      await until(async () => (await held.count())['connections'] === before['connections']);
    } finally {
      await blocker.end();
    }
    await held.expectNoMoreThan(before);
  });
});

describe('a gate request that waits for GitHub', () => {
  const explainGate = { name: 'explain_gate', arguments: { repo: 'acme/payments', version: VERSION } };
  const toolCall = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: explainGate };
  const GATE_PATH = `/api/milestones/check?repo=acme/payments&version=${VERSION}`;
  const callTools = (body: object): Promise<Socket> =>
    send(
      '/mcp',
      {
        authorization: `Bearer ${personalKey}`,
        'content-type': 'application/json',
        'mcp-protocol-version': '2025-03-26',
      },
      JSON.stringify(body),
    );
  /** Holds every answer of GitHub about repositories. All facts are stale then. */
  function holdGitHub(): { readonly came: Promise<void>; letThrough(): void } {
    let [arrive, letThrough] = [(): void => undefined, (): void => undefined];
    const came = new Promise<void>((resolve) => (arrive = resolve));
    const sent = new Promise<void>((resolve) => (letThrough = resolve));
    env.github.faults.next({ kind: 'hold', match: /\/repos\//, times: 1_000, came: () => arrive(), letThrough: sent });
    env.clock.advance(60 * 60_000);
    return { came, letThrough: () => letThrough() };
  }
  afterEach(async () => {
    env.github.faults.clear();
    await env.waitUntilIdle();
  });

  it.each<[string, () => Promise<Socket>]>([
    ['a job', () => send(GATE_PATH, { authorization: `Bearer ${key}` })],
    ['a remote tool', () => callTools(toolCall)],
  ])('holds no connection to the database, and nothing after its sender left: %s', async (_what, open) => {
    const before = await held.countAtRest();
    const github = holdGitHub();
    try {
      const socket = await open();
      await github.came;
      await held.expectNoMoreThan({ ...before, connections: (before['connections'] ?? 0) + 1 });
      socket.destroy();
      await held.expectNoMoreThan(before);
    } finally {
      github.letThrough();
    }
  });

  it('is not followed by the other messages of its batch after the sender left', async () => {
    const before = await held.countAtRest();
    const check = jest.spyOn(env.app.get(GateService), 'checkForViewer');
    const github = holdGitHub();
    try {
      const socket = await callTools(Array.from({ length: 5 }, (_, nth) => ({ ...toolCall, id: nth })));
      await github.came;
      socket.destroy();
      await held.expectNoMoreThan(before);
      github.letThrough();
      await check.mock.results[0]?.value;
      await env.waitUntilIdle();
      expect(check).toHaveBeenCalledTimes(1);
    } finally {
      github.letThrough();
      check.mockRestore();
    }
  });
});
