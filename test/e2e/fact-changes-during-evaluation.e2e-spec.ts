import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FactHintsRepository } from '../../src/features/releases/facts/fact-hints.repository.js';
import { FactsService } from '../../src/features/releases/facts/facts.service.js';
import { TestEnvironment } from '../support/test-environment.js';
import { RepositoryScenario } from './scenarios/repository-scenario.js';

describe('a fact that changes during an evaluation', () => {
  let env: TestEnvironment;

  beforeAll(async () => {
    env = await TestEnvironment.start();
    await env.install();
  });
  afterAll(() => env.stop());

  it('invalidates that verdict, although no saved verdict uses the fact yet', async () => {
    const repo = new RepositoryScenario(env, { name: 'raced' });
    repo.milestone('v1.0.0');
    await env.waitUntilIdle();
    const orgId = await env.orgId();
    const sha = repo.head();
    const [release] = await env.asSuperuser<{ id: string; repository_id: string }>(
      `select id, repository_id from release where version = 'v1.0.0'`,
    );
    if (!release) throw new Error('there is no release');

    let finish: () => void = () => undefined;
    const finished = new Promise<void>((resolve) => (finish = resolve));
    let begun: () => void = () => undefined;
    const thinking = new Promise<void>((resolve) => (begun = resolve));
    const evaluation = env.database.inTenant(orgId, async (tx) => {
      await tx.query('select 1 from release where id = $1 for update', [release.id]);
      begun();
      await finished;
      await tx.query(`update release set used_facts = used_facts || $2::text, valid_until = 'infinity' where id = $1`, [
        release.id,
        `checks:${sha}`,
      ]);
    });
    await thinking;
    const readNumber = await env.app.get(FactHintsRepository).next();
    const observed = { kind: 'checks', key: sha, value: [], observedAt: env.clock.now(), readNumber } as const;
    const change = env.database.inTenant(orgId, (tx) =>
      env.app
        .get(FactsService)
        .saveAndInvalidate(tx, release.repository_id, [observed], { cause: 'test', evaluating: release.id }),
    );
    await Promise.race([change, sleep(300)]);
    finish();
    await Promise.all([evaluation, change]);

    expect(
      await env.asSuperuser(`select valid_until = '-infinity' as doubtful from release where id = '${release.id}'`),
    ).toEqual([{ doubtful: true }]);
  });
});
