import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { TestEnvironment } from '../support/world.js';
import { codesOf, RepositoryScene } from './scene/repository-scene.js';

describe('an installation', () => {
  let world: TestEnvironment;
  beforeAll(async () => {
    world = await TestEnvironment.start();
  });
  afterAll(() => world.stop());
  afterEach(() => expect(world.violations).toEqual([]));

  it('that nobody told of is found by whatever it sends', async () => {
    const organization = world.github.createOrganization({ login: 'quiet' });
    const repo = new RepositoryScene(world, { name: 'quiet', organization });
    world.outbox.faults.next({ kind: 'lose', event: 'installation' });
    world.github.installApp(world.githubApp, organization);
    await world.settle();
    repo.milestone('v1.0.0');
    await world.settle();
    expect(await repo.gate('v1.0.0')).toMatchObject({ current_stage: 'PLANNING', can_deploy: false });
  });

  it('that is given one repository more has that one read, and no other', async () => {
    const organization = world.github.createOrganization({ login: 'growing' });
    new RepositoryScene(world, { name: 'first', organization }).milestone('v1.0.0');
    world.github.installApp(world.githubApp, organization);
    await world.settle();
    const before = world.exchanges.length;
    const second = new RepositoryScene(world, { name: 'second', organization });
    second.milestone('v2.0.0');
    await world.settle();
    expect(await second.gate('v2.0.0')).toMatchObject({ current_stage: 'PLANNING' });
    const read = world.exchanges.slice(before).map(({ path }) => path);
    expect(read.filter((path) => path.startsWith('/repos/growing/second/'))).not.toEqual([]);
    expect(read.filter((path) => path.startsWith('/repos/growing/first/'))).toEqual([]);
  });

  it('that is suspended, given back and deleted is written down each time, by the service', async () => {
    const organization = world.github.createOrganization({ login: 'fickle' });
    const installation = world.github.installApp(world.githubApp, organization);
    await world.settle();
    const orgId = await world.orgId(organization);
    installation.suspend();
    await world.settle();
    // What is known already is not written down again.
    await world.resync();
    installation.unsuspend();
    await world.settle();
    installation.delete();
    await world.settle();
    await world.resync();
    const entries = await world.database.inTenant(orgId, (tx) =>
      tx.query('select actor, action, subject, data from audit_entry order by sequence'),
    );
    const entry = (action: string, reason: string): object => ({
      actor: { type: 'service' },
      action: `installation.${action}`,
      subject: 'fickle',
      data: { installationId: installation.id, reason },
    });
    expect(entries).toEqual([
      entry('unlinked', 'suspended'),
      entry('linked', 'unsuspended'),
      entry('unlinked', 'uninstalled'),
    ]);
  });

  it('that is made again under another number goes on where the one before ended', async () => {
    const organization = world.github.createOrganization({ login: 'again' });
    const repo = new RepositoryScene(world, { name: 'again', organization });
    const installation = world.github.installApp(world.githubApp, organization);
    await world.settle();
    const sha = await repo.approved('v1.0.0');
    installation.delete();
    await world.settle();
    world.clock.advance(1_800_000);
    expect(await repo.gate('v1.0.0')).toMatchObject({ can_deploy: false });
    world.outbox.faults.next({ kind: 'lose', event: 'installation' });
    world.github.installApp(world.githubApp, organization);
    repo.repository.issues.create({ title: 'Something', milestone: null });
    await world.settle();
    expect(await repo.gate('v1.0.0', { sha })).toMatchObject({ can_deploy: true });
  });

  it('gives no more repositories a place than the plan has, though they come and go', async () => {
    const organization = world.github.createOrganization({ login: 'crowd' });
    const repos = ['one', 'two', 'three', 'four'].map(
      (name) => new RepositoryScene(world, { name: `crowd-${name}`, organization }),
    );
    const [first, , , fourth] = repos;
    if (!first || !fourth) throw new Error('there are four');
    const installation = world.github.installApp(world.githubApp, organization, {
      repositories: repos.slice(0, 3).map(({ repository }) => repository),
    });
    await world.settle();
    installation.removeRepositories([first.repository]);
    await world.settle();
    installation.addRepositories([fourth.repository]);
    await world.settle();
    await fourth.approved('v1.0.0');
    expect(await fourth.gate('v1.0.0')).toMatchObject({ can_deploy: true });
    installation.addRepositories([first.repository]);
    await world.settle();
    await first.approved('v1.0.0');
    const answer = await first.gate('v1.0.0');
    expect(codesOf(answer)).toEqual(['plan_limit']);
    expect(answer).toMatchObject({ can_deploy: false });
  });
});
