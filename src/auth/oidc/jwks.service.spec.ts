import { afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import { DISCOVERY, json, FakeOidcIssuer } from '../../../test/support/fake-oidc-issuer.js';
import { Clock } from '../../config/clock.js';
import { OidcSettings } from './issuer-discovery.js';
import { JwksService } from './jwks.service.js';

const MINUTE = 60_000;

let published: JWK;
let issuer: FakeOidcIssuer;
let now: Date;
let jwks: JwksService;

const clock = Object.assign(new Clock(), { now: () => now });
const passTime = (ms: number): void => {
  now = new Date(now.getTime() + ms);
};
const named = (kid: string): JWK => ({ ...published, kid });
const unavailable = expect.objectContaining({ code: 'unavailable' }) as unknown as Error;

beforeAll(async () => {
  const { publicKey } = await generateKeyPair('RS256', { extractable: true });
  published = { ...(await exportJWK(publicKey)), use: 'sig', alg: 'RS256' };
});

beforeEach(async () => {
  now = new Date('2026-11-20T12:00:00Z');
  issuer = new FakeOidcIssuer();
  await issuer.start();
  issuer.publish(named('one'));
  jwks = new JwksService(new OidcSettings(issuer.origin, 'shipgate'), clock);
});

afterEach(async () => {
  jest.restoreAllMocks();
  await issuer.stop();
});

describe('JwksService: cached keys', () => {
  it('finds a published key, with one request for concurrent callers', async () => {
    const found = await Promise.all(Array.from({ length: 10 }, () => jwks.find('one')));
    expect(found.every((key) => key?.type === 'public')).toBe(true);
    expect(issuer.requests).toEqual([DISCOVERY, '/jwks']);
  });

  it('caches keys for ten minutes, also while the issuer is down, and no longer', async () => {
    await jwks.find('one');
    issuer.answers.set('/jwks', json({}, 500));
    passTime(10 * MINUTE - 1);
    expect(await jwks.find('one')).not.toBeNull();
    passTime(1);
    await expect(jwks.find('one')).rejects.toEqual(unavailable);
  });

  it('requests keys again once the issuer is available', async () => {
    issuer.answers.set(DISCOVERY, json({}, 503));
    await expect(jwks.find('one')).rejects.toEqual(unavailable);
    issuer.answers.set(DISCOVERY, json({ issuer: issuer.origin, jwks_uri: `${issuer.origin}/jwks` }));
    passTime(1000);
    expect(await jwks.find('one')).not.toBeNull();
  });

  it('does not call an issuer for a second after a failure', async () => {
    issuer.answers.set(DISCOVERY, json({}, 503));
    for (let request = 0; request < 5; request++) await expect(jwks.find('one')).rejects.toEqual(unavailable);
    passTime(999);
    await expect(jwks.find('one')).rejects.toMatchObject({ cause: { message: 'The issuer has just failed.' } });
    expect(issuer.count(DISCOVERY)).toBe(1);
    passTime(1);
    await expect(jwks.find('one')).rejects.toEqual(unavailable);
    expect(issuer.count(DISCOVERY)).toBe(2);
  });

  it('does not wait longer because the clock was set back', async () => {
    issuer.answers.set(DISCOVERY, json({}, 503));
    await expect(jwks.find('one')).rejects.toEqual(unavailable);
    passTime(-1);
    await expect(jwks.find('one')).rejects.toEqual(unavailable);
    expect(issuer.count(DISCOVERY)).toBe(2);
  });

  it('caches the location of the keys for ten minutes, and no longer', async () => {
    await jwks.find('one');
    passTime(10 * MINUTE - 1);
    expect(await jwks.find('absent')).toBeNull();
    expect(issuer.count(DISCOVERY)).toBe(1);
    passTime(1);
    expect(await jwks.find('absent')).toBeNull();
    expect(issuer.count(DISCOVERY)).toBe(2);
  });

  it('requests the location again if the keys are not there', async () => {
    await jwks.find('one');
    issuer.answers.set('/jwks', json({}, 404));
    await expect(jwks.find('two')).rejects.toEqual(unavailable);
    issuer.answers.set('/moved', json({ keys: [named('two')] }));
    issuer.answers.set(DISCOVERY, json({ issuer: issuer.origin, jwks_uri: `${issuer.origin}/moved` }));
    expect(await jwks.find('two')).not.toBeNull();
  });

  it('drops a withdrawn key as soon as an unknown key is requested', async () => {
    await jwks.find('one');
    issuer.publish(named('two'));
    expect(await jwks.find('two')).not.toBeNull();
    expect(await jwks.find('one')).toBeNull();
  });

  it('does not live longer because the clock was set back', async () => {
    await jwks.find('one');
    passTime(-MINUTE);
    await jwks.find('one');
    expect(issuer.count('/jwks')).toBe(2);
  });
});

describe('JwksService: an unknown key id', () => {
  it('is requested at once, though keys were just read', async () => {
    await jwks.find('one');
    issuer.publish(named('one'), named('two'));
    expect(await jwks.find('two')).not.toBeNull();
    expect(issuer.requests).toEqual([DISCOVERY, '/jwks', '/jwks']);
  });

  it('is requested once again for all callers that need it if a running request began before it was published, and delays no other caller', async () => {
    await jwks.find('one');
    let letGo = (): void => undefined;
    const begun = new Promise<void>((resolve) => {
      issuer.answers.set('/jwks', (request, response) => {
        letGo = () => json({ keys: [named('one')] })(request, response);
        resolve();
      });
    });
    const early = jwks.find('absent');
    await begun;
    issuer.publish(named('one'), named('two'));
    const late = Promise.all([jwks.find('two'), jwks.find('two')]);
    expect(await jwks.find('one')).not.toBeNull();
    letGo();
    expect(await early).toBeNull();
    expect(await late).not.toContain(null);
    expect(issuer.count('/jwks')).toBe(3);
  });

  it('is null after one request if the issuer does not have it', async () => {
    expect(await jwks.find('absent')).toBeNull();
    expect(issuer.count('/jwks')).toBe(1);
  });

  it('is requested 20 times in a burst, then once a second, while known keys are returned at once', async () => {
    await jwks.find('one');
    for (let request = 0; request < 20; request++) expect(await jwks.find(`absent-${request}`)).toBeNull();
    await expect(jwks.find('absent')).rejects.toMatchObject({
      code: 'unavailable',
      message: 'Too many identity tokens with unknown signing keys. Try again soon.',
      headers: { 'Retry-After': '1' },
    });
    expect(issuer.count('/jwks')).toBe(21);
    expect(await jwks.find('one')).not.toBeNull();
    passTime(1000);
    expect(await jwks.find('absent')).toBeNull();
    await expect(jwks.find('absent')).rejects.toEqual(unavailable);
    passTime(10 * MINUTE);
    expect(await jwks.find('one')).not.toBeNull();
  });

  it('shares one request with concurrent callers', async () => {
    await jwks.find('one');
    issuer.publish(named('two'));
    const found = await Promise.all(Array.from({ length: 50 }, () => jwks.find('two')));
    expect(found).not.toContain(null);
    expect(issuer.count('/jwks')).toBe(2);
  });

  it('is unavailable, not absent, while the issuer is down', async () => {
    await jwks.find('one');
    issuer.answers.set('/jwks', json({}, 502));
    await expect(jwks.find('two')).rejects.toEqual(unavailable);
    expect(await jwks.find('one')).not.toBeNull();
  });
});

describe('JwksService: rejected responses of an issuer', () => {
  const discovery = (document: (origin: string) => unknown) => () =>
    issuer.answers.set(DISCOVERY, json(document(issuer.origin)));

  it.each<[string, () => unknown]>([
    ['a discovery document of another issuer', discovery((o) => ({ issuer: `${o}/`, jwks_uri: `${o}/jwks` }))],
    ['a discovery document without an issuer', discovery((o) => ({ jwks_uri: `${o}/jwks` }))],
    ['a discovery document without keys', discovery((o) => ({ issuer: o }))],
    ['keys at no address', discovery((o) => ({ issuer: o, jwks_uri: 'jwks' }))],
    ['keys over plain http elsewhere', discovery((o) => ({ issuer: o, jwks_uri: 'http://localhost:1/jwks' }))],
    ['keys in a file', discovery((o) => ({ issuer: o, jwks_uri: 'file:///etc/jwks' }))],
    ['a discovery document that is null', discovery(() => null)],
    ['a discovery document that is no JSON', () => issuer.answers.set(DISCOVERY, (_, r) => r.end('<html>'))],
    ['an error', () => issuer.answers.set('/jwks', json({ keys: [named('one')] }, 500))],
    ['an answer other than 200', () => issuer.answers.set('/jwks', json({ keys: [named('one')] }, 203))],
    ['keys that are no set', () => issuer.answers.set('/jwks', json({ keys: named('one') }))],
    ['a set that is null', () => issuer.answers.set('/jwks', json(null))],
    [
      'a redirect, even to its own host',
      () => {
        issuer.answers.set('/moved', json({ keys: [named('one')] }));
        issuer.answers.set('/jwks', (_, r) => r.writeHead(302, { location: '/moved' }).end());
      },
    ],
    [
      'a document of more than 256 KB',
      () => issuer.answers.set('/jwks', json({ keys: [named('one')], padding: 'x'.repeat(256 * 1024) })),
    ],
    [
      'a document that breaks off',
      () =>
        issuer.answers.set('/jwks', (_, r) => {
          r.writeHead(200, { 'content-length': 99 });
          r.write('{"keys":', () => r.destroy());
        }),
    ],
    ['a connection that is cut', () => issuer.answers.set('/jwks', (_, r) => r.destroy())],
  ])('reports an unavailable issuer for %s', async (_, break_) => {
    break_();
    await expect(jwks.find('one')).rejects.toEqual(unavailable);
  });

  it('logs why the keys are invalid', async () => {
    issuer.answers.set('/jwks', json({ keys: named('one') }));
    await expect(jwks.find('one')).rejects.toMatchObject({ cause: { message: 'The issuer published no JWK set.' } });
  });

  it('reads an endless document only up to the limit', async () => {
    let written = 0;
    issuer.answers.set('/jwks', (_, response) => {
      const more = (): void => {
        if (response.destroyed) return;
        written += 65_536;
        if (response.write(' '.repeat(65_536))) setImmediate(more);
        else response.once('drain', more);
      };
      more();
    });
    await expect(jwks.find('one')).rejects.toEqual(unavailable);
    expect(written).toBeLessThan(64 * 1024 * 1024);
  });

  it('fails after a timeout if an issuer does not answer', async () => {
    const timeout = AbortSignal.timeout.bind(AbortSignal);
    jest.spyOn(AbortSignal, 'timeout').mockImplementation(() => timeout(50));
    issuer.answers.set('/jwks', () => undefined);
    await expect(jwks.find('one')).rejects.toEqual(unavailable);
  });

  it('finds the discovery document of an issuer below a path', async () => {
    for (const name of [`${issuer.origin}/tenant`, `${issuer.origin}/tenant/`]) {
      issuer.answers.set(`/tenant${DISCOVERY}`, json({ issuer: name, jwks_uri: `${issuer.origin}/jwks` }));
      expect(await new JwksService(new OidcSettings(name, 'shipgate'), clock).find('one')).not.toBeNull();
    }
  });
});
