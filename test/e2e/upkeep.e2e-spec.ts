import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { RetentionJobs } from '../../src/features/operations/retention.jobs.js';
import { TestEnvironment } from '../support/world.js';
import { RepositoryScene } from './scene/repository-scene.js';

const DAY_MS = 24 * 3_600_000;

describe('the upkeep', () => {
  let world: TestEnvironment;
  const factsKnown = async (): Promise<readonly string[]> => {
    const rows = await world.database.inTenant(await world.orgId(), (tx) =>
      tx.query<{ readonly fact: string }>(`select kind || ':' || key as fact from observation order by fact`),
    );
    return rows.map(({ fact }) => fact);
  };

  beforeAll(async () => {
    world = await TestEnvironment.start();
    await world.install();
  });
  afterAll(() => world.stop());
  afterEach(() => expect(world.violations).toEqual([]));

  it('forgets what no release rests on any more, a week after it was observed, and nothing else', async () => {
    const repo = new RepositoryScene(world, { name: 'kept' });
    const sha = await repo.approved('v1.0.0');
    const other = repo.repository.commit({ files: { '.releases/notes.md': 'the same candidate' } });
    await world.settle();
    await repo.gate('v1.0.0', { sha: other });
    const asked = `comparison:${sha}...${other}`;
    expect(await factsKnown()).toContain(asked);

    world.clock.advance(6 * DAY_MS);
    await world.app.get(RetentionJobs).deleteExpired();
    const before = await factsKnown();
    expect(before).toContain(asked);
    world.clock.advance(2 * DAY_MS);
    await world.app.get(RetentionJobs).deleteExpired();
    const after = await factsKnown();
    expect(after).not.toContain(asked);
    expect(after).toEqual(expect.arrayContaining(['policy:', 'milestone:1', `refs:${repo.repository.defaultBranch}`]));
    expect(await repo.gate('v1.0.0', { sha: other })).toMatchObject({ can_deploy: true });
  });

  it('leaves a single tally of each repository', async () => {
    const repo = new RepositoryScene(world, { name: 'tallied' });
    await repo.approved('v1.0.0');
    await world.settle();
    const tallies = async (): Promise<number> => {
      const rows = await world.database.inTenant(await world.orgId(), (tx) =>
        tx.query(
          `select from repository_count_change where repository_id in (select id from repository where name = 'tallied')`,
        ),
      );
      return rows.length;
    };
    expect(await tallies()).toBeGreaterThan(1);
    await world.app.get(RetentionJobs).deleteExpired();
    expect(await tallies()).toBe(1);
  });
});
