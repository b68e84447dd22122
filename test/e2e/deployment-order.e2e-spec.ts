import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { TestEnvironment } from '../support/world.js';
import { RepositoryScene } from './scene/repository-scene.js';

const FIVE_MINUTES_MS = 300_000;

describe('what was deployed before it was decided, or unseen', () => {
  let world: TestEnvironment;
  const scene = (name: string): RepositoryScene => new RepositoryScene(world, { name });

  const kindsOf = async ({ repository }: RepositoryScene): Promise<readonly string[]> => {
    const rows = await world.database.inTenant(await world.orgId(), (tx) =>
      tx.query<{ readonly kind: string }>(
        `select kind from deployment_record where repository_id = (select id from repository where github_id = $1)
         order by recorded_at`,
        [repository.id],
      ),
    );
    return rows.map(({ kind }) => kind);
  };

  beforeAll(async () => {
    world = await TestEnvironment.start({ BILLING: 'off' });
    await world.install();
  });
  afterAll(() => world.stop());
  afterEach(() => {
    jest.restoreAllMocks();
    world.github.faults.clear();
    expect(world.violations).toEqual([]);
  });

  it.each([
    { whose: 'ahead of', lead: FIVE_MINUTES_MS },
    { whose: 'behind', lead: -30_000 },
  ])(
    'ships nothing that began before the approval, though the host’s clock is $whose ours',
    async ({ whose, lead }) => {
      const repo = scene(`early-${whose.slice(0, 2)}`);
      const sha = await repo.evidencing('v1.0.0');
      // The service keeps its own time; everything that the host says is of another one from here on.
      jest.spyOn(world.github.world, 'now').mockImplementation(() => new Date(world.clock.now().getTime() + lead));
      const deployment = repo.repository.deployments.create({ ref: sha, environment: 'production' });
      world.clock.advance(10_000);
      repo.approve('v1.0.0');
      await world.settle();
      expect(await repo.gate('v1.0.0')).toMatchObject({ can_deploy: true });
      repo.repository.deployments.setStatus(deployment, 'success');
      await world.settle();
      expect(await kindsOf(repo)).toEqual(['ungoverned']);

      await repo.deploy(sha);
      expect(await kindsOf(repo)).toEqual(['ungoverned', 'release']);
    },
  );

  it('waits until the host tells how the deployed commit differs, and ships then', async () => {
    const repo = scene('untold');
    await repo.approved('v1.0.0');
    const same = repo.repository.commit({ files: { '.releases/notes.md': 'kept with the evidence' } });
    await world.settle();
    world.github.faults.next({ kind: '5xx', match: /\/compare\//, times: 3 });
    await repo.deploy(same);
    expect(await kindsOf(repo)).toEqual([]);
    world.github.faults.clear();
    for (let tries = 0; tries < 100 && (await kindsOf(repo)).length === 0; tries += 1) await sleep(100);
    expect(await kindsOf(repo)).toEqual(['release']);
  });

  it('is found by the sync where no delivery told of it', async () => {
    const repo = scene('untold-of');
    const sha = await repo.approved('v1.0.0');
    world.outbox.faults.next({ kind: 'lose', event: 'deployment_status' });
    await repo.deploy(sha);
    expect(await repo.gate('v1.0.0')).toMatchObject({ current_stage: 'DEPLOYMENT' });
    await world.resync();
    expect(await repo.gate('v1.0.0')).toMatchObject({ current_stage: 'DEPLOYED', can_deploy: true });
    await world.resync();
    expect(await kindsOf(repo)).toEqual(['release']);
  });

  it('ships the release whose gate stood open, where two have the same candidate', async () => {
    const repo = scene('shared-candidate');
    repo.milestone('v1.0.0');
    const second = repo.milestone('v2.0.0');
    const sha = repo.commit();
    await world.settle();
    await repo.test('v1.0.0', sha);
    await repo.test('v2.0.0', sha);
    repo.approve('v2.0.0');
    await world.settle();
    await repo.deploy(sha);
    expect(await kindsOf(repo)).toEqual(['release']);
    expect(await repo.gate(second.title)).toMatchObject({ current_stage: 'DEPLOYED' });
    expect(await repo.gate('v1.0.0')).toMatchObject({ current_stage: 'EVIDENCING', can_deploy: false });
  });
});
