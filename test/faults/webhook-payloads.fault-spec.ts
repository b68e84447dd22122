import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import { BuiltService } from '../contract/built-service.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { freePort } from '../support/free-port.js';
import type { CiClient } from './ci-client.js';
import { environmentOf, startGitHub, type Host } from './start-github.js';
import { givenReleases, untilOpen } from './open-release.js';
import { exampleVariations, type Whom } from './webhook-examples.js';
import { WebhookFlood } from './webhook-flood.js';
import { JOB_QUEUE_TABLE, JOB_TABLE } from '../../src/database/job-tables.js';

/**
 * Deliveries about one repository are processed one after the other, so all of them about one repository would take
 * hours.
 */
const REPOSITORIES = 32;
const STALLED_MS = 300_000;
const TIDY_MS = 2_000;
/** `SHARD=2/8` posts the second of eight parts, so that the parts can run one after the other or in parallel. */
const [SHARD = 1, SHARDS = 1] = (process.env['SHARD'] ?? '1/1').split('/').map(Number);

describe('every example of GitHub in all of its variations', () => {
  let database: TestDatabase;
  let host: Host;
  let service: BuiltService;
  let flood: WebhookFlood;
  let ci: CiClient;

  const read = <R extends object>(statement: string): Promise<R[]> =>
    withDedicatedClient(database.superuserUrl, async (client) => (await client.query<R>(statement)).rows);

  /** Waits until no job is due any more, as long as the number of due jobs decreases. */
  const waitUntilIdle = async (): Promise<void> => {
    let [least, lessAt] = [Infinity, Date.now()];
    for (let quiet = 0; quiet < 5; await sleep(200)) {
      const [row] = await read<{ due: string }>(
        `select count(*) as due from graphile_worker.jobs
         where run_at < now() + interval '1 second' and attempts < max_attempts`,
      );
      const due = Number(row?.due);
      if (due < least) [least, lessAt] = [due, Date.now()];
      if (due > 0 && Date.now() - lessAt > STALLED_MS) throw new Error(`${due} jobs do not become fewer.`);
      quiet = due === 0 ? quiet + 1 : 0;
    }
  };

  const known = async (): Promise<readonly Whom[]> => {
    const [row] = await read<{ id: string }>('select installation_id as id from organization');
    const repositories = await read<{ id: string }>(
      `select github_id as id from repository where name like 'example-%'`,
    );
    expect(repositories).toHaveLength(REPOSITORIES);
    return repositories.map(({ id }) => ({ installation: { id: Number(row?.id) }, repository: { id: Number(id) } }));
  };

  const postAll = async (what: string, [first, ...others]: readonly Whom[]): Promise<void> => {
    if (!first) throw new Error('The payloads have no target.');
    const all = [...exampleVariations(first, ...others)].filter((_, index) => index % SHARDS === SHARD - 1);
    expect(all.length).toBeGreaterThan(0);
    const began = performance.now();
    // The test server has no autovacuum. Without a vacuum the search for the next job becomes slower with each job.
    const tidying = setInterval(() => {
      void read(`vacuum analyze ${JOB_TABLE}, ${JOB_QUEUE_TABLE}`).catch(() => undefined);
    }, TIDY_MS);
    expect(await flood.post(all)).toEqual([]);
    clearInterval(tidying);
    expect(await flood.troubles()).toEqual([]);
    const seconds = Math.round((performance.now() - began) / 1_000);
    process.stdout.write(`${JSON.stringify({ what, shard: `${SHARD}/${SHARDS}`, posted: all.length, seconds })}\n`);
  };

  beforeAll(async () => {
    const port = await freePort();
    [database, host] = [await createTestDatabase(), await startGitHub(port)];
    const variables = environmentOf(host, database, port);
    // Scheduled work is no effect of a delivery.
    const unhurried = { SYNC_INTERVAL: '24h', REDELIVERY_INTERVAL: '24h' };
    service = await BuiltService.start({ ...variables, ...unhurried, PORT: String(port) });
    for (let index = 0; index < REPOSITORIES; index += 1) {
      host.github.createRepository(host.organization, { name: `example-${index}` });
    }
    ci = await givenReleases(host, service.url, database.superuserUrl);
    await host.outbox.waitUntilIdle();
    await waitUntilIdle();
    const { webhookSecret } = host.app;
    flood = new WebhookFlood({ url: service.url, webhookSecret, superuserUrl: database.superuserUrl, waitUntilIdle });
  });
  afterAll(async () => {
    await service.kill();
    await host.outbox.stop();
    await host.github.stop();
    await database.drop();
  });

  it('changes nothing for an unknown installation', async () => {
    const before = await flood.state();
    const strangers = Array.from({ length: REPOSITORIES }, (_, index) => ({
      installation: { id: 987_654_321 },
      repository: { id: 123_456_789 + index },
    }));
    await postAll('unknown installation', strangers);
    expect(await flood.state()).toEqual(before);
  });

  it('is processed without a dead letter for a known installation', async () => {
    await postAll('known installation', await known());
    await untilOpen(ci);
  });
});
