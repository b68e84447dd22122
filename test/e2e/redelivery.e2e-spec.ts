import { createHmac, randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { RetentionJobs } from '../../src/features/operations/retention.jobs.js';
import { MissedDeliveriesService } from '../../src/features/webhooks/missed-deliveries.service.js';
import { TestEnvironment } from '../support/world.js';
import { RepositoryScene } from './scene/repository-scene.js';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const ATTEMPT = /^\/app\/hook\/deliveries\/\d+\/attempts$/;

interface Kept {
  readonly guid: string;
  readonly event: string;
  readonly status: string;
}

describe('deliveries that were missed', () => {
  let world: TestEnvironment;
  let scenes = 0;
  let repo: RepositoryScene;

  beforeAll(async () => {
    world = await TestEnvironment.start({ BILLING: 'off' });
    await world.install();
  });
  beforeEach(async () => {
    scenes += 1;
    repo = new RepositoryScene(world, { name: `missed-${scenes}` });
    await repo.approved('v1.0.0');
    await look();
  });
  afterAll(() => world.stop());
  afterEach(() => {
    world.outbox.faults.clear();
    world.github.faults.clear();
    expect(world.violations).toEqual([]);
  });

  /** A round of the schedule, some minutes later. */
  const look = async (minutes = 5): Promise<void> => {
    world.clock.advance(minutes * MINUTE_MS);
    await world.app.get(MissedDeliveriesService).detectAndRedeliver();
    await world.settle();
  };
  const dismiss = async (): Promise<void> => {
    const [review] = repo.evidencePull('v1.0.0').reviews;
    if (!review) throw new Error('nobody has approved');
    repo.repository.pulls.reviews.dismiss(review);
    await world.settle();
  };
  const inbox = (): Promise<readonly Kept[]> =>
    world.asSuperuser<Kept>('select guid, event, status from webhook_delivery order by received_at, guid');
  const missed = (): Promise<readonly { guid: string; asked: number }[]> =>
    world.asSuperuser('select guid, redelivery_count as asked from missed_delivery');
  const asked = (): number =>
    world.exchanges.filter(({ method, path }) => method === 'POST' && ATTEMPT.test(path)).length;
  const newest = (): { readonly guid: string; readonly event: string } => {
    const [delivery] = world.outbox.list(world.githubApp.id) as { guid: string; event: string }[];
    if (!delivery) throw new Error('nothing was delivered');
    return delivery;
  };

  it('are asked for again, and then do what they would have done', async () => {
    world.outbox.faults.next({ kind: 'drop' });
    await dismiss();
    const { guid } = newest();
    expect((await inbox()).map((row) => row.guid)).not.toContain(guid);
    await look();
    expect((await inbox()).find((row) => row.guid === guid)).toMatchObject({ status: 'done' });
    expect(await repo.gate('v1.0.0')).toMatchObject({ can_deploy: false, evidence_pr_approved: false });
  });

  it('are found though GitHub says that they arrived', async () => {
    await dismiss();
    const { guid } = newest();
    // Acknowledged, and lost with a disk.
    await world.asSuperuser(`delete from webhook_delivery where guid = '${guid}'`);
    await look();
    expect((await inbox()).find((row) => row.guid === guid)).toMatchObject({ status: 'done' });
    await look();
    expect(await missed()).toEqual([]);
  });

  it('are looked for as far back as the last look reached, over many pages', async () => {
    const lost: string[] = [];
    world.outbox.faults.next({ kind: 'drop', event: 'issues' });
    repo.repository.issues.create({ title: 'One' });
    await world.settle();
    lost.push(newest().guid);
    for (let more = 0; more < 230; more += 1) repo.repository.issues.create({ title: 'More' });
    await world.settle();
    const before = world.exchanges.length;
    await look();
    const pages = world.exchanges.slice(before).filter(({ path }) => path === '/app/hook/deliveries');
    expect(pages.length).toBeGreaterThanOrEqual(3);
    expect((await inbox()).filter(({ guid }) => lost.includes(guid))).toHaveLength(1);
    await look(15);
    const settled = world.exchanges.length;
    await look();
    const again = world.exchanges.slice(settled).filter(({ path }) => path === '/app/hook/deliveries');
    expect(again).toHaveLength(1);
  });

  it('are asked for eight times at most, each time after twice the time', async () => {
    world.outbox.faults.next({ kind: 'drop', times: 1_000 });
    await dismiss();
    const before = asked();
    await look();
    expect(asked() - before).toBe(1);
    for (const [times, minutes] of [5, 10, 20, 40, 80, 160, 320].entries()) {
      if (minutes > 5) await look(minutes - 5);
      expect([minutes, asked() - before]).toEqual([minutes, times + 1]);
      await look();
      expect([minutes, asked() - before]).toEqual([minutes, times + 2]);
    }
    for (const minutes of [5, 635, 160]) await look(minutes);
    expect(asked() - before).toBe(8);
    expect(await missed()).toMatchObject([{ asked: 8 }]);
    world.clock.advance(2 * DAY_MS);
    await look();
    expect(await missed()).toEqual([]);
  });

  it('are none where a delivery was ignored or too large: its GUID is kept, for eight days', async () => {
    const guids = { star: randomUUID(), push: randomUUID() };
    await post('star', guids.star, '{}');
    await post('push', guids.push, JSON.stringify({ filler: 'x'.repeat(1_100_000) }));
    const kept = async (): Promise<readonly string[]> =>
      (await inbox()).map(({ guid }) => guid).filter((guid) => guid === guids.star || guid === guids.push);
    world.clock.advance(8 * DAY_MS - 5 * MINUTE_MS);
    await world.app.get(RetentionJobs).deleteExpired();
    expect(await kept()).toHaveLength(2);
    world.clock.advance(6 * MINUTE_MS);
    await world.app.get(RetentionJobs).deleteExpired();
    expect(await kept()).toEqual([]);
  });

  it('that GitHub keeps no longer are given up', async () => {
    world.outbox.faults.next({ kind: 'drop' });
    await dismiss();
    world.github.faults.next({ kind: '5xx', status: 422, match: /attempts$/ });
    await look();
    expect(await missed()).toEqual([]);
  });

  it('wait for a host that does not answer, and revive what was given up', async () => {
    await dismiss();
    const { guid } = newest();
    await world.asSuperuser(`update webhook_delivery set status = 'dead' where guid = '${guid}'`);
    world.outbox.faults.next({ kind: 'drop' });
    repo.repository.issues.create({ title: 'Another' });
    await world.settle();
    world.github.faults.next({ kind: '5xx', status: 502, match: /^GET \/app\/hook\/deliveries/, times: 10 });
    await expect(look()).rejects.toThrow(/502/);
    world.github.faults.clear();
    await look();
    expect((await inbox()).map((row) => row.guid)).toContain(newest().guid);
    // A dead letter is not missing; an operator who has it delivered again revives it.
    expect((await inbox()).find((row) => row.guid === guid)).toMatchObject({ status: 'dead' });
    const deliveries = world.outbox.list(world.githubApp.id) as { id: number; guid: string }[];
    world.outbox.redeliver(world.githubApp.id, deliveries.find((one) => one.guid === guid)?.id ?? 0);
    await world.settle();
    expect((await inbox()).find((row) => row.guid === guid)).toMatchObject({ status: 'done' });
  });

  const post = async (event: string, guid: string, body: string): Promise<void> => {
    const signature = createHmac('sha256', world.githubApp.webhookSecret).update(body).digest('hex');
    const response = await fetch(`${await world.app.getUrl()}/api/webhook`, {
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
