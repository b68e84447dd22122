import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  compactVerify,
  createLocalJWKSet,
  createRemoteJWKSet,
  jwtVerify,
  type JSONWebKeySet,
  type JWTPayload,
} from 'jose';
import { Clock } from '../../../src/config/clock.js';
import { CLAIM_FORGERIES } from './claim-forgeries.js';
import { OidcIssuer } from './oidc-issuer.js';
import { SIGNATURE_FORGERIES } from './signature-forgeries.js';

const NOW = new Date('2026-03-01T10:00:00Z');

class StoppedClock extends Clock {
  override now(): Date {
    return NOW;
  }
}

const start = (): Promise<OidcIssuer> => OidcIssuer.start({ clock: new StoppedClock() });

interface Discovery {
  readonly issuer: string;
  readonly jwks_uri: string;
  readonly claims_supported: readonly string[];
}

/** Longer than an answer takes on a busy machine. */
const ANSWER_MS = 30_000;
/** Only for an issuer that never answers. */
const SILENCE_MS = 200;

const read = async (url: string, timeoutMs = ANSWER_MS): Promise<unknown> =>
  (await fetch(url, { signal: AbortSignal.timeout(timeoutMs) })).json();
const discover = (issuer: OidcIssuer, timeoutMs?: number): Promise<Discovery> =>
  read(`${issuer.url}/.well-known/openid-configuration`, timeoutMs) as Promise<Discovery>;
const keysOf = async (issuer: OidcIssuer): Promise<JSONWebKeySet> =>
  (await read((await discover(issuer)).jwks_uri)) as JSONWebKeySet;

/** Verifies a token with a library and the published documents only. */
const verify = async (issuer: OidcIssuer, token: string): Promise<JWTPayload> => {
  const { payload } = await jwtVerify(token, createLocalJWKSet(await keysOf(issuer)), {
    issuer: issuer.url,
    audience: 'shipgate',
    algorithms: ['RS256'],
    currentDate: NOW,
    clockTolerance: 30,
    requiredClaims: ['iss', 'aud', 'exp', 'jti'],
  });
  return payload;
};

describe('a token', () => {
  let issuer: OidcIssuer;
  beforeAll(async () => {
    issuer = await start();
    // As GitHub, which always publishes several keys. With a single key, a token without a kid is valid.
    issuer.rotate({ retainOld: true });
  });
  afterAll(() => issuer.stop());

  it('is verified with the published keys, and has the claims of GitHub', async () => {
    const claims = await verify(issuer, issuer.token());
    expect(claims).toMatchObject({
      sub: 'repo:acme/payments:ref:refs/heads/main',
      repository: 'acme/payments',
      repository_owner: 'acme',
      repository_id: expect.stringMatching(/^\d+$/),
      repository_owner_id: expect.stringMatching(/^\d+$/),
      run_id: expect.stringMatching(/^\d+$/),
      event_name: 'push',
      ref_type: 'branch',
      iat: NOW.getTime() / 1000,
      exp: NOW.getTime() / 1000 + 300,
      nbf: NOW.getTime() / 1000 - 600,
    });
    const { claims_supported } = await discover(issuer);
    expect(Object.keys(claims).filter((claim) => !claims_supported.includes(claim))).toEqual([]);
  });

  it('derives claims as GitHub does from the changed claims', () => {
    expect(issuer.claims({ repository: 'globex/site', ref: 'refs/tags/v1.0.0', sha: 'a'.repeat(40) })).toMatchObject({
      sub: 'repo:globex/site:ref:refs/tags/v1.0.0',
      repository_owner: 'globex',
      ref_type: 'tag',
      workflow_ref: 'globex/site/.github/workflows/shipgate-ci.yml@refs/tags/v1.0.0',
      workflow_sha: 'a'.repeat(40),
    });
    expect(issuer.claims({ environment: 'production' })['sub']).toBe('repo:acme/payments:environment:production');
    expect(issuer.claims({ event_name: 'pull_request' })['sub']).toBe('repo:acme/payments:pull_request');
  });

  it('omits a claim on request, and has its own id', async () => {
    expect(await verify(issuer, issuer.token({ ref: undefined }))).not.toHaveProperty('ref');
    expect((await verify(issuer, issuer.token())).jti).not.toBe((await verify(issuer, issuer.token())).jti);
  });

  describe('forged in its header, signature or form', () => {
    it.each(SIGNATURE_FORGERIES)('a token $name is rejected', async ({ forge }) => {
      await expect(verify(issuer, forge(issuer, {}))).rejects.toThrow(Error);
    });

    /** Each forgery has one difference, which its name states. */
    it('has the claims of a valid token if it has any', () => {
      for (const { name, forge } of SIGNATURE_FORGERIES.filter((forgery) => !forgery.name.includes('payload is'))) {
        const payload = JSON.parse(
          Buffer.from(forge(issuer, {}).split('.')[1] ?? '', 'base64url').toString(),
        ) as object;
        expect({ name, claims: Object.keys(payload) }).toEqual({ name, claims: Object.keys(issuer.claims()) });
      }
    });
  });

  describe('forged in its claims', () => {
    it.each(CLAIM_FORGERIES)('a token $name has a valid signature and differs in one claim', async ({ forge }) => {
      const { payload: bytes } = await compactVerify(forge(issuer, { jti: 'given' }), issuer.key.publicKey);
      const payload = JSON.parse(Buffer.from(bytes).toString()) as JWTPayload;
      const truth = issuer.claims({ jti: 'given' });
      const differing = Object.keys(truth).filter(
        (name) => JSON.stringify(payload[name]) !== JSON.stringify(truth[name]),
      );
      expect(differing).toHaveLength(1);
    });
  });

  it('has unique names for its forgeries', () => {
    const names = [...SIGNATURE_FORGERIES, ...CLAIM_FORGERIES].map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeGreaterThanOrEqual(60);
  });
});

describe('the issuer', () => {
  let issuer: OidcIssuer;
  beforeEach(async () => {
    issuer = await start();
  });
  afterEach(() => issuer.stop());

  it('counts its requests', async () => {
    await keysOf(issuer);
    await discover(issuer);
    expect(issuer.requests).toEqual({ discovery: 2, jwks: 1 });
  });

  it('publishes only the public half of its key', async () => {
    const { keys } = await keysOf(issuer);
    expect(keys).toEqual([
      { kty: 'RSA', n: expect.any(String), e: 'AQAB', kid: issuer.key.kid, alg: 'RS256', use: 'sig' },
    ]);
  });

  it('returns 404 for any other path', async () => {
    expect((await fetch(`${issuer.url}/token`)).status).toBe(404);
  });

  it('rotates its key and retains the old one', async () => {
    const before = issuer.token();
    const { kid } = issuer.rotate({ retainOld: true });
    expect(issuer.key.kid).toBe(kid);
    await expect(verify(issuer, before)).resolves.toMatchObject({ iss: issuer.url });
    await expect(verify(issuer, issuer.token())).resolves.toMatchObject({ iss: issuer.url });
  });

  it('rotates its key and withdraws the old one', async () => {
    const { key: old } = issuer;
    const before = issuer.token();
    issuer.rotate({ retainOld: false });
    await expect(verify(issuer, before)).rejects.toMatchObject({ code: 'ERR_JWKS_NO_MATCHING_KEY' });
    await expect(verify(issuer, issuer.token({}, { key: old }))).rejects.toThrow(Error);
    await expect(verify(issuer, issuer.token({}, { key: old, kid: issuer.key.kid }))).rejects.toMatchObject({
      code: 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED',
    });
  });

  it('is accepted as an issuer by a standard client', async () => {
    const keys = createRemoteJWKSet(new URL((await discover(issuer)).jwks_uri));
    const { protectedHeader } = await jwtVerify(issuer.token(), keys, { issuer: issuer.url, currentDate: NOW });
    expect(protectedHeader).toEqual({ typ: 'JWT', alg: 'RS256', kid: issuer.key.kid });
  });

  it.each(['refusing', 'silent'] as const)(
    'is down, %s, and is available again at the same address',
    async (outage) => {
      const { url } = issuer;
      await issuer.goDown(outage);
      const [timeoutMs, message] = outage === 'silent' ? [SILENCE_MS, /timeout/] : [ANSWER_MS, /fetch failed/];
      await expect(discover(issuer, timeoutMs)).rejects.toThrow(message);
      await issuer.comeBack();
      expect((await discover(issuer)).issuer).toBe(url);
    },
  );

  it('is down, failing, and counts the attempt', async () => {
    await issuer.goDown('failing');
    expect((await fetch(`${issuer.url}/.well-known/jwks`)).status).toBe(503);
    expect(issuer.requests.jwks).toBe(1);
  });

  it('listens on the given port', async () => {
    const port = Number(new URL(issuer.url).port);
    await issuer.stop();
    const successor = await OidcIssuer.start({ port });
    expect(successor.url).toBe(issuer.url);
    await successor.stop();
  });
});
