import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FakeHttpServer } from '../../../test/support/fake-http-server.js';
import { HttpExchange } from './http-exchange.js';

describe('HttpExchange', () => {
  let host: FakeHttpServer;
  let elsewhere: FakeHttpServer;
  let exchange: HttpExchange;
  const headers = { authorization: 'Bearer secret' };
  const get = (path: string) => exchange.send({ method: 'GET', url: `${host.url}${path}`, headers });

  beforeEach(async () => {
    [host, elsewhere] = await Promise.all([FakeHttpServer.start(), FakeHttpServer.start()]);
    exchange = new HttpExchange({ apiUrl: host.url });
  });
  afterEach(() => Promise.all([host.stop(), elsewhere.stop()]));

  it.each([301, 302, 307, 308])('follows a read that was moved on GitHub (%d)', async (status) => {
    host.on('GET /old', { status, headers: { location: '/new' } });
    host.on('GET /new', { json: { moved: true } });
    await expect(get('/old')).resolves.toMatchObject({ status: 200, text: '{"moved":true}' });
    expect(host.calls('GET /new')[0]?.headers.authorization).toBe('Bearer secret');
  });

  it('never sends a token to another host', async () => {
    elsewhere.on('GET /new', { json: {} });
    host.on('GET /old', { status: 302, headers: { location: `${elsewhere.url}/new` } });
    await expect(get('/old')).rejects.toMatchObject({ kind: 'off_host_redirect' });
    expect(elsewhere.seen).toEqual([]);
  });

  it('does not follow a write', async () => {
    host.on('POST /old', { status: 307, headers: { location: '/new' } });
    const write = exchange.send({ method: 'POST', url: `${host.url}/old`, headers, body: '{}' });
    await expect(write).rejects.toMatchObject({ kind: 'not_found', status: 307 });
    expect(host.seen).toHaveLength(1);
  });

  it('stops in a loop of redirects', async () => {
    host.on('GET /round', { status: 302, headers: { location: '/round' } });
    await expect(get('/round')).rejects.toMatchObject({ kind: 'malformed' });
    expect(host.calls('GET /round')).toHaveLength(4);
  });

  it('rejects a redirect without an address', async () => {
    host.on('GET /old', { status: 302, headers: { location: 'http://[' } });
    await expect(get('/old')).rejects.toMatchObject({ kind: 'malformed' });
  });

  it('rejects a response beyond its size limit', async () => {
    host.on('GET /large', { text: 'x'.repeat(33 * 1024 * 1024) });
    await expect(get('/large')).rejects.toMatchObject({ kind: 'malformed' });
  });

  it('names the call without its query in errors', async () => {
    host.on('GET /slow', { fault: 'drop' });
    await expect(get('/slow?secret=1')).rejects.toMatchObject({ message: 'GET /slow: no connection' });
  });
});
