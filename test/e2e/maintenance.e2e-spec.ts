import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { RetentionJobs } from '../../src/features/operations/retention.jobs.js';
import { TestEnvironment } from '../support/test-environment.js';
import { RepositoryScenario } from './scenarios/repository-scenario.js';

const DAY_MS = 24 * 3_600_000;

describe('the maintenance', () => {
  let env: TestEnvironment;
  const factsKnown = async (): Promise<readonly string[]> => {
    const rows = await env.database.inTenant(await env.orgId(), (tx) =>
      tx.query<{ readonly fact: string }>(`select kind || ':' || key as fact from observation order by fact`),
    );
    return rows.map(({ fact }) => fact);
  };

  beforeAll(async () => {
    env = await TestEnvironment.start();
    await env.install();
  });
  afterAll(() => env.stop());
  afterEach(() => expect(env.violations).toEqual([]));

  it('deletes facts that no release uses, a week after they were observed, and nothing else', async () => {
    const repo = new RepositoryScenario(env, { name: 'kept' });
    const sha = await repo.approved('v1.0.0');
    const other = repo.repository.commit({ files: { '.releases/notes.md': 'the same candidate' } });
    await env.waitUntilIdle();
    await repo.gate('v1.0.0', { sha: other });
    const requested = `comparison:${sha}...${other}`;
    expect(await factsKnown()).toContain(requested);

    env.clock.advance(6 * DAY_MS);
    await env.app.get(RetentionJobs).deleteExpired();
    const before = await factsKnown();
    expect(before).toContain(requested);
    env.clock.advance(2 * DAY_MS);
    await env.app.get(RetentionJobs).deleteExpired();
    const after = await factsKnown();
    expect(after).not.toContain(requested);
    expect(after).toEqual(expect.arrayContaining(['policy:', 'milestone:1', `refs:${repo.repository.defaultBranch}`]));
    expect(await repo.gate('v1.0.0', { sha: other })).toMatchObject({ can_deploy: true });
  });

  it('compacts the counts of each repository into one row', async () => {
    const repo = new RepositoryScenario(env, { name: 'tallied' });
    await repo.approved('v1.0.0');
    await env.waitUntilIdle();
    const tallies = async (): Promise<number> => {
      const rows = await env.database.inTenant(await env.orgId(), (tx) =>
        tx.query(
          `select from repository_count_change where repository_id in (select id from repository where name = 'tallied')`,
        ),
      );
      return rows.length;
    };
    expect(await tallies()).toBeGreaterThan(1);
    await env.app.get(RetentionJobs).deleteExpired();
    expect(await tallies()).toBe(1);
  });
});
