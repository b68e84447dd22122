import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/database.js';
import { type FakeGitHubGateway, startFakeGitHubGateway } from '../../../../test/support/fake-github-gateway.js';
import { EncryptionService } from '../../../crypto/encryption.service.js';
import { Database } from '../../../database/database.js';
import type { UserTokenPair } from '../../../github/api/oauth.js';
import { UserTokenEncryption, UserTokensService } from './user-tokens.service.js';
import { UsersRepository } from './users.repository.js';

const ROUTE = 'POST /login/oauth/access_token';
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

let testDatabase: TestDatabase;
let database: Database;
let fake: FakeGitHubGateway;
const sealer = new EncryptionService({ encryptionKeys: [{ kid: 'test', key: randomBytes(32) }] });

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = await Database.open({ url: testDatabase.appUrl, poolSize: 10 });
});
beforeEach(async () => {
  fake = await startFakeGitHubGateway({
    clientId: 'Iv1.test',
    clientSecret: 'the-client-secret',
    requestTimeoutMs: 300,
  });
});
afterEach(() => fake.server.stop());
afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

/** As a process of its own would have it: nothing in memory is shared. */
const instance = (seals = new UserTokenEncryption(sealer)): UserTokensService =>
  new UserTokensService(new UsersRepository(database), seals, fake.github, fake.clock);

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

/** A person who has just signed in. */
async function arrived(changes: Partial<UserTokenPair> = {}): Promise<number> {
  userIds += 1;
  const user = { id: userIds, login: `person-${userIds}`, name: null, avatarUrl: 'https://avatars.test/1' };
  await instance().save(user, pair('first', changes));
  return userIds;
}

const sentRefreshTokens = (): unknown[] =>
  fake.server.calls(ROUTE).map(({ body }) => (JSON.parse(body) as { refresh_token: string }).refresh_token);

/** Until the first token has five minutes left. */
const untilShortlyBefore = (): void => fake.clock.advance(8 * HOUR_MS - 5 * MINUTE_MS);
const untilAfter = (): void => fake.clock.advance(8 * HOUR_MS + MINUTE_MS);

describe("a person's token", () => {
  it('is nobody’s who never signed in', async () => {
    expect(await instance().findAccessToken(1)).toBeNull();
  });

  it('is renewed whatever a clock claimed that was wrong', async () => {
    const userId = await arrived();
    untilShortlyBefore();
    const inAnHour = new Date(fake.clock.now().getTime() + HOUR_MS);
    const until = new Date(inAnHour.getTime() + MINUTE_MS);
    expect(await new UsersRepository(database).leaseTokenRefresh(userId, 1, inAnHour, until)).toBe(true);
    fake.server.on(ROUTE, { json: granted('second') });
    expect(await instance().findAccessToken(userId)).toBe('ghu_second');
  });

  it('is the one that they gave, until ten minutes before it expires', async () => {
    const userId = await arrived();
    fake.clock.advance(8 * HOUR_MS - 10 * MINUTE_MS - 1);
    expect(await instance().findAccessToken(userId)).toBe('ghu_first');
    expect(sentRefreshTokens()).toEqual([]);
  });

  it('that does not expire is never refreshed', async () => {
    const userId = await arrived({ accessExpiresAt: null, refreshToken: null, refreshExpiresAt: null });
    fake.clock.advance(4000 * HOUR_MS);
    expect(await instance().findAccessToken(userId)).toBe('ghu_first');
  });

  it('is kept unreadable, and opens as that person’s and for its use alone', async () => {
    const [ada, eve] = [await arrived(), await arrived({ accessToken: 'ghu_eve' })];
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

  it('is lost with the key that sealed it', async () => {
    const userId = await arrived();
    const others = new EncryptionService({ encryptionKeys: [{ kid: 'other', key: randomBytes(32) }] });
    expect(await instance(new UserTokenEncryption(others)).findAccessToken(userId)).toBeNull();
  });

  it('gives way to the one of the next sign-in', async () => {
    const userId = await arrived();
    const labels = { id: userId, login: 'renamed', name: 'Renamed', avatarUrl: 'https://avatars.test/2' };
    await instance().save(labels, pair('later'));
    expect(await instance().findAccessToken(userId)).toBe('ghu_later');
    expect((await new UsersRepository(database).list([userId, 1])).get(userId)).toEqual(labels);
  });
});

describe('a token that expires soon', () => {
  it('is refreshed once, however many ask for it in however many processes', async () => {
    const userId = await arrived();
    untilShortlyBefore();
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

  it('is refreshed with what came of the last time', async () => {
    const userId = await arrived();
    fake.server.on(ROUTE, { json: granted('second') }, { json: granted('third') });
    untilAfter();
    expect(await instance().findAccessToken(userId)).toBe('ghu_second');
    untilAfter();
    expect(await instance().findAccessToken(userId)).toBe('ghu_third');
    expect(sentRefreshTokens()).toEqual(['ghr_first', 'ghr_second']);
  });

  it('is forgotten where the host takes it no more', async () => {
    const userId = await arrived();
    untilShortlyBefore();
    fake.server.on(ROUTE, { json: { error: 'bad_refresh_token', error_description: 'expired' } });
    expect(await instance().findAccessToken(userId)).toBeNull();
    expect(await instance().findAccessToken(userId)).toBeNull();
    expect(sentRefreshTokens()).toHaveLength(1);
    expect(await new UsersRepository(database).findTokens(userId)).toMatchObject({ access: null, refresh: null });
  });

  it('is not asked for with a refresh token that is over', async () => {
    const userId = await arrived({ refreshExpiresAt: new Date(fake.clock.now().getTime() + HOUR_MS) });
    untilShortlyBefore();
    expect(await instance().findAccessToken(userId)).toBe('ghu_first');
    fake.clock.advance(10 * MINUTE_MS);
    expect(await instance().findAccessToken(userId)).toBeNull();
    expect(sentRefreshTokens()).toEqual([]);
  });

  it.each([
    ['is gone', { fault: 'drop' }],
    ['does not answer', { fault: 'hang' }],
    ['breaks off', { json: granted('second'), fault: 'truncate' }],
    ['fails', { status: 502, text: 'Bad Gateway' }],
    ['takes the app for another', { json: { error: 'incorrect_client_credentials' } }],
  ] as const)('lives on where the host %s, and is unknown once it is over', async (_, reply) => {
    const userId = await arrived();
    untilShortlyBefore();
    fake.server.on(ROUTE, reply);
    expect(await instance().findAccessToken(userId)).toBe('ghu_first');
    fake.clock.advance(6 * MINUTE_MS);
    await expect(instance().findAccessToken(userId)).rejects.toMatchObject({ name: 'GitHubError', isTransient: true });
    expect((await new UsersRepository(database).findTokens(userId))?.refresh).not.toBeNull();
  });

  it('is not overwritten by a refresh that comes back after the next sign-in', async () => {
    const userId = await arrived();
    untilShortlyBefore();
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

  it('that another process was refreshing when it died is waited for, then the person has none', async () => {
    const userId = await arrived();
    untilAfter();
    const repository = new UsersRepository(database);
    const now = fake.clock.now();
    expect(await repository.leaseTokenRefresh(userId, 1, now, new Date(now.getTime() + MINUTE_MS))).toBe(true);
    await expect(instance().findAccessToken(userId)).rejects.toMatchObject({ kind: 'timeout' });
    expect(sentRefreshTokens()).toEqual([]);
    fake.clock.advance(MINUTE_MS);
    fake.server.on(ROUTE, { json: { error: 'bad_refresh_token' } });
    expect(await instance().findAccessToken(userId)).toBeNull();
  });

  it('that another process is refreshing is used while it lives', async () => {
    const userId = await arrived();
    untilShortlyBefore();
    const now = fake.clock.now();
    await new UsersRepository(database).leaseTokenRefresh(userId, 1, now, new Date(now.getTime() + MINUTE_MS));
    expect(await instance().findAccessToken(userId)).toBe('ghu_first');
    expect(sentRefreshTokens()).toEqual([]);
  });
});
