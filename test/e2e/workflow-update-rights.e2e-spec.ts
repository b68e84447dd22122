import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Organization } from '../github-sim/state/organization.js';
import type { Repository } from '../github-sim/state/repository.js';
import { TestEnvironment } from '../support/test-environment.js';
import { textAt } from './scenarios/setup-scenario.js';
import { CI, ENFORCE, UpdateScenario } from './scenarios/update-scenario.js';

const PATIENCE_MS = 120_000;

/** An organization that grants the app fewer permissions than requested. */
async function givenTier(
  env: TestEnvironment,
  login: string,
  permissions: Readonly<Record<string, 'read' | 'write'>>,
): Promise<UpdateScenario> {
  const organization: Organization = env.github.createOrganization({ login });
  env.github.installApp(env.githubApp, organization, { repositories: 'all', permissions });
  await env.waitUntilIdle();
  return UpdateScenario.in(env, organization);
}

describe('the permission to write workflow files', () => {
  let env: TestEnvironment;
  let minimal: UpdateScenario;
  let repository: Repository;
  let pats: { readonly good: string; readonly narrow: string; readonly stranger: string };

  beforeAll(async () => {
    env = await TestEnvironment.start({ BILLING: 'off' });
    await env.install();
    const { workflows: _, ...rest } = env.githubApp.permissions;
    minimal = await givenTier(env, 'globex', rest as Readonly<Record<string, 'read' | 'write'>>);
    repository = await minimal.outdated('ledger');
    const { tokens } = env.github.state;
    pats = {
      good: tokens.issuePersonal(minimal.admin.user),
      narrow: tokens.issuePersonal(minimal.admin.user, []),
      stranger: tokens.issuePersonal(env.github.createUser({ login: 'stranger' })),
    };
    for (const [name, pat] of Object.entries(pats)) env.secretLeaks.add(`the ${name} personal token`, pat);
  }, PATIENCE_MS);
  afterAll(() => env.stop());
  afterEach(() => expect(env.violations).toEqual([]));

  it('is returned before a request', async () => {
    expect((await minimal.status(repository)).body).toMatchObject({
      status: 'PAT_REQUIRED',
      prNumber: null,
      branch: null,
    });
  });

  it.each<[string, () => object]>([
    ['no token', () => ({})],
    ['a token without the scope for workflows', () => ({ pat: pats.narrow })],
    ['a token of a user without write access', () => ({ pat: pats.stranger })],
    ['a token that is none', () => ({ pat: 'ghp_000000000000000000000000000000000000' })],
  ])('is missing for the app of the minimal tier, and for a user who sends %s', async (_, order) => {
    const { status, body } = await minimal.update(repository, order());
    expect([status, body]).toEqual([422, { error: expect.stringMatching(/^PAT_REQUIRED: /) }]);
    expect(repository.git.branchHead(minimal.branch)).toBeNull();
  });

  it('comes from a token with this permission, and the app opens the pull request', async () => {
    const { status, body } = await minimal.update(repository, { pat: pats.good });
    expect([status, body['status']]).toEqual([201, 'PR_CREATED']);
    const pull = minimal.openPull(repository);
    expect(pull.issue.author.login).toBe('shipgate[bot]');
    for (const path of [CI, ENFORCE]) expect(textAt(repository, minimal.branch, path)).toBe(minimal.now[path]);
    // No token is needed while the pull request is open.
    expect((await minimal.update(repository)).body).toMatchObject({ status: 'PR_OPEN' });
    repository.pulls.merge(pull);
    await env.waitUntilIdle();
    expect(await minimal.written(repository)).toMatchObject({ revision: minimal.revision, pull: null });
    // `stop()` checks that the token is in no table, log line or response.
  });

  it('comes from the app if it has it, and a token in the request is not used', async () => {
    const full = await UpdateScenario.in(env);
    const own = await full.outdated('full');
    const before = env.exchanges.length;
    expect((await full.update(own, { pat: pats.stranger })).status).toBe(201);
    const used = env.exchanges
      .slice(before)
      .filter(({ requestHeaders }) => requestHeaders['authorization']?.includes(pats.stranger));
    expect(used).toEqual([]);
  });

  it('is missing if the app can only read', async () => {
    const reading = await givenTier(env, 'initech', {
      metadata: 'read',
      members: 'read',
      contents: 'read',
      pull_requests: 'read',
    });
    const closed = await reading.outdated('vault');
    const { status, body } = await reading.update(closed, { pat: pats.stranger });
    expect([status, typeof body['error']]).toEqual([422, 'string']);
    expect(reading.pulls(closed)).toEqual([]);
  });

  it('never comes from a repository that was recreated under the name', async () => {
    const gone = await minimal.outdated('phoenix');
    const id = await minimal.idOf(gone);
    const path = `/api/repos/${id}/workflow-update-pr`;
    gone.delete();
    const anew = env.github.createRepository(minimal.organization, {
      name: 'phoenix',
      files: { a: '1' },
      private: false,
    });
    const answer = await minimal.admin.send('POST', path, { pat: pats.good });
    expect(answer.status).toBe(404);
    await env.waitUntilIdle();
    expect((await minimal.admin.send('POST', path, { pat: pats.good })).status).toBe(404);
    expect(anew.pulls.list()).toEqual([]);
    expect(anew.git.branchHead(minimal.branch)).toBeNull();
  });
});
