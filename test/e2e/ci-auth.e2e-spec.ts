import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { keySecret } from '../../src/domain/keys/key-secret.js';
import { CLAIM_FORGERIES } from '../github-sim/oidc/claim-forgeries.js';
import { SIGNATURE_FORGERIES } from '../github-sim/oidc/signature-forgeries.js';
import { givenLongWindows } from '../support/given-long-windows.js';
import { ACME, AccessProbe, OTHER, stored } from './ci-auth/access-probe.js';

const INVALID = {
  status: 401,
  headers: { 'www-authenticate': 'Bearer realm="shipgate", error="invalid_token"' },
  body: { error: 'The credential is not valid.' },
};

let probe: AccessProbe;

beforeAll(async () => {
  probe = await AccessProbe.start();
});
afterAll(() => probe.stop());
beforeEach(() => {
  stored.length = 0;
});

/** The status of a request that is written by hand, because HTTP clients do not send such requests. */
function statusOnSocket(port: number, lines: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(`GET /probe/gate HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${lines.join('\r\n')}\r\n\r\n`);
    });
    socket.once('error', reject);
    socket.once('data', (data: Buffer) => {
      socket.destroy();
      resolve(Number(data.toString('latin1').split(' ')[1]));
    });
  });
}

describe('an identity token', () => {
  it('identifies its run, in the workspace of the owner of its repository', async () => {
    expect(await probe.send({ bearer: probe.issuer.token({ jti: 'one' }) })).toMatchObject({
      status: 201,
      body: {
        kind: 'identity_token',
        orgId: ACME.orgId,
        repositoryGithubId: 4001,
        runId: 9876543210,
        event: 'push',
        jti: 'one',
      },
    });
    expect(stored).toHaveLength(1);
  });

  it('finds the workspace by the id of the owner, whatever the names of owner and repository are', async () => {
    const token = probe.issuer.token({
      repository_owner_id: '3002',
      repository: 'acme/payments',
      repository_owner: 'acme',
    });
    expect((await probe.send({ bearer: token })).body).toMatchObject({ orgId: OTHER.orgId });
  });

  it('of an owner that was recreated under the same name has no workspace', async () => {
    const token = probe.issuer.token({ repository_owner_id: '3999' });
    for (const url of ['/probe/upload', '/probe/gate', '/probe/gate-in-hand']) {
      expect(await probe.send({ url, bearer: token })).toMatchObject({
        status: 403,
        body: { error: "The repository's organization has no workspace. Install the app in the organization." },
      });
    }
    expect(stored).toEqual([]);
  });

  it.each([...SIGNATURE_FORGERIES, ...CLAIM_FORGERIES])('$name is rejected', async ({ forge }) => {
    const bearer = forge(probe.issuer, {});
    expect(await probe.send({ bearer })).toMatchObject(INVALID);
    expect(await probe.send({ bearer, url: '/probe/gate' })).toMatchObject(INVALID);
    expect(stored).toEqual([]);
  });

  it('is accepted with a key that was published a second ago', async () => {
    probe.issuer.rotate({ retainOld: false });
    expect((await probe.send({ bearer: probe.issuer.token() })).status).toBe(201);
  });

  it('is not rejected as invalid while the issuer of an unknown key is unavailable', async () => {
    const token = probe.issuer.token({}, { kid: 'new-on-a-bad-day' });
    await probe.issuer.goDown();
    const response = await probe.send({ bearer: token });
    await probe.issuer.comeBack();
    expect(response).toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
    expect(stored).toEqual([]);
  });
});

describe('a request', () => {
  it.each(['/probe/upload', '/probe/gate', '/probe/gate-in-hand'])(
    'without a credential is answered with a challenge at %s',
    async (url) => {
      expect(await probe.send({ url })).toMatchObject({
        status: 401,
        headers: { 'www-authenticate': 'Bearer realm="shipgate"' },
        body: { error: expect.stringContaining('bearer') as unknown },
      });
    },
  );

  it('is rejected if its credential is in another place', async () => {
    const { secret } = await probe.givenKey();
    for (const request of [
      { url: `/probe/gate?access_token=${secret}&authorization=Bearer%20${secret}` },
      { headers: { 'x-api-key': secret, 'proxy-authorization': `Bearer ${secret}`, cookie: `access_token=${secret}` } },
    ]) {
      expect((await probe.send(request)).status).toBe(401);
    }
  });

  it('with a token and a key has neither', async () => {
    const { secret } = await probe.givenKey();
    expect(await probe.send({ bearer: `${probe.issuer.token()}, Bearer ${secret}` })).toMatchObject(INVALID);
    expect(await probe.send({ headers: { authorization: `Basic ${secret}` } })).toMatchObject(INVALID);
  });

  it('with two Authorization fields has no credential, on a real socket', async () => {
    const { secret } = await probe.givenKey();
    await probe.app.listen(0, '127.0.0.1');
    const { port } = new URL(await probe.app.getUrl());
    expect(await statusOnSocket(Number(port), [`Authorization: Bearer ${secret}`])).toBe(200);
    expect(
      await statusOnSocket(Number(port), [
        `Authorization: Bearer ${secret}`,
        `Authorization: Bearer ${probe.issuer.token()}`,
      ]),
    ).toBe(401);
  });

  it('reaches a public route without a credential and with an invalid one', async () => {
    expect((await probe.send({ url: '/probe/public' })).status).toBe(200);
    expect((await probe.send({ url: '/probe/public', bearer: 'sgk_no' })).status).toBe(200);
  });

  it('with a CI credential reaches no route for users', async () => {
    const { secret } = await probe.givenKey();
    for (const bearer of [undefined, secret, probe.issuer.token()]) {
      const response = await probe.send({ url: '/probe/member', ...(bearer !== undefined && { bearer }) });
      expect(response.status).toBe(401);
    }
  });

  it('reaches no route without an access rule', async () => {
    const { secret } = await probe.givenKey();
    for (const bearer of [undefined, secret, probe.issuer.token()]) {
      const response = await probe.send({
        method: 'POST',
        url: '/probe/undeclared',
        ...(bearer !== undefined && { bearer }),
      });
      expect(response).toMatchObject({
        status: 403,
        body: { error: 'This route is closed because it declares no access rule.' },
      });
    }
    expect(stored).toEqual([]);
  });
});

describe('an address with failed credentials', () => {
  let probe: AccessProbe;

  beforeAll(async () => {
    probe = await AccessProbe.start({ RATE_LIMITS: 'on' });
    await givenLongWindows(probe.testDatabase);
  });
  afterAll(() => probe.stop());

  it.each(['/probe/upload', '/probe/gate-in-hand'])('can try thirty times a minute at %s', async (url) => {
    const { secret } = await probe.givenKey();
    const remoteAddress = url === '/probe/upload' ? '198.51.100.7' : '198.51.100.8';
    const bearer = keySecret('sgk', randomBytes(32));
    for (let attempt = 0; attempt < 30; attempt++) {
      expect((await probe.send({ url, bearer, remoteAddress })).status).toBe(401);
    }
    const refused = await probe.send({ url, bearer, remoteAddress });
    expect(refused.status).toBe(429);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    // From the same address: only failures are rejected.
    expect((await probe.send({ url, bearer: secret, remoteAddress })).status).toBeLessThan(300);
    expect((await probe.send({ url, bearer: probe.issuer.token(), remoteAddress })).status).toBeLessThan(300);
    expect((await probe.send({ url, bearer: keySecret('sgk', randomBytes(32)), remoteAddress })).status).toBe(401);
  });

  it.each(['/probe/upload', '/probe/gate-in-hand'])(
    'gets thirty rejections of different credentials, and a valid one is still accepted at %s',
    async (url) => {
      const { secret } = await probe.givenKey();
      const remoteAddress = url === '/probe/upload' ? '198.51.100.17' : '198.51.100.18';
      const guess = (): Promise<{ readonly status: number }> =>
        probe.send({ url, bearer: keySecret('sgk', randomBytes(32)), remoteAddress });
      const received: number[] = [];
      for (let attempt = 0; attempt < 40; attempt++) received.push((await guess()).status);
      expect(received).toEqual(Array.from({ length: 40 }, (_, at) => (at < 30 ? 401 : 429)));
      const flood = Array.from({ length: 100 }, guess);
      const good = [secret, probe.issuer.token()].map((bearer) => probe.send({ url, bearer, remoteAddress }));
      for (const { status } of await Promise.all(good)) expect(status).toBeLessThan(300);
      expect(new Set((await Promise.all(flood)).map(({ status }) => status))).toEqual(new Set([429]));
    },
  );

  it('is not limited for a missing credential or a missing scope', async () => {
    const { secret } = await probe.givenKey({ scopes: ['evidence:write'] });
    const remoteAddress = '198.51.100.10';
    for (let attempt = 0; attempt < 40; attempt++) {
      await probe.send({ url: '/probe/gate', remoteAddress, ...(attempt % 2 === 0 && { bearer: secret }) });
    }
    expect((await probe.send({ bearer: secret, remoteAddress })).status).toBe(201);
  });
});

describe('valid credentials without access', () => {
  let probe: AccessProbe;

  beforeAll(async () => {
    probe = await AccessProbe.start({ RATE_LIMITS: 'on' });
    await givenLongWindows(probe.testDatabase);
  });
  afterAll(() => probe.stop());

  const statusesOf = async (times: number, send: () => Promise<{ readonly status: number }>): Promise<unknown> => {
    const statuses: number[] = [];
    for (let sent = 0; sent < times; sent += 1) statuses.push((await send()).status);
    return [...new Set(statuses)].map((status) => [status, statuses.filter((one) => one === status).length]);
  };
  const received = [
    [403, 300],
    [429, 2],
  ];

  it.each(['/probe/upload', '/probe/gate', '/probe/gate-in-hand'])(
    'are counted at %s, and do not use the limit of those with access',
    async (url) => {
      const { secret: stranger } = await probe.givenKey({
        scopes: [url === '/probe/upload' ? 'gate:read' : 'evidence:write'],
      });
      expect(await statusesOf(302, () => probe.send({ url, bearer: stranger }))).toEqual(received);
      expect(
        (await probe.send({ url: url === '/probe/upload' ? '/probe/gate' : '/probe/upload', bearer: stranger })).status,
      ).toBeLessThan(300);
      const { secret } = await probe.givenKey();
      expect((await probe.send({ url, bearer: secret })).status).toBeLessThan(300);
      expect((await probe.send({ url, bearer: probe.issuer.token() })).status).toBeLessThan(300);
    },
  );

  it('are counted together for all runs of an organization without a workspace', async () => {
    let run = 0;
    const token = (): string => probe.issuer.token({ repository_owner_id: '3999', repository_id: String((run += 1)) });
    expect(await statusesOf(302, () => probe.send({ bearer: token() }))).toEqual(received);
    expect((await probe.send({ bearer: probe.issuer.token() })).status).toBe(201);
  });
});
