import { createHmac } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { World } from '../support/world.js';
import { RepositoryScene } from './scene/repository-scene.js';

describe('a delivery whose job is gone', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.start();
    await world.install();
  });
  afterAll(() => world.stop());
  afterEach(() => expect(world.violations).toEqual([]));

  const statusOf = async (guid: string): Promise<string | undefined> => {
    const rows = await world.asSuperuser<{ guid: string; status: string }>('select guid, status from webhook_delivery');
    return rows.find((row) => row.guid === guid)?.status;
  };

  /** Sends what was kept of the delivery once more, as GitHub does when it is asked to. */
  const redeliver = async (guid: string): Promise<void> => {
    const rows = await world.asSuperuser<{ guid: string; event: string; body: string }>(
      'select guid, event, body from webhook_delivery',
    );
    const { event = '', body = '' } = rows.find((row) => row.guid === guid) ?? {};
    const signature = createHmac('sha256', world.githubApp.webhookSecret).update(body).digest('hex');
    await fetch(`${await world.app.getUrl()}/api/webhook`, {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/json',
        'x-github-event': event,
        'x-github-delivery': guid,
        'x-hub-signature-256': `sha256=${signature}`,
      },
    });
  };

  it.each(['pending', 'dead'])('and that is %s is processed when it comes again', async (status) => {
    const repo = new RepositoryScene(world, { name: `stranded-${status}` });
    await world.settle();
    repo.milestone('v1.0.0');
    await world.settle();
    const [row] = await world.asSuperuser<{ guid: string }>(
      `select guid from webhook_delivery where event = 'milestone' order by received_at desc limit 1`,
    );
    const guid = row?.guid ?? '';
    expect(await statusOf(guid)).toBe('done');
    // As when the process ended in the middle of the last try.
    await world.asSuperuser(`update webhook_delivery set status = '${status}' where guid = '${guid}'`);
    await redeliver(guid);
    await world.settle();
    expect(await statusOf(guid)).toBe('done');
  });
});
