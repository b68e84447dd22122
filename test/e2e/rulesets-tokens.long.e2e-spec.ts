import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { TestEnvironment } from '../support/test-environment.js';
import { edit, namesOf, ProtectionScenario, RELEASE } from './scenarios/protection-scenario.js';

describe('the rulesets of a repository that the app cannot administer', () => {
  let env: TestEnvironment;
  let scenario: ProtectionScenario;
  beforeAll(async () => {
    env = await TestEnvironment.start({ BILLING: 'off' });
    const { administration: _, ...permissions } = env.githubApp.permissions;
    env.github.installApp(env.githubApp, env.organization, { repositories: 'all', permissions });
    await env.waitUntilIdle();
    scenario = await ProtectionScenario.in(env);
  });
  afterAll(() => env.stop());
  afterEach(() => {
    env.github.faults.clear();
    expect(env.violations).toEqual([]);
  });

  it('are created with the token of an administrator, which is then deleted', async () => {
    const repo = await scenario.merged('lent');
    const before = await scenario.admin.get(`/api/repos/${await scenario.idOf(repo)}`);
    expect(before.body).toMatchObject({ setup: { tokenNeeded: false }, protection: { tokenNeeded: true } });
    expect(await scenario.order(repo)).toMatchObject({
      status: 422,
      body: { error: expect.stringMatching(/^PAT_REQUIRED: The app may not administer/) },
    });
    const { token } = scenario.administrator(repo, 'alma');
    expect(await scenario.order(repo, { pat: token })).toMatchObject({ status: 202, body: { status: 'pending' } });
    await env.waitUntilIdle();
    expect(await scenario.row(repo)).toMatchObject({ status: 'active', step: 'complete', tokens: 0 });
    expect(namesOf(repo)).toHaveLength(2);
    const by = env.exchanges.filter(({ method, path }) => method === 'POST' && path.endsWith('/lent/rulesets'));
    expect(by.map(({ requestHeaders }) => requestHeaders['authorization'])).toEqual([
      `Bearer ${token}`,
      `Bearer ${token}`,
    ]);
    // From now on the app reads the rulesets itself, and GitHub does not show it the bypass actors.
    await scenario.sync(repo);
    expect(await scenario.row(repo)).toMatchObject({
      status: 'active',
      detail: expect.stringContaining('GitHub shows only to administrators of the repository who may bypass them'),
    });
    edit(repo, RELEASE, () => ({ enforcement: 'disabled' }));
    await env.waitUntilIdle();
    expect(await scenario.status(repo)).toBe('drifted');
    expect((await scenario.order(repo)).status).toBe(422);
    expect(await scenario.status(repo)).toBe('drifted');
  });

  it('are not created with a token that GitHub rejects, or of a user without permission', async () => {
    const repo = await scenario.merged('refused');
    const tokens = env.github.state.tokens;
    const writer = tokens.issuePersonal(repo.createCollaborator('wanda'));
    expect((await scenario.order(repo, { pat: writer })).body['error']).toMatch(/does not administer the repository/);
    expect((await scenario.order(repo, { pat: 'ghp_0123456789abcdef' })).body['error']).toMatch(/does not accept this/);
    const stranger = tokens.issuePersonal(env.github.createUser({ login: 'stan' }));
    expect((await scenario.order(repo, { pat: stranger })).status).toBe(422);
    expect(await scenario.row(repo)).toBeNull();
    expect(namesOf(repo)).toEqual([]);
  });

  it('fail when GitHub no longer accepts the token, and the admin gets an event', async () => {
    const repo = await scenario.merged('revoked');
    const { token } = scenario.administrator(repo, 'rhea');
    env.github.faults.next({ kind: 'delay', ms: 500, match: /^GET .*\/revoked\/contents\// });
    expect((await scenario.order(repo, { pat: token })).status).toBe(202);
    env.github.state.tokens.revoke(token);
    await env.waitUntilIdle();
    expect(await scenario.row(repo)).toMatchObject({
      status: 'failed',
      step: 'protection_failed',
      tokens: 0,
      detail: expect.stringContaining('GitHub rejected the personal access token'),
    });
    expect(namesOf(repo)).toEqual([]);
  });

  it('are not requested with a token that GitHub does not confirm', async () => {
    const repo = await scenario.merged('away');
    const { token } = scenario.administrator(repo, 'aaron');
    env.github.faults.next({ kind: '5xx', match: /^GET \/repos\/acme\/away$/, times: 10 });
    const answer = await scenario.order(repo, { pat: token });
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, expect.stringMatching(/^\d+$/)]);
    expect(await scenario.row(repo)).toBeNull();
  });

  it('use the newer of two tokens, and both are deleted', async () => {
    const repo = await scenario.merged('two-tokens');
    const [first, second] = [scenario.administrator(repo, 'tess'), scenario.administrator(repo, 'theo')];
    await Promise.all([first, second].map(({ token }) => scenario.order(repo, { pat: token })));
    await env.waitUntilIdle();
    expect(await scenario.row(repo)).toMatchObject({ status: 'active', tokens: 0 });
    expect(namesOf(repo)).toHaveLength(2);
  });

  it('are created by the app if it gets the permission', async () => {
    const elsewhere = env.github.createOrganization({ login: 'globex' });
    await env.install(elsewhere);
    const granted = await ProtectionScenario.in(env, elsewhere);
    const repo = await granted.merged('granted');
    const { token } = granted.administrator(repo, 'gina');
    expect((await granted.order(repo, { pat: token })).status).toBe(202);
    await env.waitUntilIdle();
    expect(await granted.row(repo)).toMatchObject({ status: 'active', tokens: 0 });
    const used = env.exchanges.filter(({ requestHeaders }) => requestHeaders['authorization'] === `Bearer ${token}`);
    expect(used).toEqual([]);
  });

  it('are not created if the app cannot publish the check that they require', async () => {
    const elsewhere = env.github.createOrganization({ login: 'initech' });
    const permissions = { ...env.githubApp.permissions, checks: 'read' as const };
    env.github.installApp(env.githubApp, elsewhere, { repositories: 'all', permissions });
    await env.waitUntilIdle();
    const checkless = await ProtectionScenario.in(env, elsewhere);
    const repo = await checkless.merged('checkless');
    await checkless.order(repo);
    await env.waitUntilIdle();
    expect(await checkless.row(repo)).toMatchObject({
      status: 'failed',
      detail: expect.stringContaining('"checks: write"'),
    });
    expect(namesOf(repo)).toEqual([]);
  });
});
