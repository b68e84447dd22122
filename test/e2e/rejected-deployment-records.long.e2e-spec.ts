import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import { type JsonAnswer, signIn } from '../support/user-session.js';
import { TestEnvironment } from '../support/test-environment.js';
import type { OverrideScenario } from './scenarios/override-scenario.js';
import { ManualDeploymentScenario, VERSION } from './scenarios/manual-deployment-scenario.js';

const MINUTE_MS = 60_000;
const NOWHERE = '6f0d1c52-3b7a-4e8f-9a51-0c2d4e6f8a1b';

let env: TestEnvironment;
let recording: ManualDeploymentScenario;

beforeAll(async () => {
  env = await TestEnvironment.start({ BILLING: 'off' });
  await env.install();
  recording = await ManualDeploymentScenario.in(env);
});
afterAll(() => env.stop());
afterEach(() => {
  env.github.faults.clear();
  expect(env.violations).toEqual([]);
});

const statusOf = async (answer: Promise<JsonAnswer>): Promise<number> => (await answer).status;

describe('a deployment record is rejected', () => {
  /** Releases that are not shipped at the end. */
  let open: OverrideScenario;
  let closed: OverrideScenario;
  beforeAll(async () => {
    [open, closed] = [recording.scenarioOf('open'), recording.scenarioOf('closed')];
    await open.approved(VERSION);
    await closed.evidencing(VERSION);
  });
  afterEach(async () => {
    expect([await recording.historyOf('open'), await recording.historyOf('closed')]).toEqual([[], []]);
    expect(
      (await env.asSuperuser(`select from release where shipped_at is not null and id = '${await open.id()}'`)).length,
    ).toBe(0);
  });

  it('while the gate is closed, with the reasons', async () => {
    const { status, body } = await recording.record(closed);
    expect([status, body]).toEqual([
      409,
      { error: expect.stringMatching(/^The gate of v1\.0\.0 is closed\. .*approv/) },
    ]);
    expect(await recording.stageOf(closed)).toBe('EVIDENCING');
  });

  it('for a cancelled release', async () => {
    const [milestone] = closed.repository.milestones.list();
    if (milestone) closed.repository.milestones.close(milestone);
    await env.waitUntilIdle();
    expect(await recording.record(closed)).toMatchObject({
      status: 409,
      body: { error: expect.stringContaining('closed') },
    });
  });

  it.each(['staging', 'productions', ' production'])(
    'for a deployment to "%s", which is not the target',
    async (environment) => {
      const { status, body } = await recording.record(open, { environment });
      expect([status, body]).toEqual([422, { error: expect.stringContaining('production') }]);
    },
  );

  it('while GitHub does not return the state of the release', async () => {
    // Longer than the lifetime of a permission, and shorter than that of a membership.
    env.clock.advance(6 * MINUTE_MS);
    env.github.faults.next({ kind: '5xx', status: 503, times: 1_000 });
    const answer = await recording.record(open);
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '10']);
    env.github.faults.clear();
    // The service does not call GitHub for this long after failures.
    env.clock.advance(2 * MINUTE_MS);
    expect(await recording.stageOf(open)).toBe('DEPLOYMENT');
  });

  it('for users without permission', async () => {
    const member = await signIn(env, env.github.createUser({ login: 'mia' }));
    const organization = env.github.createOrganization({ login: 'foreign' });
    await env.install(organization);
    const eve = await open.admin('eve', organization);
    expect(await statusOf(recording.record(open, {}, member))).toBe(403);
    expect(await statusOf(recording.record(open, {}, eve))).toBe(404);
    open.repository.changeVisibility('private');
    await env.waitUntilIdle();
    expect(await statusOf(recording.record(open))).toBe(404);
    open.repository.changeVisibility('public');
    await env.waitUntilIdle();
  });

  it('for a user who is no longer an admin when it is saved', async () => {
    const flo = await open.admin('flo');
    const answer = await withDedicatedClient(env.databaseUrls.superuserUrl, async (client) => {
      await client.query('begin');
      await client.query(`update member set role = 'member' where person = $1`, [flo.user.id]);
      const requested = recording.record(open, {}, flo);
      await waitsForLock(client);
      await client.query('commit');
      return requested;
    });
    expect(answer.status).toBe(403);
    expect(await recording.stageOf(open)).toBe('DEPLOYMENT');
  });
});

describe('the request of an admin', () => {
  it.each([
    {},
    { milestoneId: 'v1.0.0' },
    { milestoneId: null },
    { deployedAt: null },
    { deployedAt: '2026-05-04' },
    { deployedAt: '2026-05-04T10:00:00' },
    { deployedAt: '2026-02-30T10:00:00Z' },
    { deployedAt: '2026-05-04T23:59:60Z' },
    { deployedAt: 1_777_000_000 },
    { environment: null },
    { environment: '' },
    { environment: 'x'.repeat(256) },
    { note: null },
    { note: ' ' },
    { note: 'two\nlines' },
    { note: 'x'.repeat(501) },
    { kind: 'release' },
    { approvers: ['ada'] },
  ])('is rejected if it is %j', async (changes) => {
    const known = 'milestoneId' in changes || Object.keys(changes).length === 0 ? {} : { milestoneId: NOWHERE };
    const { status, body } = await recording.ada.send('POST', '/api/history', { ...known, ...changes });
    expect([status, body]).toEqual([400, { error: expect.any(String) }]);
  });

  it('is rejected for an unknown release', async () => {
    expect(await statusOf(recording.ada.send('POST', '/api/history', { milestoneId: NOWHERE }))).toBe(404);
  });
});

/** Waits until a statement waits for the lock of the client. */
async function waitsForLock(client: Client): Promise<void> {
  for (;;) {
    // Otherwise a transaction gets the statistics of its first read again.
    await client.query('select pg_stat_clear_snapshot()');
    const { rowCount } = await client.query(
      `select from pg_stat_activity where pg_backend_pid() = any(pg_blocking_pids(pid))`,
    );
    if (rowCount !== null && rowCount > 0) return;
    await sleep(20);
  }
}
