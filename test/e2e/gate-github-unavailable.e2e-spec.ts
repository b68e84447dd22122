import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { CiRunClient } from '../support/ci-run-client.js';
import { TestEnvironment } from '../support/test-environment.js';
import { RepositoryScenario } from './scenarios/repository-scenario.js';

describe('while GitHub does not answer', () => {
  let env: TestEnvironment;
  beforeAll(async () => {
    env = await TestEnvironment.start();
    await env.install();
  });
  afterAll(() => env.stop());
  afterEach(() => {
    env.github.faults.clear();
    expect(env.violations).toEqual([]);
  });

  const requestGate = async (repo: string, run: CiRunClient): Promise<Response> =>
    fetch(`${await env.app.getUrl()}/api/milestones/check?version=v1.0.0&repo=${repo}`, {
      headers: { authorization: `Bearer ${await run.token()}` },
    });

  it('a gate request for an unknown version gets a 503', async () => {
    const repo = new RepositoryScenario(env, { name: 'away' });
    await env.waitUntilIdle();
    env.outbox.faults.next({ kind: 'lose', event: 'milestone' });
    repo.milestone('v1.0.0');
    await env.waitUntilIdle();
    const run = repo.run(repo.head());
    const request = (): Promise<Response> => requestGate('away', run);
    env.github.faults.next({ kind: '5xx', match: /\/milestones/, times: 6 });
    const refused = await request();
    expect(refused.status).toBe(503);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(Object.keys((await refused.json()) as object)).toEqual(['error']);
    expect((await run.uploadTests('v1.0.0')).status).toBe(503);

    // After six failures at one address the service does not call it for five seconds, although it would respond now.
    env.github.faults.clear();
    const callsBefore = env.exchanges.length;
    expect((await request()).status).toBe(503);
    expect(env.exchanges.slice(callsBefore).filter(({ path }) => path.endsWith('/milestones'))).toEqual([]);
    env.clock.advance(5_000);
    expect((await request()).status).toBe(200);
  });

  it('its pause is logged once when it begins and once when it ends, however often a gate is asked', async () => {
    const repo = new RepositoryScenario(env, { name: 'paused' });
    await env.waitUntilIdle();
    await repo.approved('v1.0.0');
    await env.waitUntilIdle();
    const [before, run] = [env.lines.length, repo.run(repo.head())];
    const logged = (): readonly string[] =>
      env.lines
        .slice(before)
        .flatMap((line) => (line.includes('Facts of installation') || line.includes('A fact could') ? [line] : []));
    env.github.faults.next({ kind: 'secondary-limit', retryAfterS: 60, match: /\/repos\//, times: 1 });
    env.clock.advance(30 * 60_000);
    for (const _ of [1, 2, 3, 4, 5])
      expect(await (await requestGate('paused', run)).json()).toMatchObject({ can_deploy: false });
    expect(logged()).toEqual([expect.stringMatching(/"warn".*to pause until/)]);
    env.clock.advance(61_000);
    expect(await (await requestGate('paused', run)).json()).toMatchObject({ can_deploy: true });
    expect(logged()).toEqual([expect.anything(), expect.stringMatching(/"info".*can be read again/)]);
  });

  it('a gate request for such a version waits only for what is known, and the next one finds it', async () => {
    const repo = new RepositoryScenario(env, { name: 'slow' });
    await env.waitUntilIdle();
    env.outbox.faults.next({ kind: 'lose', event: 'milestone' });
    repo.milestone('v1.0.0');
    await env.waitUntilIdle();
    const run = repo.run(repo.head());
    // In time for a call to GitHub, and too late for a gate request.
    env.github.faults.next({ kind: 'delay', ms: 6_000, match: /\/slow\/milestones/, times: 1 });
    const late = await requestGate('slow', run);
    expect([late.status, Number(late.headers.get('retry-after')) > 0]).toEqual([503, true]);
    while ((await requestGate('slow', run)).status === 503);
    expect((await requestGate('slow', run)).status).toBe(200);
  });
});
