import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type FakeGitHubGateway, startFakeGitHubGateway } from '../../../test/support/fake-github-gateway.js';
import type { Reply } from '../../../test/support/fake-http-server.js';
import type { GitHubSettings } from '../github-settings.js';
import { OAuth } from './oauth.js';

const ROUTE = 'POST /login/oauth/access_token';
const GRANT = {
  code: 'the-code',
  verifier: 'the-verifier',
  redirectUri: 'https://shipgate.test/api/auth/callback',
};
const TOKENS = {
  access_token: 'ghu_secret-access',
  expires_in: 28_800,
  refresh_token: 'ghr_secret-refresh',
  refresh_token_expires_in: 15_897_600,
  scope: '',
  token_type: 'bearer',
};

let fake: FakeGitHubGateway;

const APP = { clientId: 'Iv1.app', clientSecret: 'the-client-secret' };

beforeEach(async () => {
  fake = await startFakeGitHubGateway(APP);
});
afterEach(() => fake.server.stop());

const sent = (): unknown[] => fake.server.calls(ROUTE).map(({ body }) => JSON.parse(body) as unknown);

describe('OAuth', () => {
  it('sends the browser to GitHub with a challenge', () => {
    const { oauth } = fake.github;
    const url = new URL(oauth.authorizationUrl({ redirectUri: GRANT.redirectUri, state: 'a&b', challenge: 'c=d' }));
    expect(`${url.origin}${url.pathname}`).toBe(`${fake.server.url}/login/oauth/authorize`);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: 'Iv1.app',
      redirect_uri: GRANT.redirectUri,
      state: 'a&b',
      code_challenge: 'c=d',
      code_challenge_method: 'S256',
    });
  });

  it('exchanges a code with its verifier, and counts the lifetimes of the tokens from before the request', async () => {
    const requestedAt = fake.clock.now().getTime();
    fake.server.on(ROUTE, () => {
      fake.clock.advance(60_000);
      return { json: TOKENS };
    });
    expect(await fake.github.oauth.redeem(GRANT)).toEqual({
      accessToken: 'ghu_secret-access',
      accessExpiresAt: new Date(requestedAt + 28_800_000),
      refreshToken: 'ghr_secret-refresh',
      refreshExpiresAt: new Date(requestedAt + 15_897_600_000),
    });
    expect(sent()).toEqual([
      {
        client_id: 'Iv1.app',
        client_secret: 'the-client-secret',
        code: 'the-code',
        code_verifier: 'the-verifier',
        redirect_uri: GRANT.redirectUri,
      },
    ]);
    expect(fake.server.calls(ROUTE)[0]?.headers).toMatchObject({ accept: 'application/json' });
  });

  it('accepts tokens that do not expire', async () => {
    fake.server.on(ROUTE, { json: { access_token: 'ghu_1', scope: '', token_type: 'bearer' } });
    expect(await fake.github.oauth.redeem(GRANT)).toEqual({
      accessToken: 'ghu_1',
      accessExpiresAt: null,
      refreshToken: null,
      refreshExpiresAt: null,
    });
  });

  it('refreshes as the app', async () => {
    fake.server.on(ROUTE, { json: TOKENS });
    expect(await fake.github.oauth.refresh('ghr_old')).toMatchObject({ accessToken: 'ghu_secret-access' });
    expect(sent()).toEqual([
      {
        client_id: 'Iv1.app',
        client_secret: 'the-client-secret',
        grant_type: 'refresh_token',
        refresh_token: 'ghr_old',
      },
    ]);
  });

  it('uses credentials that change while it runs', async () => {
    const { server: host, clock } = fake;
    const app: { clientId?: string; clientSecret?: string } = {};
    const settings = { webUrl: host.url, apiUrl: host.url, appId: '', privateKey: '' };
    const oauth = new OAuth(Object.setPrototypeOf(settings, app) as GitHubSettings, clock);
    expect(oauth.isConfigured()).toBe(false);
    await expect(oauth.redeem(GRANT)).rejects.toMatchObject({ kind: 'unauthorized' });
    expect(host.seen).toEqual([]);
    Object.assign(app, { clientId: 'Iv1.later', clientSecret: 'later' });
    host.on(ROUTE, { json: TOKENS });
    expect(oauth.isConfigured()).toBe(true);
    await oauth.redeem(GRANT);
    expect(sent()).toEqual([expect.objectContaining({ client_id: 'Iv1.later', client_secret: 'later' })]);
  });

  it.each<readonly [string, string, Reply]>([
    ['invalid', 'a code that GitHub does not accept', { json: { error: 'bad_verification_code' } }],
    ['invalid', 'a refresh token that GitHub does not accept', { json: { error: 'bad_refresh_token' } }],
    ['forbidden', 'a user without permission', { json: { error: 'unverified_user_email' } }],
    ['forbidden', 'an unknown error', { json: { error: 'Something "new"\n' } }],
    ['unauthorized', 'an app that GitHub does not know', { json: { error: 'incorrect_client_credentials' } }],
    ['malformed', 'a wrong address', { status: 404, text: 'Not Found' }],
    ['malformed', 'a rejection without a code', { status: 422, json: { message: 'ghu_secret' } }],
    ['malformed', 'no JSON', { text: 'access_token=ghu_secret' }],
    ['malformed', 'JSON that is no object', { text: '"ghu_secret"' }],
    ['malformed', 'no token', { json: { token_type: 'bearer' } }],
    ['malformed', 'a token that fits into no header', { json: { ...TOKENS, access_token: 'ghu_secret\r\nx: y' } }],
    ['malformed', 'an empty token', { json: { ...TOKENS, access_token: '' } }],
    ['malformed', 'a lifetime that is no number', { json: { ...TOKENS, expires_in: 'ghu_secret' } }],
    ['malformed', 'a truncated response', { json: TOKENS, fault: 'truncate' }],
    ['unavailable', 'a failure', { status: 502, text: 'ghu_secret' }],
    ['unavailable', 'nothing', { fault: 'drop' }],
    ['timeout', 'no response in time', { fault: 'hang' }],
    ['off_host_redirect', 'a redirect to another host', { status: 307, headers: { location: 'http://127.0.0.1:1/' } }],
    ['not_found', 'a redirect', { status: 307, headers: { location: '/login/oauth/moved' } }],
  ])('fails as %s for %s, sends one request, and repeats no secret', async (kind, _, reply) => {
    if (kind === 'timeout') {
      await fake.server.stop();
      fake = await startFakeGitHubGateway({ ...APP, requestTimeoutMs: 300 });
    }
    fake.server.on(ROUTE, reply);
    const failure: unknown = await fake.github.oauth.redeem(GRANT).catch((error: unknown) => error);
    expect(failure).toMatchObject({ name: 'GitHubError', kind });
    expect(String(failure)).not.toMatch(/secret|the-code|the-verifier/);
    expect(String(failure)).toMatch(/^[\x20-\x7e]*$/);
    expect(fake.server.seen).toHaveLength(1);
  });
});
