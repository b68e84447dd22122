import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  APP,
  startFakeGitHubGateway,
  TOKEN_ROUTE,
  type FakeGitHubGateway,
} from '../../../test/support/fake-github-gateway.js';
import { gfm } from '../markdown.js';
import { createResponseCache } from './api-transport.js';

const MILESTONES = 'GET /repos/acme/app/milestones';
const ISSUES = 'GET /repos/acme/app/issues';
const PULLS = 'POST /repos/acme/app/pulls';
const PULL = { title: 'Evidence for v1.0.0', head: 'shipgate/evidence/v1.0.0', base: 'main', body: gfm`` };
const milestoneJson = (number: number): object => ({
  id: 9000 + number,
  number,
  title: `v1.${number}.0`,
  state: 'open',
  html_url: `https://github.test/acme/app/milestone/${number}`,
  description: null,
  due_on: null,
  updated_at: '2026-05-01T00:00:00Z',
});

describe('ApiTransport', () => {
  let fake: FakeGitHubGateway;
  beforeEach(async () => {
    fake = await startFakeGitHubGateway();
  });
  afterEach(() => fake.server.stop());

  describe('retries', () => {
    it.each([
      ['a 502', { status: 502, text: '<html>Bad Gateway</html>' }],
      ['a dropped connection', { fault: 'drop' }],
      ['a body that breaks off', { json: [milestoneJson(1)], fault: 'truncate' }],
      ['a body that is not JSON', { text: '<html>maintenance</html>' }],
    ] as const)('reads again after %s', async (_, fault) => {
      fake.server.on(MILESTONES, fault, fault, { json: [milestoneJson(1)] });
      await expect(fake.github.milestones.list(APP)).resolves.toMatchObject({ value: [{ number: 1 }] });
      expect(fake.server.calls(MILESTONES)).toHaveLength(3);
    });

    it.each([
      ['unavailable', { status: 503 }],
      ['malformed', { text: '{"broken":' }],
      ['malformed', { json: [milestoneJson(1)], fault: 'truncate' }],
      ['unavailable', { fault: 'drop' }],
    ] as const)('gives up after three attempts as %s', async (kind, fault) => {
      fake.server.on(MILESTONES, fault);
      await expect(fake.github.milestones.list(APP)).rejects.toMatchObject({ name: 'GitHubError', kind });
      expect(fake.server.calls(MILESTONES)).toHaveLength(3);
    });

    it.each([
      ['unavailable', { status: 500 }],
      ['unavailable', { fault: 'drop' }],
      ['malformed', { text: 'not JSON' }],
    ] as const)('never repeats the opening of a pull request: %s', async (kind, fault) => {
      fake.server.on(PULLS, fault);
      await expect(fake.github.pulls.open(APP, PULL)).rejects.toMatchObject({ kind });
      expect(fake.server.calls(PULLS)).toHaveLength(1);
    });

    it('repeats an idempotent write', async () => {
      const route = 'PATCH /repos/acme/app/git/refs/heads%2Frelease%2F1.0';
      fake.server.on(
        route,
        { status: 502 },
        { json: { ref: 'refs/heads/release/1.0', object: { sha: 'a'.repeat(40) } } },
      );
      await fake.github.branches.forceUpdate(APP, 'release/1.0', 'a'.repeat(40));
      expect(fake.server.calls(route)).toHaveLength(2);
    });

    it('stops calls to a server that states a retry time', async () => {
      fake.server.on(MILESTONES, { status: 503, headers: { 'retry-after': '30' } });
      await expect(fake.github.milestones.list(APP)).rejects.toMatchObject({
        kind: 'unavailable',
        retryAt: new Date(fake.clock.now().getTime() + 30_000),
      });
      expect(fake.server.calls(MILESTONES)).toHaveLength(1);
    });

    it.each([400, 404, 409, 422])('does not repeat a call that GitHub rejected with %d', async (status) => {
      fake.server.on(MILESTONES, { status, json: { message: 'No' } });
      await expect(fake.github.milestones.list(APP)).rejects.toMatchObject({ status });
      expect(fake.server.calls(MILESTONES)).toHaveLength(1);
    });
  });

  describe('time', () => {
    it('repeats a read without a response in time, until the deadline', async () => {
      const { github, server: host } = await withTimeout(700);
      host.on(MILESTONES, { fault: 'hang' }, { json: [milestoneJson(1)] }, { fault: 'hang' });
      await expect(github.milestones.list(APP)).resolves.toMatchObject({ value: [{ number: 1 }] });
      await expect(github.milestones.list(APP)).rejects.toMatchObject({ kind: 'unavailable' });
      expect(host.calls(MILESTONES)).toHaveLength(4);
    });

    it('never repeats a write without a response in time', async () => {
      const { github, server: host } = await withTimeout(700);
      host.on(PULLS, { fault: 'hang' });
      await expect(github.pulls.open(APP, PULL)).rejects.toMatchObject({ kind: 'timeout' });
      expect(host.calls(PULLS)).toHaveLength(1);
    });

    it('stops when the caller stops waiting', async () => {
      const caller = new AbortController();
      fake.server.on(MILESTONES, () => {
        caller.abort();
        return { fault: 'hang' };
      });
      await expect(fake.github.milestones.list(APP, caller.signal)).rejects.toMatchObject({ kind: 'timeout' });
      expect(fake.server.calls(MILESTONES)).toHaveLength(1);
    });

    /** The gateway with another time limit. It has already read the location of the repository. */
    const withTimeout = async (requestTimeoutMs: number): Promise<FakeGitHubGateway> => {
      await fake.server.stop();
      fake = await startFakeGitHubGateway({ requestTimeoutMs });
      await fake.github.repositories.find(APP);
      return fake;
    };
  });

  describe('conditional requests', () => {
    it('renews a value that a 304 confirms, with the time of the new request', async () => {
      const { github, server: host, clock } = fake;
      host.on(MILESTONES, { json: [milestoneJson(1)], headers: { etag: 'W/"one"' } }, { status: 304 });
      const first = await github.milestones.list(APP);
      clock.advance(30_000);
      const second = await github.milestones.list(APP);
      expect(second.value).toEqual(first.value);
      expect(second.observedAt.getTime() - first.observedAt.getTime()).toBe(30_000);
      expect(host.calls(MILESTONES).map(({ headers }) => headers['if-none-match'])).toEqual([undefined, 'W/"one"']);
    });

    it('uses the new value and its ETag if there is one', async () => {
      const { github, server: host } = fake;
      host.on(
        MILESTONES,
        { json: [milestoneJson(1)], headers: { etag: '"one"' } },
        { json: [milestoneJson(2)], headers: { etag: '"two"' } },
        { status: 304 },
      );
      await github.milestones.list(APP);
      await expect(github.milestones.list(APP)).resolves.toMatchObject({ value: [{ number: 2 }] });
      await expect(github.milestones.list(APP)).resolves.toMatchObject({ value: [{ number: 2 }] });
      expect(host.calls(MILESTONES)[2]?.headers['if-none-match']).toBe('"two"');
    });

    it('rejects an unexpected 304', async () => {
      fake.server.on(MILESTONES, { status: 304 });
      await expect(fake.github.milestones.list(APP)).rejects.toMatchObject({ kind: 'malformed' });
    });
  });

  describe('limits', () => {
    it('makes no call during a pause that GitHub requested, and calls again afterwards', async () => {
      const { github, server: host, clock } = fake;
      const limited = { status: 403, headers: { 'retry-after': '120' }, json: { message: 'secondary rate limit' } };
      host.on(MILESTONES, limited, { json: [] });
      const retryAt = new Date(clock.now().getTime() + 120_000);
      await expect(github.milestones.list(APP)).rejects.toMatchObject({ kind: 'rate_limited', retryAt, status: 403 });
      clock.advance(119_999);
      await expect(github.milestones.list(APP)).rejects.toMatchObject({ kind: 'rate_limited', retryAt });
      await expect(github.pulls.open(APP, PULL)).rejects.toMatchObject({ kind: 'rate_limited', retryAt });
      expect(host.calls(MILESTONES)).toHaveLength(1);
      expect(host.calls(PULLS)).toHaveLength(0);
      clock.advance(2);
      await expect(github.milestones.list(APP)).resolves.toMatchObject({ value: [] });
    });

    it('stops before a call that the exhausted rate limit would reject', async () => {
      const { github, server: host, clock } = fake;
      const reset = Math.floor(clock.now().getTime() / 1000) + 600;
      const headers = { 'x-ratelimit-limit': '5000', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(reset) };
      host.on(MILESTONES, { json: [], headers });
      await github.milestones.list(APP);
      await expect(github.milestones.list(APP)).rejects.toMatchObject({
        kind: 'rate_limited',
        retryAt: new Date(reset * 1000),
      });
      expect(host.calls(MILESTONES)).toHaveLength(1);
      expect(github.budgets()).toContainEqual({
        name: 'installation:7',
        limit: 5000,
        remaining: 0,
        resetAt: new Date(reset * 1000),
        closedUntil: new Date(reset * 1000),
        circuit: { state: 'closed', openUntil: null },
        brokenAddresses: 0,
        waiting: 0,
      });
    });

    it('makes no call of the rate limit for any purpose during a pause that an unavailable server requested', async () => {
      const { github, server: host, clock } = fake;
      host.on(MILESTONES, { status: 503, headers: { 'retry-after': '30' } }, { json: [] });
      await expect(github.milestones.list(APP)).rejects.toMatchObject({ kind: 'unavailable' });
      const seen = host.seen.length;
      clock.advance(29_999);
      const retryAt = new Date(clock.now().getTime() + 1);
      await expect(github.milestones.list(APP)).rejects.toMatchObject({ kind: 'rate_limited', retryAt });
      await expect(github.pulls.open(APP, PULL)).rejects.toMatchObject({ kind: 'rate_limited', retryAt });
      expect(host.seen).toHaveLength(seen);
      clock.advance(1);
      await expect(github.milestones.list(APP)).resolves.toMatchObject({ value: [] });
    });

    it('requests no token for a call that would not be sent', async () => {
      const { github, server: host, clock } = fake;
      host.on(MILESTONES, { status: 429, headers: { 'retry-after': '7200' } });
      await expect(github.milestones.list(APP)).rejects.toMatchObject({ kind: 'rate_limited' });
      const tokens = host.calls(TOKEN_ROUTE).length;
      // By then the token that was used has expired.
      clock.advance(7_100_000);
      await expect(github.milestones.list(APP)).rejects.toMatchObject({ kind: 'rate_limited' });
      expect(host.calls(TOKEN_ROUTE)).toHaveLength(tokens);
    });
  });

  describe('a server that does not answer', () => {
    it('is not called during a pause, then gets one call, and then all calls', async () => {
      const { github, server: host, clock } = fake;
      host.on(MILESTONES, { status: 502 });
      host.on(ISSUES, { status: 502 });
      await expect(github.milestones.list(APP)).rejects.toMatchObject({ kind: 'unavailable', status: 502 });
      await expect(github.issues.listByMilestone(APP, 1)).rejects.toMatchObject({ kind: 'unavailable', status: 502 });
      const retryAt = new Date(clock.now().getTime() + 5_000);
      const seen = host.seen.length;
      await expect(github.milestones.list(APP)).rejects.toMatchObject({ kind: 'unavailable', status: null, retryAt });
      await expect(github.pulls.open(APP, PULL)).rejects.toMatchObject({ retryAt });
      expect(host.seen).toHaveLength(seen);
      expect(github.budgets()).toContainEqual(
        expect.objectContaining({ name: 'installation:7', circuit: { state: 'open', openUntil: retryAt } }),
      );
      clock.advance(5_000);
      await expect(github.milestones.list(APP)).rejects.toMatchObject({ retryAt: expect.any(Date) });
      expect(host.seen).toHaveLength(seen + 1);
      host.on(MILESTONES, { json: [] });
      clock.advance(10_000);
      await expect(github.milestones.list(APP)).resolves.toMatchObject({ value: [] });
      await expect(github.milestones.list(APP)).resolves.toMatchObject({ value: [] });
      expect(github.budgets().map(({ circuit }) => circuit.state)).toEqual(['closed', 'closed']);
    });

    it('is not called at an address that does not answer, but at all others', async () => {
      const { github, server: host } = fake;
      host.on(MILESTONES, { status: 502 });
      host.on(ISSUES, { json: [] });
      for (let call = 0; call < 2; call += 1) {
        await expect(github.milestones.list(APP)).rejects.toMatchObject({ kind: 'unavailable', status: 502 });
      }
      await expect(github.milestones.list(APP)).rejects.toMatchObject({ status: null, retryAt: expect.any(Date) });
      await expect(github.issues.listByMilestone(APP, 1)).resolves.toMatchObject({ value: [] });
      expect(host.calls(MILESTONES)).toHaveLength(6);
    });

    it('is reported also if it never sent a byte', async () => {
      const { github, server: host } = fake;
      host.on(TOKEN_ROUTE, { fault: 'drop' });
      for (let call = 0; call < 2; call += 1) {
        await expect(github.milestones.list(APP)).rejects.toMatchObject({ kind: 'unavailable' });
      }
      expect(github.budgets()).toMatchObject([{ name: 'app', limit: null, closedUntil: null, brokenAddresses: 1 }]);
    });
  });

  describe('a flood of one organization', () => {
    const ELSEWHERE = { ...APP, installationId: 8 };

    it('waits in its own queue, and delays no other call', async () => {
      const { github, server: host } = fake;
      host.on('POST /app/installations/8/access_tokens', {
        status: 201,
        json: { token: 'elsewhere', expires_at: '2026-05-04T12:00:00Z' },
      });
      await github.repositories.find(APP);
      host.on(MILESTONES, { fault: 'hang' });
      const flood = new AbortController();
      const calls = Array.from({ length: 40 }, () => github.milestones.list(APP, flood.signal).catch(() => null));
      await until(() => host.calls(MILESTONES).length === 16);
      expect(github.budgets()).toContainEqual(expect.objectContaining({ name: 'installation:7', waiting: 24 }));
      await expect(github.repositories.find(ELSEWHERE)).resolves.toMatchObject({ value: { id: 101 } });
      flood.abort();
      await Promise.all(calls);
      expect(host.calls(MILESTONES)).toHaveLength(16);
    });

    it('makes no waiting call after GitHub requested a pause', async () => {
      const { github, server: host } = fake;
      await github.repositories.find(APP);
      host.on(MILESTONES, { status: 403, headers: { 'retry-after': '60' } });
      const calls = Array.from({ length: 40 }, () => github.milestones.list(APP).catch((error: unknown) => error));
      for (const outcome of await Promise.all(calls)) expect(outcome).toMatchObject({ kind: 'rate_limited' });
      expect(host.calls(MILESTONES)).toHaveLength(16);
    });

    const until = async (holds: () => boolean): Promise<void> => {
      while (!holds()) await new Promise((resolve) => setImmediate(resolve));
    };
  });
});

const answer = (text: string) => ({ etag: '"e"', text, link: null });

describe('createResponseCache', () => {
  it('drops the least recently used response when it is full', () => {
    const cache = createResponseCache(80);
    for (let key = 0; key < 8; key += 1) cache.set(String(key), answer('123456789'));
    cache.get('0');
    cache.set('8', answer('123456789'));
    expect(cache.get('0')).toEqual(answer('123456789'));
    expect(cache.get('1')).toBeUndefined();
    expect(cache.get('2')).toBeDefined();
  });

  it('counts a replaced response once', () => {
    const cache = createResponseCache(80);
    cache.set('other', answer('1'));
    for (let times = 0; times < 100; times += 1) cache.set('same', answer('123456'));
    expect(cache.get('other')).toBeDefined();
  });

  it('does not store a response that would evict most others, and drops the older one under its key', () => {
    const cache = createResponseCache(80);
    cache.set('key', answer('1'));
    cache.set('key', answer('x'.repeat(11)));
    expect(cache.get('key')).toBeUndefined();
  });
});
