import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  startFakeGitHubGateway,
  TOKEN_ROUTE,
  type FakeGitHubGateway,
} from '../../../test/support/fake-github-gateway.js';

const account = (changes: object = {}): object => ({ id: 21, login: 'Ada', type: 'User', ...changes });

describe('Users', () => {
  let fake: FakeGitHubGateway;
  beforeEach(async () => {
    fake = await startFakeGitHubGateway();
  });
  afterEach(() => fake.server.stop());

  const find = async (login = 'ada') => (await fake.github.users.findByLogin(7, login)).value;

  it('finds the user with a login, in its current spelling', async () => {
    fake.server.on('GET /users/ada', { json: account() });
    expect(await find()).toEqual({ id: 21, login: 'Ada' });
  });

  it.each(['Organization', 'Bot', 'Mannequin'])('does not treat %s as a user', async (type) => {
    fake.server.on('GET /users/ada', { json: account({ type }) });
    expect(await find()).toBeNull();
  });

  it('reports a missing user only for a 404', async () => {
    expect(await find('missing')).toBeNull();
    fake.server.on('GET /users/ada', { status: 403, json: { message: 'Resource not accessible by integration' } });
    await expect(find()).rejects.toMatchObject({ kind: 'forbidden' });
    fake.server.on('GET /users/ada', { json: account({ id: undefined }) });
    await expect(find()).rejects.toMatchObject({ kind: 'malformed' });
  });

  it('does not report a missing user after the installation was withdrawn', async () => {
    fake.server.on('GET /users/ada', { json: account() });
    fake.server.on(TOKEN_ROUTE, { status: 404, json: { message: 'Not Found' } });
    await expect(find()).rejects.toMatchObject({ kind: 'unauthorized' });
  });

  it.each(['..', '.'])('requests no other route for a login of "%s"', async (login) => {
    await expect(find(login)).rejects.toMatchObject({ kind: 'invalid' });
  });
});
