import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { ClaimChanges } from '../../../test/github-sim/oidc/actions-claims.js';
import { CLAIM_FORGERIES } from '../../../test/github-sim/oidc/claim-forgeries.js';
import { OidcIssuer, type Outage } from '../../../test/github-sim/oidc/oidc-issuer.js';
import { SIGNATURE_FORGERIES } from '../../../test/github-sim/oidc/signature-forgeries.js';
import { generateSigningKey } from '../../../test/github-sim/oidc/signing-key.js';
import { FixedClock } from '../../../test/support/fixed-clock.js';
import { InvalidCredentialError } from '../auth.errors.js';
import { IdentityTokenService } from './identity-token.service.js';
import { OidcSettings } from './issuer-discovery.js';
import { JwksService } from './jwks.service.js';

const MINUTE = 60_000;

let clock: FixedClock;
let issuer: OidcIssuer;
let verifier: IdentityTokenService;

const verifierOf = (url: string): IdentityTokenService => {
  const settings = new OidcSettings(url, 'shipgate');
  return new IdentityTokenService(settings, new JwksService(settings, clock), clock);
};
const secondsFromNow = (seconds: number): number => Math.floor(clock.now().getTime() / 1000) + seconds;

async function reasonFor(token: string): Promise<string> {
  const outcome = await verifier.verify(token).catch((error: unknown) => error);
  return outcome instanceof InvalidCredentialError ? outcome.reason : JSON.stringify(outcome);
}

const withSignatureOf = (token: string, other: string): string =>
  [...token.split('.').slice(0, 2), other.split('.')[2]].join('.');

beforeAll(async () => {
  clock = new FixedClock();
  issuer = await OidcIssuer.start({ clock });
});
afterAll(() => issuer.stop());
beforeEach(() => {
  verifier = verifierOf(issuer.url);
});

describe('IdentityTokenService', () => {
  it('accepts a token that the issuer signed for Shipgate', async () => {
    expect(await verifier.verify(issuer.token({ jti: 'the-one' }))).toMatchObject({
      jti: 'the-one',
      repositoryGithubId: 4001,
      ownerGithubId: 3001,
      runId: 9876543210,
      event: 'push',
    });
  });

  it.each(CLAIM_FORGERIES)('rejects a token $name', async ({ forge }) => {
    await expect(verifier.verify(forge(issuer, {}))).rejects.toBeInstanceOf(InvalidCredentialError);
  });

  it.each(SIGNATURE_FORGERIES)('rejects a token $name', async ({ forge }) => {
    await expect(verifier.verify(forge(issuer, {}))).rejects.toBeInstanceOf(InvalidCredentialError);
  });

  it.each<[string, () => ClaimChanges, string]>([
    ['another issuer', () => ({ iss: 'https://token.example.com' }), 'issuer'],
    ['a list of audiences', () => ({ aud: ['shipgate'] }), 'audience'],
    ['an end 31 s ago', () => ({ exp: secondsFromNow(-31) }), 'expired'],
    ['an end 30 s ago, which is not before now', () => ({ exp: secondsFromNow(-30) }), 'expired'],
    ['no end', () => ({ exp: undefined }), 'claim:exp'],
    ['a beginning in 31 s', () => ({ nbf: secondsFromNow(31) }), 'not_yet_valid'],
    ['an issue in 32 s', () => ({ iat: secondsFromNow(32) }), 'issued_at'],
    ['an issue after its end', () => ({ iat: secondsFromNow(20), exp: secondsFromNow(10) }), 'issued_at'],
    ['an issue that is text', () => ({ iat: 'now' }), 'claim:iat'],
    ['no jti', () => ({ jti: undefined }), 'claim:jti'],
    ['more than 8 KB', () => ({ workflow: 'x'.repeat(8192) }), 'too_long'],
  ])('logs why a token with %s is invalid, and returns no reason', async (_, changes, reason) => {
    expect(await reasonFor(issuer.token(changes()))).toBe(reason);
  });

  it.each<[string, () => string, string]>([
    ['8 KB of nonsense', () => 'x'.repeat(8192), 'malformed'],
    ['a character more', () => 'x'.repeat(8193), 'too_long'],
    ['another algorithm', () => issuer.token({}, { header: { alg: 'RS512' } }), 'algorithm'],
    ['a key id of 256 characters', () => issuer.token({}, { kid: 'k'.repeat(256) }), 'unknown_signing_key'],
    ['a key id of 257 characters', () => issuer.token({}, { kid: 'k'.repeat(257) }), 'malformed'],
    ['an empty key id', () => issuer.token({}, { kid: '' }), 'malformed'],
    ['a key id that is a number', () => issuer.token({}, { header: { kid: 1 } }), 'malformed'],
    ['no key id', () => issuer.token({}, { header: { kid: undefined } }), 'malformed'],
    ['an extension that must be understood', () => issuer.token({}, { header: { crit: ['x'], x: 1 } }), 'malformed'],
    ['the signature of another token', () => withSignatureOf(issuer.token(), issuer.token({ jti: 'x' })), 'signature'],
  ])('logs why: %s', async (_, token, reason) => {
    expect(await reasonFor(token())).toBe(reason);
  });

  it('accepts a token without a type', async () => {
    await expect(verifier.verify(issuer.token({}, { header: { typ: undefined } }))).resolves.toBeDefined();
  });

  it('logs the cause of the rejection', async () => {
    await expect(verifier.verify('a.b.c')).rejects.toMatchObject({ cause: expect.any(Error) });
    await expect(verifier.verify(withSignatureOf(issuer.token(), issuer.token({ jti: 'x' })))).rejects.toMatchObject({
      cause: { code: 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED' },
    });
  });

  it('does not count an internal error as a forged token', async () => {
    const broken = { find: () => Promise.resolve({}) } as unknown as JwksService;
    const verifier = new IdentityTokenService(new OidcSettings(issuer.url, 'shipgate'), broken, clock);
    await expect(verifier.verify(issuer.token())).rejects.toBeInstanceOf(TypeError);
  });

  it('rejects unlimited times', async () => {
    const [header = '', payload = ''] = issuer.token({ exp: 1e15 }).split('.');
    const text = Buffer.from(payload, 'base64url').toString().replace('1000000000000000', '1e999');
    const input = `${header}.${Buffer.from(text).toString('base64url')}`;
    const { sign } = await import('node:crypto');
    const signature = sign('sha256', Buffer.from(input), issuer.key.privateKey).toString('base64url');
    expect(await reasonFor(`${input}.${signature}`)).toBe('claim:exp');
  });

  it.each<[string, () => ClaimChanges]>([
    ['that ended 29 s ago', () => ({ exp: secondsFromNow(-29), iat: secondsFromNow(-60) })],
    ['that begins in 30 s', () => ({ nbf: secondsFromNow(30), iat: secondsFromNow(30) })],
    ['without a beginning and a time of issue', () => ({ nbf: undefined, iat: undefined })],
    ['without a subject', () => ({ sub: undefined })],
  ])('accepts a token %s', async (_, changes) => {
    await expect(verifier.verify(issuer.token(changes()))).resolves.toMatchObject({ ownerGithubId: 3001 });
  });

  it.each([
    ['at+jwt', 'malformed'],
    ['JWT', undefined],
  ])('checks the type %s', async (typ, reason) => {
    const token = issuer.token({}, { header: { typ } });
    if (reason) expect(await reasonFor(token)).toBe(reason);
    else await expect(verifier.verify(token)).resolves.toBeDefined();
  });
});

describe('IdentityTokenService while keys change', () => {
  it('accepts a token of a key that is a second old', async () => {
    await verifier.verify(issuer.token());
    issuer.rotate({ retainOld: true });
    await expect(verifier.verify(issuer.token())).resolves.toBeDefined();
  });

  it('rejects a token of a withdrawn key as soon as the withdrawal is known', async () => {
    const old = issuer.key;
    await verifier.verify(issuer.token());
    issuer.rotate({ retainOld: false });
    await verifier.verify(issuer.token());
    expect(await reasonFor(issuer.token({}, { key: old }))).toBe('unknown_signing_key');
  });

  it('rejects a token with a kid that the issuer never had', async () => {
    expect(await reasonFor(issuer.token({}, { key: generateSigningKey('foreign') }))).toBe('unknown_signing_key');
  });

  it('makes no request if the header is already invalid', async () => {
    const { jwks, discovery } = issuer.requests;
    await reasonFor(issuer.token({}, { header: { alg: 'none' } }));
    await reasonFor('a.b.c');
    await reasonFor(issuer.token({ workflow: 'x'.repeat(8192) }));
    expect(issuer.requests).toEqual({ jwks, discovery });
  });
});

describe('IdentityTokenService while the issuer is down', () => {
  afterEach(async () => {
    jest.restoreAllMocks();
    await issuer.comeBack();
  });

  it.each<Outage>(['refusing', 'failing', 'silent'])(
    'rejects tokens of an unknown key while the issuer is unavailable (%s)',
    async (outage) => {
      const timeout = AbortSignal.timeout.bind(AbortSignal);
      jest.spyOn(AbortSignal, 'timeout').mockImplementation(() => timeout(50));
      const token = issuer.token();
      await issuer.goDown(outage);
      await expect(verifier.verify(token)).rejects.toMatchObject({ code: 'unavailable', status: 503 });
    },
  );

  it('uses keys of the last ten minutes, and no older keys', async () => {
    await verifier.verify(issuer.token());
    await issuer.goDown();
    clock.advance(10 * MINUTE - 1);
    await expect(verifier.verify(issuer.token())).resolves.toBeDefined();
    clock.advance(1);
    await expect(verifier.verify(issuer.token())).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('rejects a forged token of a known key while the issuer is unavailable', async () => {
    await verifier.verify(issuer.token());
    await issuer.goDown();
    expect(await reasonFor(issuer.token({ aud: 'other' }))).toBe('audience');
    await expect(verifier.verify(issuer.token({}, { kid: 'unheard-of' }))).rejects.toMatchObject({
      code: 'unavailable',
    });
  });
});
