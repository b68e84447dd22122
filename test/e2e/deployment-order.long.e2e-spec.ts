import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { TestEnvironment } from '../support/test-environment.js';
import { RepositoryScenario } from './scenarios/repository-scenario.js';

const FIVE_MINUTES_MS = 300_000;

describe('a deployment before its decision, or without a delivery', () => {
  let env: TestEnvironment;
  const scenario = (name: string): RepositoryScenario => new RepositoryScenario(env, { name });

  const kindsOf = async ({ repository }: RepositoryScenario): Promise<readonly string[]> => {
    const rows = await env.database.inTenant(await env.orgId(), (tx) =>
      tx.query<{ readonly kind: string }>(
        `select kind from deployment_record where repository_id = (select id from repository where github_id = $1)
         order by recorded_at`,
        [repository.id],
      ),
    );
    return rows.map(({ kind }) => kind);
  };

  beforeAll(async () => {
    env = await TestEnvironment.start({ BILLING: 'off' });
    await env.install();
  });
  afterAll(() => env.stop());
  afterEach(() => {
    jest.restoreAllMocks();
    env.github.faults.clear();
    expect(env.violations).toEqual([]);
  });

  it.each([
    { whose: 'ahead of', lead: FIVE_MINUTES_MS },
    { whose: 'behind', lead: -30_000 },
  ])(
    "ships nothing if it began before the approval, even if GitHub's clock is $whose Shipgate's clock",
    async ({ whose, lead }) => {
      const repo = scenario(`early-${whose.slice(0, 2)}`);
      const sha = await repo.evidencing('v1.0.0');
      // The clock of the service goes on unchanged; all times of GitHub are shifted from here on.
      jest.spyOn(env.github.state, 'now').mockImplementation(() => new Date(env.clock.now().getTime() + lead));
      const deployment = repo.repository.deployments.create({ ref: sha, environment: 'production' });
      env.clock.advance(10_000);
      repo.approve('v1.0.0');
      await env.waitUntilIdle();
      expect(await repo.gate('v1.0.0')).toMatchObject({ can_deploy: true });
      repo.repository.deployments.setStatus(deployment, 'success');
      await env.waitUntilIdle();
      expect(await kindsOf(repo)).toEqual(['ungoverned']);

      await repo.deploy(sha);
      expect(await kindsOf(repo)).toEqual(['ungoverned', 'release']);
    },
  );

  it('waits until GitHub reports how the deployed commit differs, and then ships', async () => {
    const repo = scenario('untold');
    await repo.approved('v1.0.0');
    const same = repo.repository.commit({ files: { '.releases/notes.md': 'kept with the evidence' } });
    await env.waitUntilIdle();
    env.github.faults.next({ kind: '5xx', match: /\/compare\//, times: 3 });
    await repo.deploy(same);
    expect(await kindsOf(repo)).toEqual([]);
    env.github.faults.clear();
    for (let tries = 0; tries < 100 && (await kindsOf(repo)).length === 0; tries += 1) await sleep(100);
    expect(await kindsOf(repo)).toEqual(['release']);
  });

  it('is found by the sync if no delivery reported it', async () => {
    const repo = scenario('untold-of');
    const sha = await repo.approved('v1.0.0');
    env.outbox.faults.next({ kind: 'lose', event: 'deployment_status' });
    await repo.deploy(sha);
    expect(await repo.gate('v1.0.0')).toMatchObject({ current_stage: 'DEPLOYMENT' });
    await env.resync();
    expect(await repo.gate('v1.0.0')).toMatchObject({ current_stage: 'DEPLOYED', can_deploy: true });
    await env.resync();
    expect(await kindsOf(repo)).toEqual(['release']);
  });

  it('ships the release whose gate was open, if two releases have the same candidate', async () => {
    const repo = scenario('shared-candidate');
    repo.milestone('v1.0.0');
    const second = repo.milestone('v2.0.0');
    const sha = repo.commit();
    await env.waitUntilIdle();
    await repo.test('v1.0.0', sha);
    await repo.test('v2.0.0', sha);
    repo.approve('v2.0.0');
    await env.waitUntilIdle();
    await repo.deploy(sha);
    expect(await kindsOf(repo)).toEqual(['release']);
    expect(await repo.gate(second.title)).toMatchObject({ current_stage: 'DEPLOYED' });
    expect(await repo.gate('v1.0.0')).toMatchObject({ current_stage: 'EVIDENCING', can_deploy: false });
  });
});
