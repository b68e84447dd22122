import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { APP, repositoryJson, type FakeGitHubGateway, scriptedGateway } from '../../test/support/scripted-gateway.js';
import { PersonalToken, type RepositoryRef } from './transport/token-scope.js';

const SECRET = 'ghp_ada';
const CREATE = 'POST /repos/acme/app/git/refs';
const AS_ADA: RepositoryRef = { ...APP, as: new PersonalToken(SECRET) };

describe('a repository that is asked for as a person', () => {
  let scripted: FakeGitHubGateway;
  beforeEach(async () => {
    scripted = await scriptedGateway();
    scripted.host.on(CREATE, { status: 201, json: { ref: 'refs/heads/a', object: { sha: 'f00' } } });
  });
  afterEach(() => scripted.host.stop());

  const confirmations = () => scripted.host.calls('GET /repos/acme/app');

  it('is asked for with their token and no other', async () => {
    await scripted.github.branches.create(AS_ADA, 'a', 'f00');
    expect(new Set(scripted.host.seen.map(({ headers }) => headers.authorization))).toEqual(
      new Set([`Bearer ${SECRET}`]),
    );
  });

  it('is told with what they may do there', async () => {
    scripted.host.on('GET /repos/acme/app', {
      json: repositoryJson({ permissions: { admin: false, push: true, pull: true } }),
    });
    const { value } = await scripted.github.repositories.find(AS_ADA);
    expect(value?.rights).toEqual({ triage: true, push: true, administer: false });
  });

  it('is told with what they may do there who may only triage', async () => {
    scripted.host.on('GET /repos/acme/app', {
      json: repositoryJson({ permissions: { admin: false, maintain: false, push: false, triage: true, pull: true } }),
    });
    const { value } = await scripted.github.repositories.find(AS_ADA);
    expect(value?.rights).toEqual({ triage: true, push: false, administer: false });
  });

  it('is confirmed by its id before each write, because their token reaches every other one as well', async () => {
    await scripted.github.branches.create(AS_ADA, 'a', 'f00');
    await scripted.github.branches.create(AS_ADA, 'a', 'f00');
    expect(confirmations()).toHaveLength(2);
    scripted.host.on('GET /repos/acme/app', { json: repositoryJson({ id: 102 }) });
    await expect(scripted.github.branches.create(AS_ADA, 'a', 'f00')).rejects.toMatchObject({ kind: 'not_found' });
    expect(scripted.host.calls(CREATE)).toHaveLength(2);
  });

  it('is refused without a word of the token', async () => {
    scripted.host.on(CREATE, { status: 403, json: { message: 'Resource not accessible by personal access token' } });
    const refusal = await scripted.github.branches.create(AS_ADA, 'a', 'f00').catch((error: unknown) => error);
    expect(refusal).toMatchObject({ kind: 'forbidden' });
    expect(String((refusal as Error).stack)).not.toContain(SECRET);
  });
});
