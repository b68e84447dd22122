import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { fastify, type FastifyInstance } from 'fastify';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import { JOB_TABLE } from '../../src/database/job-tables.js';
import { keySecret, SECRET_BYTES, visiblePrefix } from '../../src/domain/keys/key-secret.js';
import { createSetupCode } from '../../src/features/setup/setup.service.js';
import { SecretLeakDetector } from './secret-leak-detector.js';
import { createTestDatabase } from './database.js';

const ID = randomBytes(32).toString('base64url');

let secretLeaks: SecretLeakDetector;

beforeEach(() => {
  secretLeaks = new SecretLeakDetector();
});

describe('the secret leak detector', () => {
  it.each([
    ['as it is', ID],
    ['in a query', `/somewhere?id=${ID}&x=1`],
    ['as the text of bytes', `(1,"\\\\x${Buffer.from(ID).toString('hex')}")`],
    ['as the bytes that it means', `\\x${Buffer.from(ID, 'base64url').toString('hex')}`],
    ['in base64', `Basic ${Buffer.from(`${ID}:x`).toString('base64')}`],
    ['in base64 behind one letter', Buffer.from(`x${ID}:x`).toString('base64')],
    ['in base64 behind two', Buffer.from(`xy${ID}:x`).toString('base64url')],
    ['in a string of JSON', JSON.stringify({ text: JSON.stringify({ id: ID }) })],
  ])('finds a known secret %s', (_, text) => {
    secretLeaks.add('session id', ID);
    secretLeaks.search('the log', `{"msg":"all is well"}\n${text}\n`);
    expect(secretLeaks.leaks).toEqual(['a session id in the log']);
  });

  it('finds a sentence', () => {
    secretLeaks.add('session secret', 'a secret of several words');
    secretLeaks.search('the log', 'it is: a secret of several words, and more');
    expect(secretLeaks.leaks).toEqual(['a session secret in the log']);
  });

  it('finds a line of a private key', () => {
    const [first, second] = [randomBytes(48).toString('base64'), randomBytes(48).toString('base64')];
    secretLeaks.addPem('private key', `-----BEGIN X-----\n${first}\n${second}\n-----END X-----\n`);
    secretLeaks.search('the log', JSON.stringify({ key: `\n${second}\n` }));
    expect(secretLeaks.leaks).toEqual(['a private key in the log']);
  });

  it.each([
    ['token of GitHub', `ghu_${randomBytes(18).toString('hex')}`],
    ['token of GitHub', `ghr_${randomBytes(24).toString('hex')}`],
    ['key of a CI system', keySecret('sgk', randomBytes(SECRET_BYTES))],
    ['key of a person', keySecret('sgp', randomBytes(SECRET_BYTES))],
    ['token of an invite', `sgi_${randomBytes(24).toString('base64url')}.${ID}`],
    ['signed token', `eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJyZXBvIn0.${ID}`],
    ['private key', '-----BEGIN RSA PRIVATE KEY-----'],
    ['set-up code', createSetupCode()],
  ])('finds an unknown %s', (name, secret) => {
    secretLeaks.search('the log', `"msg":"${secret}"`);
    expect(secretLeaks.leaks).toEqual([`a ${name} in the log`]);
  });

  it.each([
    ['at the start of a line', (token: string) => `x\n${token}\n`],
    ['behind an escaped line break', (token: string) => JSON.stringify({ text: `x\n${token}\n` })],
    ['in a column that contains JSON', (token: string) => `(1,${JSON.stringify(JSON.stringify(`\n${token}`))})`],
    ['in an encoded URL', (token: string) => `/login?token%3D${token}`],
    ['in an encoded JSON document', (token: string) => `%22${token}%22`],
    ['behind an escaped character', (token: string) => `token\\u003d${token}`],
    ['in color', (token: string) => `\u001B[31m${token}\u001B[39m`],
    ['before a hyphen', (token: string) => `${token}-x`],
    ['in a URL', (token: string) => `https://x-access-token:${token}@example.com/a/b.git`],
  ])('finds an unknown token of GitHub %s', (_, around) => {
    secretLeaks.search('the log', around(`ghs_${randomBytes(18).toString('hex')}`));
    expect(secretLeaks.leaks).toEqual(['a token of GitHub in the log']);
  });

  it('ignores a signature that contains the characters of a token by chance', () => {
    const part = `gho_${randomBytes(18).toString('hex')}`;
    for (const text of [`x7_${part}`, `-${part}`, `Zq${part}Zq`])
      secretLeaks.search('the log', JSON.stringify({ text }));
    expect(secretLeaks.leaks).toEqual([]);
  });

  it('ignores public values: digests, ids, the first characters of a key', () => {
    secretLeaks.add('session id', ID);
    const prefix = visiblePrefix(keySecret('sgk', randomBytes(SECRET_BYTES)));
    secretLeaks.search('the log', `${prefix}… 0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b ${randomBytes(32).toString('hex')}`);
    expect(secretLeaks.leaks).toEqual([]);
  });

  it('finds a secret in any column of any table', async () => {
    const database = await createTestDatabase();
    secretLeaks.add('session id', ID);
    await withDedicatedClient(database.superuserUrl, async (client) => {
      await secretLeaks.searchDatabase(database.superuserUrl);
      expect(secretLeaks.leaks).toEqual([]);
      await client.query(`select graphile_worker.add_job('x', json_build_object('id', $1::text))`, [ID]);
      await client.query(`insert into setup_code (code_hash, created_at) values ($1, now())`, [Buffer.from(ID)]);
    });
    await secretLeaks.searchDatabase(database.superuserUrl);
    await database.drop();
    expect([...secretLeaks.leaks].toSorted()).toEqual([
      `a session id in the table ${JOB_TABLE}`,
      'a session id in the table setup_code',
    ]);
  });
});

describe('the secret leak detector of a service', () => {
  let service: FastifyInstance;

  beforeEach(() => {
    service = fastify();
    secretLeaks.watch(service);
  });
  afterEach(() => service.close());

  it('learns the cookies of requests and responses', async () => {
    service.get('/', (_, reply) => reply.header('set-cookie', `connect.sid=${ID}.signature; Path=/`).send({}));
    const other = randomBytes(32).toString('base64url');
    await service.inject({ url: '/', headers: { cookie: `connect.sid=${other}` } });
    expect(secretLeaks.leaks).toEqual([]);
    secretLeaks.search('the log', ID);
    secretLeaks.search('the console', other);
    expect(secretLeaks.leaks).toEqual(['a cookie in the log', 'a cookie in the console']);
  });

  it('learns the keys of requests, and finds one that a table stores as bytes', async () => {
    const secret = keySecret('sgk', randomBytes(SECRET_BYTES));
    await service.inject({ url: '/', headers: { authorization: `Bearer ${secret}` } });
    secretLeaks.search('the table api_key', `\\x${Buffer.from(secret).toString('hex')}`);
    expect(secretLeaks.leaks).toEqual(['a bearer in the table api_key']);
  });

  it.each([
    ['that is a body', 400, (): unknown => ({ error: ID })],
    ['that is a stream', 200, (): unknown => Readable.from([ID.slice(0, 20), ID.slice(20)])],
  ])('reads every response %s', async (_, status, body) => {
    service.get('/leak', (__, reply) => reply.status(status).send(body()));
    await service.inject({ url: '/leak', headers: { cookie: `connect.sid=${ID}` } });
    expect(secretLeaks.leaks).toEqual([`a cookie in an answer ${status} of GET /leak`]);
  });

  it('allows examples in the API description, and no secret', async () => {
    const example = keySecret('sgk', randomBytes(SECRET_BYTES));
    service.get('/api/docs', ({ headers }) => `<p>${example} ${String(headers['x-said'])}</p>`);
    await service.inject({ url: '/api/docs', headers: { 'x-said': 'nothing' } });
    expect(secretLeaks.leaks).toEqual([]);
    await service.inject({ url: '/api/docs', headers: { 'x-said': ID, cookie: `connect.sid=${ID}` } });
    expect(secretLeaks.leaks).toEqual(['a cookie in an answer 200 of GET /api/docs']);
  });

  it('allows a secret once where it is created, and not in an error', async () => {
    const secret = keySecret('sgk', randomBytes(SECRET_BYTES));
    service.post<{ Body: { status: number } }>('/api/settings/api-keys', ({ body }, reply) =>
      reply.status(body.status).send({ secret }),
    );
    await service.inject({ method: 'POST', url: '/api/settings/api-keys', body: { status: 201 } });
    expect(secretLeaks.leaks).toEqual([]);
    await service.inject({ method: 'POST', url: '/api/settings/api-keys', body: { status: 409 } });
    const again = 'an answer 409 of POST /api/settings/api-keys';
    expect(secretLeaks.leaks).toEqual([`a key of a CI system in ${again}`, `a secret that was handed out in ${again}`]);
    secretLeaks.search('the table api_key', `\\x${Buffer.from(secret).toString('hex')}`);
    expect(secretLeaks.leaks).toContain('a secret that was handed out in the table api_key');
  });
});
