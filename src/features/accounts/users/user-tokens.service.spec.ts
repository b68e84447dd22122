import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/database.js';
import { type FakeGitHubGateway, startFakeGitHubGateway } from '../../../../test/support/fake-github-gateway.js';
import { EncryptionService } from '../../../crypto/encryption.service.js';
import { Database } from '../../../database/database.js';
import type { UserTokenPair } from '../../../github/api/oauth.js';
import { UserTokensService } from './user-tokens.service.js';
import { UsersRepository } from './users.repository.js';

const ROUTE = 'POST /login/oauth/access_token';
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

let testDatabase: TestDatabase;
let database: Database;
let fake: FakeGitHubGateway;
const encryption = new EncryptionService({ encryptionKeys: [{ kid: 'test', key: randomBytes(32) }] });

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = await Database.open({ url: testDatabase.appUrl, poolSize: 10 });
});

const APP = { clientId: 'Iv1.test', clientSecret: 'the-client-secret' };

beforeEach(async () => {
  fake = await startFakeGitHubGateway(APP);
});
afterEach(() => fake.server.stop());
afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

/** Creates a service like another process: it shares no memory with the others. */
const instance = (userEncryption = encryption): UserTokensService =>
  new UserTokensService(new UsersRepository(database), userEncryption, fake.github, fake.clock);

const pair = (name: string, changes: Partial<UserTokenPair> = {}): UserTokenPair => ({
  accessToken: `ghu_${name}`,
  accessExpiresAt: new Date(fake.clock.now().getTime() + 8 * HOUR_MS),
  refreshToken: `ghr_${name}`,
  refreshExpiresAt: new Date(fake.clock.now().getTime() + 4000 * HOUR_MS),
  ...changes,
});

const granted = (name: string): object => ({
  access_token: `ghu_${name}`,
  expires_in: 28_800,
  refresh_token: `ghr_${name}`,
  refresh_token_expires_in: 15_897_600,
  scope: '',
  token_type: 'bearer',
});

let userIds = 100;

/** Saves the tokens of a user who has just signed in. */
async function signIn(changes: Partial<UserTokenPair> = {}): Promise<number> {
  userIds += 1;
  const user = { id: userIds, login: `user-${userIds}`, name: null, avatarUrl: 'https://avatars.test/1' };
  await instance().save(user, pair('first', changes));
  return userIds;
}

const sentRefreshTokens = (): unknown[] =>
  fake.server.calls(ROUTE).map(({ body }) => (JSON.parse(body) as { refresh_token: string }).refresh_token);

/** Advances the clock until the first token is valid for five more minutes. */
const advanceToLastMinutes = (): void => fake.clock.advance(8 * HOUR_MS - 5 * MINUTE_MS);
const advancePastExpiry = (): void => fake.clock.advance(8 * HOUR_MS + MINUTE_MS);

describe('findAccessToken', () => {
  it('returns null for a user who never signed in', async () => {
    expect(await instance().findAccessToken(1)).toBeNull();
  });

  it('refreshes the token despite a lease that was written with a wrong clock', async () => {
    const userId = await signIn();
    advanceToLastMinutes();
    const inAnHour = new Date(fake.clock.now().getTime() + HOUR_MS);
    const until = new Date(inAnHour.getTime() + MINUTE_MS);
    expect(await new UsersRepository(database).leaseTokenRefresh(userId, 1, inAnHour, until)).toBe(true);
    fake.server.on(ROUTE, { json: granted('second') });
    expect(await instance().findAccessToken(userId)).toBe('ghu_second');
  });

  it('returns the token of the sign-in until ten minutes before it expires', async () => {
    const userId = await signIn();
    fake.clock.advance(8 * HOUR_MS - 10 * MINUTE_MS - 1);
    expect(await instance().findAccessToken(userId)).toBe('ghu_first');
    expect(sentRefreshTokens()).toEqual([]);
  });

  it('never refreshes a token without an expiry', async () => {
    const userId = await signIn({ accessExpiresAt: null, refreshToken: null, refreshExpiresAt: null });
    fake.clock.advance(4000 * HOUR_MS);
    expect(await instance().findAccessToken(userId)).toBe('ghu_first');
  });

  it('stores tokens encrypted, and decrypts them only for the same user and use', async () => {
    const [ada, eve] = [await signIn(), await signIn({ accessToken: 'ghu_eve' })];
    const repository = new UsersRepository(database);
    const stolen = await repository.findTokens(ada);
    const stored = await repository.findTokens(eve);
    expect(JSON.stringify(stolen)).not.toMatch(/ghu_|ghr_/);
    for (const access of [stolen!.access, stored!.refresh]) {
      await repository.replaceTokens(
        eve,
        (await repository.findTokens(eve))!.version,
        { ...stored!, access },
        fake.clock.now(),
      );
      expect(await instance().findAccessToken(eve)).toBeNull();
    }
  });

  it('returns null if the key that encrypted the token is missing', async () => {
    const userId = await signIn();
    const otherEncryption = new EncryptionService({ encryptionKeys: [{ kid: 'other', key: randomBytes(32) }] });
    expect(await instance(otherEncryption).findAccessToken(userId)).toBeNull();
  });

  it('returns the token of the latest sign-in', async () => {
    const userId = await signIn();
    const labels = { id: userId, login: 'renamed', name: 'Renamed', avatarUrl: 'https://avatars.test/2' };
    await instance().save(labels, pair('later'));
    expect(await instance().findAccessToken(userId)).toBe('ghu_later');
    expect((await new UsersRepository(database).list([userId, 1])).get(userId)).toEqual(labels);
  });
});

describe('findAccessToken with a token that expires soon', () => {
  it('refreshes the token once for many callers in two processes', async () => {
    const userId = await signIn();
    advanceToLastMinutes();
    fake.server.on(ROUTE, { json: granted('second') }, { json: { error: 'bad_refresh_token' } });
    const [one, other] = [instance(), instance()];
    const tokens = await Promise.all(
      Array.from({ length: 20 }, (_, index) => (index % 2 ? one : other).findAccessToken(userId)),
    );
    expect(tokens).toEqual(Array.from({ length: 20 }, () => 'ghu_second'));
    expect(sentRefreshTokens()).toEqual(['ghr_first']);
    expect(await instance().findAccessToken(userId)).toBe('ghu_second');
    expect(sentRefreshTokens()).toHaveLength(1);
  });

  it('refreshes with the refresh token of the previous refresh', async () => {
    const userId = await signIn();
    fake.server.on(ROUTE, { json: granted('second') }, { json: granted('third') });
    advancePastExpiry();
    expect(await instance().findAccessToken(userId)).toBe('ghu_second');
    advancePastExpiry();
    expect(await instance().findAccessToken(userId)).toBe('ghu_third');
    expect(sentRefreshTokens()).toEqual(['ghr_first', 'ghr_second']);
  });

  it('deletes the tokens if GitHub rejects the refresh token', async () => {
    const userId = await signIn();
    advanceToLastMinutes();
    fake.server.on(ROUTE, { json: { error: 'bad_refresh_token', error_description: 'expired' } });
    expect(await instance().findAccessToken(userId)).toBeNull();
    expect(await instance().findAccessToken(userId)).toBeNull();
    expect(sentRefreshTokens()).toHaveLength(1);
    expect(await new UsersRepository(database).findTokens(userId)).toMatchObject({ access: null, refresh: null });
  });

  it('does not send an expired refresh token', async () => {
    const userId = await signIn({ refreshExpiresAt: new Date(fake.clock.now().getTime() + HOUR_MS) });
    advanceToLastMinutes();
    expect(await instance().findAccessToken(userId)).toBe('ghu_first');
    fake.clock.advance(10 * MINUTE_MS);
    expect(await instance().findAccessToken(userId)).toBeNull();
    expect(sentRefreshTokens()).toEqual([]);
  });

  it.each([
    ['closes the connection', { fault: 'drop' }],
    ['does not answer', { fault: 'hang' }],
    ['sends a truncated response', { json: granted('second'), fault: 'truncate' }],
    ['answers 502', { status: 502, text: 'Bad Gateway' }],
    ['rejects the credentials of the app', { json: { error: 'incorrect_client_credentials' } }],
  ] as const)('returns the old token until it expires, then throws, if GitHub %s', async (_, reply) => {
    if ('fault' in reply && reply.fault === 'hang') {
      await fake.server.stop();
      fake = await startFakeGitHubGateway({ ...APP, requestTimeoutMs: 300 });
    }
    const userId = await signIn();
    advanceToLastMinutes();
    fake.server.on(ROUTE, reply);
    expect(await instance().findAccessToken(userId)).toBe('ghu_first');
    fake.clock.advance(6 * MINUTE_MS);
    await expect(instance().findAccessToken(userId)).rejects.toMatchObject({ name: 'GitHubError', isTransient: true });
    expect((await new UsersRepository(database).findTokens(userId))?.refresh).not.toBeNull();
  });

  it('does not overwrite the tokens of a sign-in that happens during a refresh', async () => {
    const userId = await signIn();
    advanceToLastMinutes();
    const labels = { id: userId, login: 'again', name: null, avatarUrl: 'https://avatars.test/1' };
    const { oauth } = fake.github;
    const refresh = oauth.refresh.bind(oauth);
    fake.server.on(ROUTE, { json: granted('late') });
    oauth.refresh = async (token) => {
      const late = await refresh(token);
      await instance().save(labels, pair('newest'));
      return late;
    };
    expect(await instance().findAccessToken(userId)).toBe('ghu_newest');
    expect(await instance().findAccessToken(userId)).toBe('ghu_newest');
  });

  it('waits for a process that stopped during a refresh, then returns null', async () => {
    const userId = await signIn();
    advancePastExpiry();
    const repository = new UsersRepository(database);
    const now = fake.clock.now();
    expect(await repository.leaseTokenRefresh(userId, 1, now, new Date(now.getTime() + MINUTE_MS))).toBe(true);
    await expect(instance().findAccessToken(userId)).rejects.toMatchObject({ kind: 'timeout' });
    expect(sentRefreshTokens()).toEqual([]);
    fake.clock.advance(MINUTE_MS);
    fake.server.on(ROUTE, { json: { error: 'bad_refresh_token' } });
    expect(await instance().findAccessToken(userId)).toBeNull();
  });

  it('returns the old token while another process refreshes it', async () => {
    const userId = await signIn();
    advanceToLastMinutes();
    const now = fake.clock.now();
    await new UsersRepository(database).leaseTokenRefresh(userId, 1, now, new Date(now.getTime() + MINUTE_MS));
    expect(await instance().findAccessToken(userId)).toBe('ghu_first');
    expect(sentRefreshTokens()).toEqual([]);
  });
});
