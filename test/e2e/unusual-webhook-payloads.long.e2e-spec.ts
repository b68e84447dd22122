import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EXAMPLE_COUNT, exampleVariations, type ExampleVariation, type Whom } from '../faults/webhook-examples.js';
import { WebhookFlood } from '../faults/webhook-flood.js';
import { TestEnvironment } from '../support/test-environment.js';
import { RepositoryScenario } from './scenarios/repository-scenario.js';

const SOME = 250;
const STRANGERS: Whom = { installation: { id: 987_654_321 }, repository: { id: 123_456_789 } };

/** Every unchanged example, and an even selection of the variations. `npm run test:faults` posts all of them. */
function sampleOf(whom: Whom): readonly ExampleVariation[] {
  const all = [...exampleVariations(whom)];
  const originals = all.filter(({ name }) => name.endsWith('as it is'));
  expect([originals.length, EXAMPLE_COUNT]).toEqual([329, 329]);
  const step = Math.floor(all.length / SOME);
  return [...originals, ...all.filter((_, index) => index % step === 0)];
}

describe('payloads that GitHub never sends', () => {
  let env: TestEnvironment;
  let flood: WebhookFlood;
  let repo: RepositoryScenario;

  const known = async (): Promise<Whom> => {
    const [row] = await env.asSuperuser<{ id: string }>('select installation_id as id from organization');
    return { installation: { id: Number(row?.id) }, repository: { id: repo.repository.id } };
  };

  beforeAll(async () => {
    env = await TestEnvironment.start({ BILLING: 'off' });
    await env.install();
    repo = new RepositoryScenario(env, { name: 'examples' });
    await repo.approved('v1.0.0');
    flood = new WebhookFlood({
      url: env.baseUrl,
      webhookSecret: env.githubApp.webhookSecret,
      superuserUrl: env.databaseUrls.superuserUrl,
      waitUntilIdle: () => env.waitUntilIdle(),
    });
  });
  afterAll(() => env.stop());

  it('change nothing for an unknown installation', async () => {
    const before = await flood.state();
    expect(Object.keys(before).length).toBeGreaterThan(20);
    expect(await flood.post(sampleOf(STRANGERS))).toEqual([]);
    expect(await flood.troubles()).toEqual([]);
    expect(await flood.state()).toEqual(before);
  });

  it('are processed for a known installation without a dead letter', async () => {
    expect(await flood.post(sampleOf(await known()))).toEqual([]);
    expect(await flood.troubles()).toEqual([]);
    expect(await repo.gate('v1.0.0')).toMatchObject({ can_deploy: true });
  });
});
