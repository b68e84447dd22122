import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { CiRunClient } from '../support/ci-run.js';
import { TestEnvironment } from '../support/world.js';
import { RepositoryScene } from './scene/repository-scene.js';

describe('while the code host does not answer', () => {
  let world: TestEnvironment;
  beforeAll(async () => {
    world = await TestEnvironment.start();
    await world.install();
  });
  afterAll(() => world.stop());
  afterEach(() => {
    world.github.faults.clear();
    expect(world.violations).toEqual([]);
  });

  const askGate = async (repo: string, run: CiRunClient): Promise<Response> =>
    fetch(`${await world.app.getUrl()}/api/milestones/check?version=v1.0.0&repo=${repo}`, {
      headers: { authorization: `Bearer ${await run.token()}` },
    });

  it('who asks about a version that only the host may know is told to come back', async () => {
    const repo = new RepositoryScene(world, { name: 'away' });
    await world.settle();
    world.outbox.faults.next({ kind: 'lose', event: 'milestone' });
    repo.milestone('v1.0.0');
    await world.settle();
    const run = repo.run(repo.head());
    const ask = (): Promise<Response> => askGate('away', run);
    world.github.faults.next({ kind: '5xx', match: /\/milestones/, times: 6 });
    const refused = await ask();
    expect(refused.status).toBe(503);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(Object.keys((await refused.json()) as object)).toEqual(['error']);
    expect((await run.uploadTests('v1.0.0')).status).toBe(503);

    // Six failures at one address: it is left alone for five seconds, although it would answer by now.
    world.github.faults.clear();
    const asked = world.exchanges.length;
    expect((await ask()).status).toBe(503);
    expect(world.exchanges.slice(asked).filter(({ path }) => path.endsWith('/milestones'))).toEqual([]);
    world.clock.advance(5_000);
    expect((await ask()).status).toBe(200);
  });

  it('who asks about such a version waits no longer than for what is known, and finds it the next time', async () => {
    const repo = new RepositoryScene(world, { name: 'slow' });
    await world.settle();
    world.outbox.faults.next({ kind: 'lose', event: 'milestone' });
    repo.milestone('v1.0.0');
    await world.settle();
    const run = repo.run(repo.head());
    // It would answer in time for a call, and too late for a gate.
    world.github.faults.next({ kind: 'delay', ms: 6_000, match: /\/slow\/milestones/, times: 1 });
    const late = await askGate('slow', run);
    expect([late.status, Number(late.headers.get('retry-after')) > 0]).toEqual([503, true]);
    while ((await askGate('slow', run)).status === 503);
    expect((await askGate('slow', run)).status).toBe(200);
  });
});
