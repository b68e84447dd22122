import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RepositoryScene } from '../e2e/scene/repository-scene.js';
import { World } from '../support/world.js';
import { exampleVariations } from './webhook-examples.js';
import { WebhookFlood } from './webhook-flood.js';

describe('every example of GitHub in all of its variations', () => {
  let world: World;
  let flood: WebhookFlood;
  let repo: RepositoryScene;

  beforeAll(async () => {
    world = await World.start({ BILLING: 'off' });
    await world.install();
    repo = new RepositoryScene(world, { name: 'examples' });
    await repo.approved('v1.0.0');
    flood = new WebhookFlood(world);
  });
  afterAll(() => world.stop());

  it('changes nothing where it is about an installation that nobody knows', async () => {
    const before = await flood.state();
    const strangers = { installation: { id: 987_654_321 }, repository: { id: 123_456_789 } };
    expect(await flood.post(exampleVariations(strangers))).toEqual([]);
    expect(await flood.troubles()).toEqual([]);
    expect(await flood.state()).toEqual(before);
  });

  it('is followed without a dead letter where it is about the installation', async () => {
    expect(await flood.post(exampleVariations(await flood.known(repo.repository)))).toEqual([]);
    expect(await flood.troubles()).toEqual([]);
    expect(await repo.gate('v1.0.0')).toMatchObject({ can_deploy: true });
  });
});
