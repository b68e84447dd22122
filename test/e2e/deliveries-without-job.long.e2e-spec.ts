import { createHmac } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { MissedDeliveriesService } from '../../src/features/webhooks/missed-deliveries.service.js';
import { withLiveWorkerPool } from '../support/live-worker-pool.js';
import { TestEnvironment } from '../support/test-environment.js';
import { RepositoryScenario } from './scenarios/repository-scenario.js';
import { JOB_TABLE } from '../../src/database/job-tables.js';

const OTHER_POOL = 'pool-of-another-process';

describe('a delivery without a job', () => {
  let env: TestEnvironment;
  beforeAll(async () => {
    env = await TestEnvironment.start();
    await env.install();
  });
  afterAll(() => env.stop());
  afterEach(() => expect(env.violations).toEqual([]));

  const statusOf = async (guid: string): Promise<string | undefined> => {
    const rows = await env.asSuperuser<{ guid: string; status: string }>('select guid, status from webhook_delivery');
    return rows.find((row) => row.guid === guid)?.status;
  };

  /** Sends the stored delivery again, as GitHub does for a redelivery. */
  const redeliver = async (guid: string): Promise<void> => {
    const rows = await env.asSuperuser<{ guid: string; event: string; body: string }>(
      'select guid, event, body from webhook_delivery',
    );
    const { event = '', body = '' } = rows.find((row) => row.guid === guid) ?? {};
    const signature = createHmac('sha256', env.githubApp.webhookSecret).update(body).digest('hex');
    await fetch(`${await env.app.getUrl()}/api/webhook`, {
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

  /** Creates a milestone. Returns the GUID of its processed delivery. */
  const deliveredMilestone = async (repo: RepositoryScenario, version: string): Promise<string> => {
    repo.milestone(version);
    await env.waitUntilIdle();
    const [row] = await env.asSuperuser<{ guid: string }>(
      `select guid from webhook_delivery where event = 'milestone' order by received_at desc limit 1`,
    );
    return row?.guid ?? '';
  };

  it.each(['pending', 'dead'])('that is %s is processed when it arrives again', async (status) => {
    const repo = new RepositoryScenario(env, { name: `stranded-${status}` });
    await env.waitUntilIdle();
    const guid = await deliveredMilestone(repo, 'v1.0.0');
    expect(await statusOf(guid)).toBe('done');
    // The state after a process ended in the middle of the last attempt.
    await env.asSuperuser(`update webhook_delivery set status = '${status}' where guid = '${guid}'`);
    await redeliver(guid);
    await env.waitUntilIdle();
    expect(await statusOf(guid)).toBe('done');
  });

  it('is a visible dead letter if its worker stopped during the last attempt', async () => {
    const repo = new RepositoryScenario(env, { name: 'stranded-at-the-last-try' });
    await env.waitUntilIdle();
    const guids = new Map<string, string>();
    await withLiveWorkerPool(env.databaseUrls.superuserUrl, OTHER_POOL, async () => {
      for (const end of ['killed', 'at work', 'to be tried', 'done'] as const) {
        const guid = await deliveredMilestone(repo, `v1.0.${guids.size}`);
        guids.set(end, guid);
        const lock = end === 'at work' ? `locked_at = now(), locked_by = '${OTHER_POOL}',` : '';
        await env.asSuperuser(
          `update webhook_delivery set status = '${end === 'done' ? 'done' : 'pending'}' where guid = '${guid}';
           select graphile_worker.add_job('process-webhook', '{"guid":"${guid}"}', run_at => now() + interval '1 day',
             job_key => 'webhook:${guid}');
           update ${JOB_TABLE} set ${lock} attempts = max_attempts ${end === 'to be tried' ? '- 1' : ''}
           where payload ->> 'guid' = '${guid}'`,
        );
      }
      await env.app.get(MissedDeliveriesService).detectAndRedeliver();
      const states = await Promise.all([...guids].map(async ([end, guid]) => [end, await statusOf(guid)]));
      expect(Object.fromEntries(states)).toEqual({
        killed: 'dead',
        'at work': 'pending',
        'to be tried': 'pending',
        done: 'done',
      });
    });
    await redeliver(guids.get('killed') ?? '');
    await env.waitUntilIdle();
    expect(await statusOf(guids.get('killed') ?? '')).toBe('done');
  });

  it.each([
    ['is left to its new job, which waits for another try', 'pending'],
    ['is done by its new job though it was given up in the same moment', 'dead'],
  ])('that arrived again after its last attempt %s', async (_, meanwhile) => {
    const repo = new RepositoryScenario(env, { name: `came-again-${meanwhile}` });
    await env.waitUntilIdle();
    const guid = await deliveredMilestone(repo, 'v1.0.0');
    // The old job has no key any more, because the new one has it, and remains in the queue.
    await env.asSuperuser(
      `update webhook_delivery set status = '${meanwhile}' where guid = '${guid}';
       select graphile_worker.add_job('process-webhook', '{"guid":"${guid}"}', run_at => now() + interval '1 day');
       update ${JOB_TABLE} set attempts = max_attempts where payload ->> 'guid' = '${guid}';
       select graphile_worker.add_job('process-webhook', '{"guid":"${guid}"}', run_at => now() + interval '1 day',
         job_key => 'webhook:${guid}');`,
    );
    await env.app.get(MissedDeliveriesService).detectAndRedeliver();
    expect(await statusOf(guid)).toBe(meanwhile);
    await env.asSuperuser(
      `select graphile_worker.add_job('process-webhook', '{"guid":"${guid}"}', job_key => 'webhook:${guid}')`,
    );
    await env.waitUntilIdle();
    expect(await statusOf(guid)).toBe('done');
  });
});
