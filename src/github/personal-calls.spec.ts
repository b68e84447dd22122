import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  APP,
  repositoryJson,
  type FakeGitHubGateway,
  startFakeGitHubGateway,
} from '../../test/support/fake-github-gateway.js';
import { PersonalToken, type RepositoryRef } from './transport/token-scope.js';

const SECRET = 'ghp_ada';
const CREATE = 'POST /repos/acme/app/git/refs';
const AS_ADA: RepositoryRef = { ...APP, as: new PersonalToken(SECRET) };

describe('a repository that is read in the name of a user', () => {
  let fake: FakeGitHubGateway;
  beforeEach(async () => {
    fake = await startFakeGitHubGateway();
    fake.server.on(CREATE, { status: 201, json: { ref: 'refs/heads/a', object: { sha: 'f00' } } });
  });
  afterEach(() => fake.server.stop());

  const confirmations = () => fake.server.calls('GET /repos/acme/app');

  it('is requested only with the token of the user', async () => {
    await fake.github.branches.create(AS_ADA, 'a', 'f00');
    expect(new Set(fake.server.seen.map(({ headers }) => headers.authorization))).toEqual(
      new Set([`Bearer ${SECRET}`]),
    );
  });

  it('is returned with the permissions of the user', async () => {
    fake.server.on('GET /repos/acme/app', {
      json: repositoryJson({ permissions: { admin: false, push: true, pull: true } }),
    });
    const { value } = await fake.github.repositories.find(AS_ADA);
    expect(value?.rights).toEqual({ triage: true, push: true, administer: false });
  });

  it('is returned with the permissions of a user who can only triage', async () => {
    fake.server.on('GET /repos/acme/app', {
      json: repositoryJson({ permissions: { admin: false, maintain: false, push: false, triage: true, pull: true } }),
    });
    const { value } = await fake.github.repositories.find(AS_ADA);
    expect(value?.rights).toEqual({ triage: true, push: false, administer: false });
  });

  it('is confirmed by its id before each write, because the token also accesses other repositories', async () => {
    await fake.github.branches.create(AS_ADA, 'a', 'f00');
    await fake.github.branches.create(AS_ADA, 'a', 'f00');
    expect(confirmations()).toHaveLength(2);
    fake.server.on('GET /repos/acme/app', { json: repositoryJson({ id: 102 }) });
    await expect(fake.github.branches.create(AS_ADA, 'a', 'f00')).rejects.toMatchObject({ kind: 'not_found' });
    expect(fake.server.calls(CREATE)).toHaveLength(2);
  });

  it('fails with an error without the token', async () => {
    fake.server.on(CREATE, { status: 403, json: { message: 'Resource not accessible by personal access token' } });
    const rejection = await fake.github.branches.create(AS_ADA, 'a', 'f00').catch((error: unknown) => error);
    expect(rejection).toMatchObject({ kind: 'forbidden' });
    expect(String((rejection as Error).stack)).not.toContain(SECRET);
  });
});
