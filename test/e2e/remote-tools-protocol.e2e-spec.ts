import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type UserSession, signIn } from '../support/user-session.js';
import { TestEnvironment } from '../support/test-environment.js';
import { givenPersonalKey, type RawAnswer, sendRaw, withRevision } from './remote-tools/tools-client.js';

const HANDSHAKE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'probe', version: '1.0.0' } },
};
const NO_SUCH_METHOD = -32601;

const ping = (id: number): object => ({ jsonrpc: '2.0', id, method: 'ping' });

/** A tool call in the form of the revisions with a handshake. */
const call = (name: unknown, args: unknown = {}, id: number | string = 1): object => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
});

/** The part of a response that the tests read. */
interface ToolMessage {
  readonly id?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: object };
  readonly result?: Readonly<Record<string, unknown>>;
}

const messageIn = ({ text }: RawAnswer): ToolMessage => JSON.parse(text) as ToolMessage;

let env: TestEnvironment;
let owner: UserSession;
let reading: string;
let writing: string;

beforeAll(async () => {
  env = await TestEnvironment.start();
  await env.install();
  owner = await signIn(env, env.github.createUser({ login: 'rhea' }));
  reading = (await givenPersonalKey(owner, 'read')).secret;
  writing = (await givenPersonalKey(owner, 'write')).secret;
});
afterAll(() => env.stop());

const post = (body: unknown, headers: Record<string, string> = {}, key = reading): Promise<RawAnswer> =>
  sendRaw(env, key, { body, headers });

describe('the endpoint of the remote tools', () => {
  it.each<[string, () => Promise<Record<string, string>>]>([
    ['without a credential', async () => ({})],
    ['with a session', async () => ({ cookie: owner.cookie, origin: env.baseUrl })],
    ['with an API key of CI', async () => ({ authorization: `Bearer ${await env.key()}` })],
    ['with two credentials', async () => ({ authorization: `Bearer ${reading}, Bearer ${writing}` })],
    ['with a key in another scheme', async () => ({ authorization: `Basic ${reading}` })],
  ])('answers %s with a challenge for a key, whatever the method is', async (_, headersOf) => {
    const headers = await headersOf();
    for (const method of ['POST', 'GET', 'DELETE']) {
      const answer = await sendRaw(env, null, { method, headers, ...(method === 'POST' && { body: ping(1) }) });
      expect([method, answer.status, answer.headers.get('www-authenticate')]).toEqual([
        method,
        401,
        expect.stringMatching(/^Bearer realm="shipgate"/),
      ]);
      expect(Object.keys(JSON.parse(answer.text) as object)).toEqual(['error']);
    }
  });

  it.each(['https://evil.example', 'null', 'http://127.0.0.1:1', ''])(
    'rejects requests from the page %j',
    async (origin) => {
      for (const method of ['POST', 'GET', 'DELETE']) {
        const request = { method, headers: { origin }, ...(method === 'POST' && { body: ping(1) }) };
        expect([method, (await sendRaw(env, reading, request)).status]).toEqual([method, 403]);
      }
    },
  );

  it('accepts requests from a page of the service', async () => {
    expect((await post(ping(1), { origin: env.baseUrl })).status).toBe(200);
  });

  it('has no stream and no session to end', async () => {
    for (const method of ['GET', 'DELETE', 'HEAD']) {
      const { status, headers } = await sendRaw(env, reading, { method, headers: { accept: 'text/event-stream' } });
      expect([method, status, headers.get('allow')]).toEqual([method, 405, 'POST']);
    }
  });
});

describe('a message', () => {
  it('is answered as JSON, is not cached and starts no session', async () => {
    const answer = await post(HANDSHAKE);
    expect([answer.status, answer.headers.get('content-type'), answer.headers.get('cache-control')]).toEqual([
      200,
      'application/json; charset=utf-8',
      'no-store',
    ]);
    expect(answer.headers.get('mcp-session-id')).toBeNull();
    expect(messageIn(answer).result).toMatchObject({
      protocolVersion: '2025-06-18',
      capabilities: { tools: { listChanged: false } },
      serverInfo: { name: 'shipgate', title: 'Shipgate' },
      instructions: expect.stringContaining('approve'),
    });
  });

  it.each([
    ['2025-11-25', '2025-11-25'],
    ['2025-03-26', '2025-03-26'],
    ['2024-11-05', '2024-11-05'],
    ['1999-01-01', '2025-11-25'],
    ['2026-07-28', '2025-11-25'],
  ])('that proposes the revision %s agrees on %s', async (proposed, agreed) => {
    const answer = await post({ ...HANDSHAKE, params: { ...HANDSHAKE.params, protocolVersion: proposed } });
    expect(messageIn(answer).result?.['protocolVersion']).toBe(agreed);
  });

  it('that expects no response is accepted', async () => {
    const answer = await post({ jsonrpc: '2.0', method: 'notifications/initialized' });
    expect([answer.status, answer.text]).toEqual([202, '']);
  });

  it('of a client without an Accept header is answered', async () => {
    expect(messageIn(await post(ping(7), { accept: '*/*' }))).toEqual({ jsonrpc: '2.0', id: 7, result: {} });
  });

  it.each([undefined, null, 7, 'text', true, [], [1], [[ping(1)]], [ping(1), null]])('cannot be %j', async (body) => {
    const answer = body === undefined ? await sendRaw(env, reading) : await post(JSON.stringify(body));
    expect([answer.status, Object.keys(messageIn(answer))]).toEqual([400, ['error']]);
    expect(typeof (messageIn(answer).error as unknown)).toBe('string');
  });

  it.each<object>([{}, { jsonrpc: '1.0', id: 1, method: 'ping' }, { jsonrpc: '2.0', id: { a: 1 }, method: 'ping' }])(
    'that is not JSON-RPC 2.0, as %j, is rejected with its error',
    async (body) => {
      const answer = await post(body);
      expect(answer.status).toBe(400);
      expect(messageIn(answer).error?.code).toBeLessThanOrEqual(-32600);
    },
  );

  it.each([
    ['<a/>', { 'content-type': 'application/xml' }, 415],
    ['{', {}, 400],
    [JSON.stringify(ping(1)).padEnd(262_145), {}, 413],
    [`${'['.repeat(70)}${']'.repeat(70)}`, {}, 413],
    ['{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}', {}, 400],
    ['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"\\u0000"}}', {}, 400],
  ])('in the body %.40s is rejected with the headers %j', async (body, headers, status) => {
    const answer = await post(body, headers);
    expect([answer.status, Object.keys(messageIn(answer))]).toEqual([status, ['error']]);
  });

  it('with an unknown method gets an error', async () => {
    expect(messageIn(await post({ jsonrpc: '2.0', id: 1, method: 'resources/list' })).error?.code).toBe(NO_SUCH_METHOD);
    const { body, headers } = withRevision('resources/list');
    const answer = await post(body, headers);
    expect([answer.status, messageIn(answer).error?.code]).toEqual([404, NO_SUCH_METHOD]);
  });

  it('with an unknown revision gets the known ones', async () => {
    const { body, headers } = withRevision('tools/list');
    const text = JSON.stringify(body).replaceAll('2026-07-28', '2027-01-01');
    const answer = await post(text, { ...headers, 'mcp-protocol-version': '2027-01-01' });
    expect([answer.status, messageIn(answer).error?.data]).toEqual([
      400,
      expect.objectContaining({ supported: ['2026-07-28'] }),
    ]);
    expect((await post(ping(1), { 'mcp-protocol-version': '1999-01-01' })).status).toBe(400);
  });

  it('that subscribes to changes opens no stream', async () => {
    const { body, headers } = withRevision('subscriptions/listen', { notifications: { toolsListChanged: true } });
    const answer = await post(body, headers);
    expect([answer.headers.get('content-type'), messageIn(answer).error !== undefined]).toEqual([
      'application/json; charset=utf-8',
      true,
    ]);
  });

  it('whose headers name another tool than its body is rejected', async () => {
    const { body, headers } = withRevision('tools/call', { name: 'list_releases', arguments: {} });
    expect((await post(body, headers)).status).toBe(200);
    expect((await post(body, { ...headers, 'mcp-name': 'explain_gate' })).status).toBe(400);
  });
});

describe('the list of the tools', () => {
  it('is short, because a client reads it into each conversation', async () => {
    const { text } = await post({ jsonrpc: '2.0', id: 1, method: 'tools/list' }, {}, writing);
    expect(JSON.parse(text)).toMatchObject({ result: { tools: { length: 9 } } });
    expect(Buffer.byteLength(text)).toBeLessThan(10_000);
    expect(text).not.toContain('outputSchema');
  });
});

describe('a batch', () => {
  it('is answered in order, except for messages that expect no response', async () => {
    const answer = await post([
      ping(2),
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } },
      call('list_releases', {}, 'three'),
      call('explain_gate', {}, 4),
    ]);
    expect(answer.status).toBe(200);
    const answers = JSON.parse(answer.text) as readonly ToolMessage[];
    expect(answers.map(({ id }) => id)).toEqual([2, 'three', 4]);
    expect(answers.map(({ result }) => result?.['isError'] ?? false)).toEqual([false, false, true]);
  });

  it('in which no message expects a response is accepted', async () => {
    const answer = await post([{ jsonrpc: '2.0', method: 'notifications/initialized' }]);
    expect([answer.status, answer.text]).toEqual([202, '']);
  });

  it.each<[string, () => object, Record<string, string>]>([
    ['is too long', () => Array.from({ length: 21 }, (_, id) => ping(id)), {}],
    ['initializes', () => [ping(2), HANDSHAKE], {}],
    ['comes in a revision that has none', () => [ping(2)], { 'mcp-protocol-version': '2025-06-18' }],
    ['comes in the revision without a handshake', () => [withRevision('ping').body], withRevision('ping').headers],
  ])('that %s is rejected as a whole', async (_, bodyOf, headers) => {
    const answer = await post(bodyOf(), headers);
    expect([answer.status, Object.keys(messageIn(answer))]).toEqual([400, ['error']]);
  });

  it('with one call beyond the scope of the key does nothing', async () => {
    const before = (await owner.get('/api/sync')).body['syncId'];
    const answer = await post([ping(2), call('sync')]);
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([
      403,
      'Bearer realm="shipgate", error="insufficient_scope", scope="write"',
    ]);
    expect((await owner.get('/api/sync')).body['syncId']).toBe(before);
  });
});

describe('a hostile call', () => {
  it.each(['__proto__', 'constructor', 'toString', 'nothing', '', 'approve', 'deploy', 'x'.repeat(10_000)])(
    'finds no tool named %.20s',
    async (name) => {
      const legacy = await post(call(name), {}, writing);
      expect([legacy.status, messageIn(legacy).error?.code]).toEqual([200, -32602]);
      const { body, headers } = withRevision('tools/call', { name, arguments: {} });
      const answer = await post(body, headers, writing);
      expect([answer.status < 500, messageIn(answer).error !== undefined]).toEqual([true, true]);
    },
  );

  it.each<[string, unknown]>([
    ['list_releases', { search: '' }],
    ['list_releases', { search: '🚀'.repeat(201) }],
    ['list_releases', { search: ['a'] }],
    ['list_releases', { outcome: 'all' }],
    ['list_releases', { page: 0 }],
    ['list_releases', { page: 1.5 }],
    ['list_releases', { page: 100_001 }],
    ['list_releases', { page: '1' }],
    ['list_releases', { pageSize: 20 }],
    ['list_releases', { org: 'elsewhere' }],
    ['explain_gate', {}],
    ['explain_gate', { repo: 'a/b/c', version: 'v1.0.0' }],
    ['explain_gate', { repo: '../../x', version: 'v1.0.0' }],
    ['explain_gate', { repo: 'payments', version: 'v'.repeat(101) }],
    ['explain_gate', { repo: 'payments', version: 'v1.0.0', sha: 'HEAD' }],
    ['explain_gate', { repo: 'payments', version: 'v1.0.0', explain: false }],
    ['pending_reviews', { scope: 'all' }],
    ['pending_reviews', { pageSize: '10' }],
    ['pending_reviews', { eligibility: 'mine' }],
    ['pending_reviews', { search: '' }],
    ['review_brief', { repo: 'payments' }],
    ['review_brief', { repo: 'payments', version: '' }],
    ['review_brief', { repo: 'payments', version: 'v1.0.0', sha: 'f'.repeat(40) }],
    ['history', { repo: 'a/b/c' }],
    ['history', { repository: 'payments' }],
    ['history', { from: '2026-1-1' }],
    ['history', { from: 20260101 }],
    ['history', { kind: 'again' }],
    ['history', { environment: '' }],
    ['history', { search: '' }],
    ['approval_record', { repo: 'payments' }],
    ['approval_record', { milestoneId: 'x', repo: 'payments', version: 'v1.0.0' }],
    ['quality', { type: 'tests' }],
    ['quality', { owner: 'acme', repo: 'payments' }],
    ['quality', { milestone: 'v1.0.0' }],
    ['quality', { version: '' }],
    ['quality', { environment: '' }],
    ['scope', {}],
    ['scope', { repo: 'payments', action: 'link', number: 1 }],
    ['scope', { repo: 'payments', version: 'v1.0.0', action: 'close', number: 1 }],
    ['scope', { repo: 'payments', version: 'v1.0.0', action: 'link', number: 2 ** 31 }],
    ['scope', { repo: 'payments', version: 'v1.0.0', action: 'assign', number: 1, assignee: '../x' }],
    ['sync', { repo: 7 }],
    ['sync', { repoId: 'x' }],
  ])('of %s with %j is rejected with the cause', async (name, args) => {
    const answer = messageIn(await post(call(name, args), {}, writing)).result;
    expect(answer).toEqual({
      isError: true,
      content: [{ type: 'text', text: expect.stringMatching(/^(?:The (?:argument|tool) [^.]+\. ?)+/) }],
    });
  });

  it.each([
    ['explain_gate', {}, 'The argument repo is missing. The argument version is missing.'],
    [
      'explain_gate',
      { repo: 'x', version: 'v1', sha: 'HEAD' },
      'The argument sha must be 40 hexadecimal digits in lower case.',
    ],
    ['list_releases', { page: '1' }, 'The argument page must be a whole number.'],
    ['list_releases', { page: 0 }, 'The argument page must be 1 or more.'],
    ['list_releases', { pageSize: 20 }, 'The argument pageSize must be one of 10, 25, 50.'],
    ['list_releases', { page_size: 10 }, 'The tool list_releases has no argument page_size. Did you mean pageSize?'],
    [
      'list_releases',
      { org: 'x' },
      'The tool list_releases has no argument org. It takes search, outcome, sort, page, pageSize.',
    ],
    ['history', { repo: 'nothing' }, 'The workspace has no repository nothing, or you cannot read it.'],
  ])('of %s with %j is rejected with the sentence %j', async (name, args, sentence) => {
    const { result } = messageIn(await post(call(name, args)));
    expect(result).toEqual({ isError: true, content: [{ type: 'text', text: sentence }] });
  });

  it.each([
    [{ from: '2026-02-30' }, /a day that exists/],
    [{ from: '2026-05-02', to: '2026-05-01' }, /must not be after/],
  ])('of the history with %j is rejected with its message', async (args, reason) => {
    expect(messageIn(await post(call('history', args))).result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(reason) }],
    });
  });

  it.each([
    ["'; drop table release; --", 0],
    ['%', 0],
    ['_', 0],
    ['\\', 0],
    ['مرحبا', 0],
    ['🚀'.repeat(200), 0],
  ])('that searches for %.30j finds objects with that name', async (search, found) => {
    const answer = messageIn(await post(call('list_releases', { search }))).result;
    expect(answer?.['structuredContent']).toMatchObject({ counts: { all: found } });
  });

  it('logs nothing on which an operator must act', () => {
    expect(env.lines.filter((line) => line.includes('"level":"error"'))).toEqual([]);
  });
});
