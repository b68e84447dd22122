import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Probe, startProbeApp } from '../../test/support/probe-app.js';
import { Readiness } from '../observability/readiness.js';

let probe: Probe;

beforeAll(async () => {
  probe = await startProbeApp({ TRUSTED_PROXIES: '127.0.0.1' });
});
afterAll(() => probe.app.close());

const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${probe.url}${path}`, { headers });
const post = (path: string, body: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${probe.url}${path}`, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } });

async function eventually<T>(read: () => T, holds: (value: T) => boolean): Promise<T> {
  for (let tries = 0; tries < 200 && !holds(read()); tries += 1) await sleep(50);
  return read();
}

describe('error responses', () => {
  it.each([
    ['/probe/fail/conflict', 409, 'It is shipped.'],
    ['/probe/fail/busy', 503, 'Later.'],
    ['/probe/fail/challenged', 401, 'Who?'],
    ['/probe/fail/disconnected', 503, 'A service that this request needs cannot be reached. Try again soon.'],
    ['/probe/fail/refused', 503, 'A service that this request needs cannot be reached. Try again soon.'],
    ['/probe/fail/unexpected', 500, 'An internal error occurred. The request id identifies it in the log.'],
    ['/probe/fail/nothing', 500, 'An internal error occurred. The request id identifies it in the log.'],
    ['/nowhere', 404, 'Not found.'],
    ['/probe/path/%E0%A4%A', 400, 'The request is malformed.'],
    [`/probe/path/${'x'.repeat(200)}`, 414, 'The URL is too long.'],
    ['/probe/path/a%00b', 400, 'name contains a NUL character.'],
    ['/probe/query?version=a%00b', 400, 'version contains a NUL character.'],
    ['/probe/query?version=1&version=2', 400, 'version must be a string.'],
    ['/probe/query', 400, 'version must be a string.'],
    ['/probe/query?version=1&other=2', 400, 'property other should not exist.'],
    ['/probe/query?version=1&a%00b=2', 400, 'A name in the query contains a NUL character.'],
  ])('answers %s with status %i and only the field error', async (path, status, error) => {
    const response = await get(path);
    expect({ status: response.status, body: await response.json() }).toEqual({ status, body: { error } });
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(response.headers.get('x-request-id')).toMatch(/^[\w-]{36}$/);
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
  });

  it('sets Retry-After and WWW-Authenticate if they apply', async () => {
    expect((await get('/probe/fail/busy')).headers.get('retry-after')).toBe('3');
    expect((await get('/probe/fail/disconnected')).headers.get('retry-after')).toBe('5');
    expect((await get('/probe/fail/challenged')).headers.get('www-authenticate')).toBe('Bearer');
  });

  it('logs an unexpected failure with its cause, and logs no failure that the caller caused', async () => {
    await get('/probe/fail/unexpected', { 'x-request-id': 'unexpected-1' });
    await get('/probe/fail/conflict', { 'x-request-id': 'foreseen-1' });
    const failures = probe.lines().filter(({ msg }) => msg === 'request failed');
    expect(failures.find(({ requestId }) => requestId === 'unexpected-1')).toMatchObject({
      level: 'error',
      err: { message: 'unexpected: password hunter2', stack: expect.stringContaining('probe-app') },
    });
    expect(failures.filter(({ requestId }) => requestId === 'foreseen-1')).toEqual([]);
  });

  it('answers HEAD without a body', async () => {
    const response = await fetch(`${probe.url}/nowhere`, { method: 'HEAD' });
    expect([response.status, await response.text()]).toEqual([404, '']);
  });

  it.each([
    ['text', 'release: v1', 'text/plain'],
    ['a form', 'release=v1', 'application/x-www-form-urlencoded'],
    ['invalid JSON', '{', 'application/json'],
    ['a body above the limit', JSON.stringify('x'.repeat(300_000)), 'application/json'],
  ])('answers 404 without a route, also for %s', async (_name, body, type) => {
    const response = await post('/nowhere', body, { 'content-type': type });
    expect([response.status, await response.json()]).toEqual([404, { error: 'Not found.' }]);
  });

  it('answers 404 for a method without a route', async () => {
    const response = await fetch(`${probe.url}/probe/json`, { method: 'DELETE' });
    expect([response.status, await response.json()]).toEqual([404, { error: 'Not found.' }]);
  });
});

describe('an outage', () => {
  const outageLines = (): readonly Record<string, unknown>[] =>
    probe.lines().filter(({ level, msg }) => level === 'error' || /available again|not served/.test(String(msg)));
  let isAway = true;

  beforeAll(() =>
    probe.app.get(Readiness).register({
      name: 'database',
      check: async () => {
        if (isAway) throw new Error('away');
      },
    }),
  );

  it('logs an outage once when it begins and once when it ends, and no failed request in between', async () => {
    const before = outageLines().length;
    for (const _ of [1, 2, 3, 4]) expect((await get('/probe/fail/disconnected')).status).toBe(503);
    isAway = false;
    const logged = await eventually(outageLines, (lines) =>
      lines.some(({ msg }) => /available again/.test(String(msg))),
    );
    expect(logged.slice(before)).toEqual([
      expect.objectContaining({
        level: 'error',
        missing: ['database'],
        cause: 'terminating connection',
        requestId: expect.any(String),
      }),
      expect.objectContaining({ level: 'info', failures: 4 }),
    ]);
    expect(JSON.stringify(logged.slice(before))).not.toContain('stack');
  });

  it('logs only the failed request if the outage has already ended', async () => {
    const before = outageLines().length;
    expect((await get('/probe/fail/refused')).status).toBe(503);
    // Another request, so that all work that the first one started is done.
    await get('/api/health/ready');
    expect(outageLines().slice(before)).toEqual([expect.objectContaining({ level: 'warn' })]);
  });
});

describe('field validation', () => {
  it.each([
    ['{"version":1}', 'version must be a string; version must be shorter than or equal to 50 characters.'],
    ['{"version":"1","number":"2"}', 'number must be an integer number.'],
    ['{"version":"1","files":[{"filename":1}]}', 'files.0.filename must be a string.'],
    ['{"version":"1","files":[7]}', 'files.each value in nested property files must be either object or array.'],
    ['{"version":"1","other":1}', 'property other should not exist.'],
    ['[]', 'The body must be an object.'],
    ['"text"', 'The body must be an object.'],
    ['null', /version must be a string/],
    ['', /version must be a string/],
  ])('rejects %s with 400 and the reason', async (body, expected) => {
    const response = await post('/probe/order', body);
    const { error } = (await response.json()) as { error: string };
    expect(response.status).toBe(400);
    if (typeof expected === 'string') expect(error).toBe(expected);
    else expect(error).toMatch(expected);
  });

  it('passes valid fields unchanged', async () => {
    const response = await post('/probe/order', '{"version":"v1","number":2,"files":[{"filename":"a"}]}');
    expect(await response.json()).toEqual({ version: 'v1', number: 2, files: [{ filename: 'a' }] });
  });
});

describe('headers', () => {
  it('accepts a valid request id and replaces any other', async () => {
    expect((await get('/probe/page', { 'x-request-id': 'trace-1234' })).headers.get('x-request-id')).toBe('trace-1234');
    for (const id of ['short', 'x'.repeat(65), 'with space and more', '"quoted-id"']) {
      expect((await get('/probe/page', { 'x-request-id': id })).headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/);
    }
  });

  it('forbids caching of a response to a request with a session or a key', async () => {
    expect((await get('/probe/page')).headers.get('cache-control')).toBeNull();
    expect((await get('/probe/page', { authorization: 'Bearer x' })).headers.get('cache-control')).toBe('no-store');
    expect((await get('/nowhere', { cookie: 'connect.sid=x' })).headers.get('cache-control')).toBe('no-store');
  });

  it('retains the content security policy of a page that states its own', async () => {
    expect((await get('/probe/page')).headers.get('content-security-policy')).toBe("default-src 'self'");
  });

  it('requires https only if the base URL has https', async () => {
    expect((await get('/probe/page')).headers.get('strict-transport-security')).toBeNull();
    const secure = await startProbeApp({ BASE_URL: 'https://shipgate.example' });
    try {
      const { headers } = await fetch(`${secure.url}/probe/page`);
      expect(headers.get('strict-transport-security')).toContain('max-age=31536000');
      expect(headers.get('x-powered-by')).toBeNull();
    } finally {
      await secure.app.close();
    }
  });
});

describe('the request log', () => {
  it('logs the route and never the query, the path or a credential', async () => {
    await get('/probe/query?version=sgk_secret', { 'x-request-id': 'logged-1', authorization: 'Bearer sgk_secret' });
    await get('/sgk_secret', { 'x-request-id': 'logged-2' });
    const lines = probe.lines();
    expect(lines.find(({ requestId }) => requestId === 'logged-1')).toEqual({
      level: 'info',
      time: expect.any(String),
      msg: 'request',
      method: 'GET',
      route: '/probe/query',
      status: 200,
      ms: expect.any(Number),
      requestId: 'logged-1',
    });
    expect(lines.find(({ requestId }) => requestId === 'logged-2')).toMatchObject({ route: 'none', status: 404 });
    expect(JSON.stringify(lines)).not.toContain('sgk_secret');
  });
});
