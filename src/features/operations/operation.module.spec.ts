import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Probe, startProbeApp } from '../../../test/support/probe-app.js';
import { Metrics } from '../../observability/metrics.js';
import { Readiness } from '../../observability/readiness.js';

const TOKEN = 'scrape-token-0123456789';

let probe: Probe;

beforeEach(async () => {
  probe = await startProbeApp({ METRICS_TOKEN: TOKEN });
});
afterEach(() => probe.app.close());

const get = (path: string, authorization?: string): Promise<Response> =>
  fetch(`${probe.url}${path}`, authorization === undefined ? {} : { headers: { authorization } });

describe('GET /api/health', () => {
  it('is alive even if a check fails', async () => {
    probe.app.get(Readiness).register({ name: 'database', check: () => Promise.reject(new Error('gone')) });
    const response = await get('/api/health');
    expect([response.status, await response.json()]).toEqual([200, { status: 'ok' }]);
  });
});

describe('GET /api/health/ready', () => {
  it('is ready if every check passes', async () => {
    probe.app.get(Readiness).register({ name: 'database', check: () => Promise.resolve() });
    const response = await get('/api/health/ready');
    expect([response.status, await response.json()]).toEqual([200, { status: 'ready' }]);
  });

  it('names the failed checks without the causes', async () => {
    const readiness = probe.app.get(Readiness);
    readiness.register({ name: 'database', check: () => Promise.reject(new Error('password authentication failed')) });
    readiness.register({ name: 'migrations', check: () => Promise.resolve() });
    readiness.register({
      name: 'queue',
      check: () => {
        throw new Error('thrown at once');
      },
    });
    const response = await get('/api/health/ready');
    expect([response.status, await response.json()]).toEqual([503, { error: 'Not ready: database, queue.' }]);
    expect(response.headers.get('retry-after')).toBe('5');
  });

  it('does not wait for a check that never answers', async () => {
    probe.app.get(Readiness).register({ name: 'queue', check: () => new Promise(() => undefined) });
    expect((await get('/api/health/ready')).status).toBe(503);
  });
});

describe('a process that only runs jobs', () => {
  let worker: Probe;
  beforeEach(async () => {
    worker = await startProbeApp({ ROLE: 'worker', METRICS_TOKEN: TOKEN });
  });
  afterEach(() => worker.app.close());

  it.each(['/api/health', '/api/health/ready', '/metrics'])('answers %s', async (path) => {
    const response = await fetch(`${worker.url}${path}`, { headers: { authorization: `Bearer ${TOKEN}` } });
    expect(response.status).toBe(200);
  });

  it.each([
    ['GET', '/probe/page'],
    ['POST', '/probe/json'],
    ['POST', '/api/health'],
    ['GET', '/'],
    ['GET', '/api/health/'],
    ['GET', '/api/nowhere'],
  ])('answers %s %s like a path that does not exist', async (method, path) => {
    const body = method === 'POST' ? { body: '{}', headers: { 'content-type': 'application/json' } } : {};
    const response = await fetch(`${worker.url}${path}`, { method, ...body });
    expect([response.status, await response.json()]).toEqual([404, { error: 'Not found.' }]);
  });
});

describe('GET /metrics', () => {
  it.each([undefined, 'Bearer wrong-token', `Basic ${TOKEN}`, `Bearer ${TOKEN}x`, 'Bearer ', TOKEN])(
    'is closed to %s',
    async (authorization) => {
      const response = await get('/metrics', authorization);
      expect([response.status, await response.json()]).toEqual([401, { error: 'Authentication is required.' }]);
      expect(response.headers.get('www-authenticate')).toBe('Bearer realm="metrics"');
    },
  );

  it('does not exist if the operator has set no token', async () => {
    const closed = await startProbeApp();
    try {
      const response = await fetch(`${closed.url}/metrics`, { headers: { authorization: 'Bearer ' } });
      expect([response.status, await response.json()]).toEqual([404, { error: 'Not found.' }]);
    } finally {
      await closed.app.close();
    }
  });

  it('counts requests by route and never by the requested path', async () => {
    await get('/probe/path/one');
    await get('/probe/path/two');
    await get('/somewhere/else');
    const response = await get('/metrics', `Bearer ${TOKEN}`);
    const text = await response.text();
    expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=/);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(text).toContain(
      'shipgate_http_request_duration_seconds_count{method="GET",route="/probe/path/:name",status="200"} 2',
    );
    expect(text).toContain('shipgate_http_request_duration_seconds_count{method="GET",route="none",status="404"} 1');
    expect(text).toContain('process_resident_memory_bytes');
    expect(text).not.toContain('somewhere');
  });

  it('returns the metrics of other parts, and omits those that cannot be read', async () => {
    const metrics = probe.app.get(Metrics);
    metrics.counter({ name: 'probe_total', help: 'Probes.', labels: ['kind'] }).inc({ kind: 'x' }, 3);
    metrics.gauge('probe_depth', 'Depth.', () => Promise.resolve(7));
    metrics.gauge('probe_broken', 'Broken.', () => Promise.reject(new Error('gone')));
    const text = await (await get('/metrics', `Bearer ${TOKEN}`)).text();
    expect(text).toContain('probe_total{kind="x"} 3');
    expect(text).toContain('probe_depth 7');
    expect(text).not.toMatch(/^probe_broken/m);
  });
});
