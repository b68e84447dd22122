import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { ClockWatchService } from '../../src/features/operations/clock-watch.service.js';
import { EventsRepository, type WorkspacePart } from '../../src/events/events.repository.js';
import { ReleaseRefreshService } from '../../src/features/releases/evaluation/release-refresh.service.js';
import { TestEnvironment } from '../support/test-environment.js';
import { type UserSession, signIn } from '../support/user-session.js';
import { EventReader } from './events/event-reader.js';
import { codesOf, RepositoryScenario } from './scenarios/repository-scenario.js';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Longer than the lifetime of any fact. */
const HOUR_MS = 60 * MINUTE_MS;

describe('while the clock of the machine is ahead by mistake', () => {
  let env: TestEnvironment;
  let admin: UserSession;

  beforeAll(async () => {
    env = await TestEnvironment.start({ BILLING: 'off' });
    await env.install();
    admin = await signIn(env, env.github.createUser({ login: 'ada' }), { role: 'admin' });
  });
  afterAll(() => env.stop());
  afterEach(async () => {
    jest.restoreAllMocks();
    await env.app.get(ClockWatchService).compare();
    expect(env.violations).toEqual([]);
  });

  /** Nothing corrects the clock before the test ends. */
  function jump(milliseconds: number): void {
    jest.spyOn(env.app.get(ClockWatchService), 'compareIfDue').mockResolvedValue();
    env.clock.jump(milliseconds);
  }

  const requestGate = async (repo: RepositoryScenario): Promise<Response> =>
    fetch(`${env.baseUrl}/api/milestones/check?version=v1.0.0&repo=${repo.repository.name}&explain=true`, {
      headers: { authorization: `Bearer ${await repo.run(repo.head()).token()}` },
    });

  const releaseId = async ({ repository }: RepositoryScenario): Promise<string> => {
    const [release] = await env.asSuperuser<{ readonly id: string }>(
      `select r.id from release r join repository repo on repo.id = r.repository_id where repo.github_id = ${repository.id}`,
    );
    return release?.id ?? '';
  };

  it('no gate opens, and the answer says when to ask again', async () => {
    const repo = new RepositoryScenario(env, { name: 'frozen' });
    await repo.approved('v1.0.0');
    // Freezes end at the end of a day in UTC. Five minutes before, the facts are younger than the jump.
    const now = env.clock.now().getTime();
    env.clock.advance((Math.floor(now / DAY_MS) + 1) * DAY_MS - 5 * MINUTE_MS - now);
    const today = env.clock.now().toISOString().slice(0, 10);
    admin = await signIn(env, env.github.createUser({ login: 'bea' }), { role: 'admin' });
    const freeze = { from: today, to: today, reason: 'launch' };
    expect((await admin.send('POST', '/api/freezes', freeze)).status).toBe(201);
    expect(codesOf(await repo.gate('v1.0.0'))).toEqual(['freeze']);

    jump(6 * MINUTE_MS);
    const answer = await requestGate(repo);
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await answer.json()).toEqual({ error: expect.stringContaining('clock') });

    await env.app.get(ClockWatchService).compare();
    expect(codesOf(await repo.gate('v1.0.0'))).toEqual(['freeze']);
    env.clock.advance(6 * MINUTE_MS);
    expect(await repo.gate('v1.0.0')).toMatchObject({ can_deploy: true });
  });

  it('no fact that is read gets a time of the future, so a gate that cannot be refreshed closes in time', async () => {
    const repo = new RepositoryScenario(env, { name: 'ahead' });
    await repo.approved('v1.0.0');
    await env.waitUntilIdle();
    jump(HOUR_MS);
    // Reads every fact that can change.
    const cause = { cause: 'test', actor: 'test' };
    const refresh = env.app.get(ReleaseRefreshService).refreshAll(await env.orgId(), await releaseId(repo), cause);
    await expect(refresh).rejects.toMatchObject({ code: 'unavailable' });
    await env.app.get(ClockWatchService).compare();
    expect(await repo.gate('v1.0.0')).toMatchObject({ can_deploy: true });

    env.github.faults.next({ kind: '5xx', match: /\/repos\//, times: 1_000 });
    env.clock.advance(HOUR_MS / 2);
    expect(await repo.gate('v1.0.0')).toMatchObject({ can_deploy: false });
    env.github.faults.clear();
  });

  it('no event gets a time of the future, which would delete the events that a reader has not received', async () => {
    const { cookie } = await signIn(env, env.github.createUser({ login: 'cleo' }));
    const before = await EventReader.open(env.baseUrl, { cookie });
    before.leave();
    const append = async (what: WorkspacePart): Promise<void> => {
      const event = { type: 'workspace.updated', what } as const;
      await env.database.inTenant(await env.orgId(), (tx) => env.app.get(EventsRepository).append(tx, event));
    };
    await append('plan');
    jump(HOUR_MS);
    await append('keys');
    await env.app.get(ClockWatchService).compare();

    const after = await EventReader.open(env.baseUrl, { cookie, lastEventId: before.lastEventId });
    const [first, second] = await after.waitForEvents(2);
    expect([first?.what, second?.what]).toEqual(['plan', 'keys']);
    after.leave();
  });
});
