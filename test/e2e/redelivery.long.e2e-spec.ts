import { createHmac, randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { RetentionJobs } from '../../src/features/operations/retention.jobs.js';
import { MissedDeliveriesService } from '../../src/features/webhooks/missed-deliveries.service.js';
import { TestEnvironment } from '../support/test-environment.js';
import { RepositoryScenario } from './scenarios/repository-scenario.js';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const ATTEMPT = /^\/app\/hook\/deliveries\/\d+\/attempts$/;

interface StoredDelivery {
  readonly guid: string;
  readonly event: string;
  readonly status: string;
}

describe('deliveries that were missed', () => {
  let env: TestEnvironment;
  let scenarios = 0;
  let repo: RepositoryScenario;

  beforeAll(async () => {
    env = await TestEnvironment.start({ BILLING: 'off' });
    await env.install();
  });
  beforeEach(async () => {
    scenarios += 1;
    repo = new RepositoryScenario(env, { name: `missed-${scenarios}` });
    await repo.approved('v1.0.0');
    await checkDeliveries();
  });
  afterAll(() => env.stop());
  afterEach(() => {
    env.outbox.faults.clear();
    env.github.faults.clear();
    expect(env.violations).toEqual([]);
  });

  /** Runs the scheduled search, some minutes later. */
  const checkDeliveries = async (minutes = 5): Promise<void> => {
    env.clock.advance(minutes * MINUTE_MS);
    await env.app.get(MissedDeliveriesService).detectAndRedeliver();
    await env.waitUntilIdle();
  };
  const dismiss = async (): Promise<void> => {
    const [review] = repo.evidencePull('v1.0.0').reviews;
    if (!review) throw new Error('there is no approval');
    repo.repository.pulls.reviews.dismiss(review);
    await env.waitUntilIdle();
  };
  const inbox = (): Promise<readonly StoredDelivery[]> =>
    env.asSuperuser<StoredDelivery>('select guid, event, status from webhook_delivery order by received_at, guid');
  const missed = (): Promise<readonly { guid: string; asked: number }[]> =>
    env.asSuperuser('select guid, redelivery_count as asked from missed_delivery');
  const requested = (): number =>
    env.exchanges.filter(({ method, path }) => method === 'POST' && ATTEMPT.test(path)).length;
  const newest = (): { readonly guid: string; readonly event: string } => {
    const [delivery] = env.outbox.list(env.githubApp.id) as { guid: string; event: string }[];
    if (!delivery) throw new Error('nothing was delivered');
    return delivery;
  };

  it('are requested again, and then have their usual effect', async () => {
    env.outbox.faults.next({ kind: 'drop' });
    await dismiss();
    const { guid } = newest();
    expect((await inbox()).map((row) => row.guid)).not.toContain(guid);
    await checkDeliveries();
    expect((await inbox()).find((row) => row.guid === guid)).toMatchObject({ status: 'done' });
    expect(await repo.gate('v1.0.0')).toMatchObject({ can_deploy: false, evidence_pr_approved: false });
  });

  it('are found though GitHub reports them as delivered', async () => {
    await dismiss();
    const { guid } = newest();
    // The state after a loss of data: the delivery was acknowledged and is not stored.
    await env.asSuperuser(`delete from webhook_delivery where guid = '${guid}'`);
    await checkDeliveries();
    expect((await inbox()).find((row) => row.guid === guid)).toMatchObject({ status: 'done' });
    await checkDeliveries();
    expect(await missed()).toEqual([]);
  });

  it('are searched as far back as the last scan reached, over many pages', async () => {
    const lost: string[] = [];
    env.outbox.faults.next({ kind: 'drop', event: 'issues' });
    repo.repository.issues.create({ title: 'One' });
    await env.waitUntilIdle();
    lost.push(newest().guid);
    for (let more = 0; more < 230; more += 1) repo.repository.issues.create({ title: 'More' });
    await env.waitUntilIdle();
    const before = env.exchanges.length;
    await checkDeliveries();
    const pages = env.exchanges.slice(before).filter(({ path }) => path === '/app/hook/deliveries');
    expect(pages.length).toBeGreaterThanOrEqual(3);
    expect((await inbox()).filter(({ guid }) => lost.includes(guid))).toHaveLength(1);
    await checkDeliveries(15);
    const callsBefore = env.exchanges.length;
    await checkDeliveries();
    const again = env.exchanges.slice(callsBefore).filter(({ path }) => path === '/app/hook/deliveries');
    expect(again).toHaveLength(1);
  });

  it('are requested at most eight times, each time after twice the delay', async () => {
    env.outbox.faults.next({ kind: 'drop', times: 1_000 });
    await dismiss();
    const before = requested();
    await checkDeliveries();
    expect(requested() - before).toBe(1);
    for (const [times, minutes] of [5, 10, 20, 40, 80, 160, 320].entries()) {
      if (minutes > 5) await checkDeliveries(minutes - 5);
      expect([minutes, requested() - before]).toEqual([minutes, times + 1]);
      await checkDeliveries();
      expect([minutes, requested() - before]).toEqual([minutes, times + 2]);
    }
    for (const minutes of [5, 635, 160]) await checkDeliveries(minutes);
    expect(requested() - before).toBe(8);
    expect(await missed()).toMatchObject([{ asked: 8 }]);
    env.clock.advance(2 * DAY_MS);
    await checkDeliveries();
    expect(await missed()).toEqual([]);
  });

  it('do not include ignored or too large deliveries, whose GUIDs are stored for eight days', async () => {
    const guids = { star: randomUUID(), push: randomUUID() };
    await post('star', guids.star, '{}');
    await post('push', guids.push, JSON.stringify({ filler: 'x'.repeat(1_100_000) }));
    const listStored = async (): Promise<readonly string[]> =>
      (await inbox()).map(({ guid }) => guid).filter((guid) => guid === guids.star || guid === guids.push);
    env.clock.advance(8 * DAY_MS - 5 * MINUTE_MS);
    await env.app.get(RetentionJobs).deleteExpired();
    expect(await listStored()).toHaveLength(2);
    env.clock.advance(6 * MINUTE_MS);
    await env.app.get(RetentionJobs).deleteExpired();
    expect(await listStored()).toEqual([]);
  });

  it('that GitHub no longer stores are given up', async () => {
    env.outbox.faults.next({ kind: 'drop' });
    await dismiss();
    env.github.faults.next({ kind: '5xx', status: 422, match: /attempts$/ });
    await checkDeliveries();
    expect(await missed()).toEqual([]);
  });

  it('wait for GitHub while it does not answer, and include deliveries that were given up', async () => {
    await dismiss();
    const { guid } = newest();
    await env.asSuperuser(`update webhook_delivery set status = 'dead' where guid = '${guid}'`);
    env.outbox.faults.next({ kind: 'drop' });
    repo.repository.issues.create({ title: 'Another' });
    await env.waitUntilIdle();
    env.github.faults.next({ kind: '5xx', status: 502, match: /^GET \/app\/hook\/deliveries/, times: 10 });
    await expect(checkDeliveries()).rejects.toThrow(/502/);
    env.github.faults.clear();
    await checkDeliveries();
    expect((await inbox()).map((row) => row.guid)).toContain(newest().guid);
    // A dead letter does not count as missing. A redelivery by an operator processes it again.
    expect((await inbox()).find((row) => row.guid === guid)).toMatchObject({ status: 'dead' });
    const deliveries = env.outbox.list(env.githubApp.id) as { id: number; guid: string }[];
    env.outbox.redeliver(env.githubApp.id, deliveries.find((one) => one.guid === guid)?.id ?? 0);
    await env.waitUntilIdle();
    expect((await inbox()).find((row) => row.guid === guid)).toMatchObject({ status: 'done' });
  });

  const post = async (event: string, guid: string, body: string): Promise<void> => {
    const signature = createHmac('sha256', env.githubApp.webhookSecret).update(body).digest('hex');
    const response = await fetch(`${await env.app.getUrl()}/api/webhook`, {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/json',
        'x-github-event': event,
        'x-github-delivery': guid,
        'x-hub-signature-256': `sha256=${signature}`,
      },
    });
    expect(response.status).toBe(202);
  };
});
