import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { ProtectionStateService } from '../../src/features/repositories/rulesets/protection-state.service.js';
import type { FaultSpec } from '../github-sim/faults.js';
import { TestEnvironment } from '../support/test-environment.js';
import { DEVELOPMENT, namesOf, ProtectionScenario, RELEASE } from './scenarios/protection-scenario.js';
import { PLAIN_POLICY, type RepositoryScenario } from './scenarios/repository-scenario.js';

/** The attempts of the gateway for one call. */
const ALL_TRIES = 3;
/** Longer than the pause of the service after a failure of GitHub. */
const PATIENCE_MS = 10 * 60_000;

describe('rulesets during their set-up', () => {
  let env: TestEnvironment;
  let scenario: ProtectionScenario;
  let repo: RepositoryScenario;
  beforeAll(async () => {
    env = await TestEnvironment.start({ BILLING: 'off' });
    await env.install();
    scenario = await ProtectionScenario.in(env);
    repo = await scenario.merged('unlucky');
  });
  afterAll(() => env.stop());
  afterEach(() => {
    jest.restoreAllMocks();
    env.github.faults.clear();
    expect(env.violations).toEqual([]);
  });

  /** Deletes all rulesets. */
  const begin = async (): Promise<void> => {
    for (const ruleset of repo.repository.rulesets.list().slice()) repo.repository.rulesets.delete(ruleset);
    await env.waitUntilIdle();
  };

  /** Runs the retries now, until none is left. */
  const recover = async (): Promise<void> => {
    for (let tries = 0; tries < 5 && (await scenario.row(repo))?.status === 'pending'; tries += 1) {
      env.clock.advance(PATIENCE_MS);
      await env.hurry();
    }
  };

  /** Causes the fault at the first call about rulesets or the policy after this many others. */
  const after = (calls: number, fault: Pick<FaultSpec, 'kind'> & object): void => {
    let seen = 0;
    const isMeant = ({ url }: { readonly url: string }): boolean => {
      if (!/\/unlucky\/(rulesets|contents)/.test(url)) return false;
      seen += 1;
      return seen > calls;
    };
    env.github.faults.next({ ...fault, match: isMeant, times: ALL_TRIES } as FaultSpec);
  };

  // The calls are: the policy, the list, two creations, the list and both rulesets. So eight are more than there are.
  const cases = Array.from({ length: 8 }, (_, calls) => calls).flatMap((calls) => [
    [`is not answered`, calls, { kind: '5xx' }] as const,
    [`is done without a response`, calls, { kind: 'drop', afterWork: true }] as const,
  ]);

  it.each(cases)('are created once if a call %s after %d others', async (_, calls, fault) => {
    await begin();
    after(calls, fault);
    expect((await scenario.order(repo)).status).toBe(202);
    await env.waitUntilIdle();
    await recover();
    expect(await scenario.row(repo)).toMatchObject({ status: 'active', detail: null, step: 'complete' });
    expect(namesOf(repo).toSorted()).toEqual([DEVELOPMENT, RELEASE]);
  });

  it('show the cause of the delay meanwhile', async () => {
    await begin();
    after(1, { kind: '5xx' });
    await scenario.order(repo);
    await env.waitUntilIdle();
    expect(await scenario.row(repo)).toMatchObject({
      status: 'pending',
      detail: expect.stringMatching(
        /^GitHub did not answer as expected\. The service tries again\. GET .*rulesets.*50/,
      ),
    });
    await recover();
    expect(await scenario.row(repo)).toMatchObject({ status: 'active', detail: null });
  });

  it('are found by the next attempt if a process stopped before it saved them', async () => {
    await begin();
    const complete = jest.spyOn(env.app.get(ProtectionStateService), 'complete');
    complete.mockRejectedValueOnce(new Error('the process ended'));
    const before = scenario.writes();
    await scenario.order(repo);
    await env.waitUntilIdle();
    expect(await scenario.status(repo)).toBe('pending');
    await recover();
    expect(await scenario.status(repo)).toBe('active');
    expect(scenario.writes() - before).toBe(2);
  });

  it("are reported as failed with GitHub's message if GitHub rejects one", async () => {
    await begin();
    repo.repository.archive();
    await env.waitUntilIdle();
    await scenario.order(repo);
    await env.waitUntilIdle();
    expect(await scenario.row(repo)).toMatchObject({
      status: 'failed',
      detail: expect.stringMatching(/^GitHub rejected the rulesets \(POST .*403 Repository was archived/),
      step: 'complete',
    });
    repo.repository.archived = false;
  });

  it.each(['installation', 'person'] as const)(
    'are not created in a repository that took over the name of theirs: %s',
    async (by) => {
      const organization = env.github.createOrganization({ login: `of-${by}` });
      const { administration: _, ...fewer } = env.githubApp.permissions;
      const permissions = by === 'person' ? fewer : env.githubApp.permissions;
      env.github.installApp(env.githubApp, organization, { repositories: 'all', permissions });
      await env.waitUntilIdle();
      const there = await ProtectionScenario.in(env, organization);
      const old = await there.merged(`phoenix-${by}`);
      const { user, token } = there.administrator(old, `admin-of-${by}`);
      env.github.faults.next({ kind: '5xx', match: /\/phoenix-\w+\/contents/, times: 50 });
      expect((await there.order(old, by === 'person' ? { pat: token } : {})).status).toBe(202);
      await env.waitUntilIdle();
      expect(await there.status(old)).toBe('pending');

      env.github.faults.clear();
      // Without a delivery about it.
      env.outbox.faults.next({ kind: 'lose', times: 20 });
      old.repository.delete();
      const risen = env.github.createRepository(organization, {
        name: old.repository.name,
        private: false,
        files: { 'sdlc.yaml': PLAIN_POLICY },
      });
      risen.setCollaborator(user, 'admin');
      env.clock.advance(PATIENCE_MS);
      await env.hurry();
      env.outbox.faults.clear();
      expect(risen.rulesets.list()).toEqual([]);
      expect(await there.status(old)).not.toBe('active');
    },
  );
});
