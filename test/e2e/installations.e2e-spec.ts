import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { TestEnvironment } from '../support/test-environment.js';
import { codesOf, RepositoryScenario } from './scenarios/repository-scenario.js';

describe('an installation', () => {
  let env: TestEnvironment;
  beforeAll(async () => {
    env = await TestEnvironment.start();
  });
  afterAll(() => env.stop());
  afterEach(() => expect(env.violations).toEqual([]));

  it('without a delivery is found by any later delivery', async () => {
    const organization = env.github.createOrganization({ login: 'quiet' });
    const repo = new RepositoryScenario(env, { name: 'quiet', organization });
    env.outbox.faults.next({ kind: 'lose', event: 'installation' });
    env.github.installApp(env.githubApp, organization);
    await env.waitUntilIdle();
    repo.milestone('v1.0.0');
    await env.waitUntilIdle();
    expect(await repo.gate('v1.0.0')).toMatchObject({ current_stage: 'PLANNING', can_deploy: false });
  });

  it('with one more repository reads only that repository', async () => {
    const organization = env.github.createOrganization({ login: 'growing' });
    new RepositoryScenario(env, { name: 'first', organization }).milestone('v1.0.0');
    env.github.installApp(env.githubApp, organization);
    await env.waitUntilIdle();
    const before = env.exchanges.length;
    const second = new RepositoryScenario(env, { name: 'second', organization });
    second.milestone('v2.0.0');
    await env.waitUntilIdle();
    expect(await second.gate('v2.0.0')).toMatchObject({ current_stage: 'PLANNING' });
    const read = env.exchanges.slice(before).map(({ path }) => path);
    expect(read.filter((path) => path.startsWith('/repos/growing/second/'))).not.toEqual([]);
    expect(read.filter((path) => path.startsWith('/repos/growing/first/'))).toEqual([]);
  });

  it('is recorded by the service each time it is suspended, resumed and deleted', async () => {
    const organization = env.github.createOrganization({ login: 'fickle' });
    const installation = env.github.installApp(env.githubApp, organization);
    await env.waitUntilIdle();
    const orgId = await env.orgId(organization);
    installation.suspend();
    await env.waitUntilIdle();
    // A state that is already known is not recorded again.
    await env.resync();
    installation.unsuspend();
    await env.waitUntilIdle();
    installation.delete();
    await env.waitUntilIdle();
    await env.resync();
    const entries = await env.database.inTenant(orgId, (tx) =>
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

  it('that is recreated under another id continues the former one', async () => {
    const organization = env.github.createOrganization({ login: 'again' });
    const repo = new RepositoryScenario(env, { name: 'again', organization });
    const installation = env.github.installApp(env.githubApp, organization);
    await env.waitUntilIdle();
    const sha = await repo.approved('v1.0.0');
    installation.delete();
    await env.waitUntilIdle();
    env.clock.advance(1_800_000);
    expect(await repo.gate('v1.0.0')).toMatchObject({ can_deploy: false });
    env.outbox.faults.next({ kind: 'lose', event: 'installation' });
    env.github.installApp(env.githubApp, organization);
    repo.repository.issues.create({ title: 'Something', milestone: null });
    await env.waitUntilIdle();
    expect(await repo.gate('v1.0.0', { sha })).toMatchObject({ can_deploy: true });
  });

  it('reserves no more repositories than the plan allows, even if repositories are added and removed', async () => {
    const organization = env.github.createOrganization({ login: 'crowd' });
    const repos = ['one', 'two', 'three', 'four'].map(
      (name) => new RepositoryScenario(env, { name: `crowd-${name}`, organization }),
    );
    const [first, , , fourth] = repos;
    if (!first || !fourth) throw new Error('there are four');
    const installation = env.github.installApp(env.githubApp, organization, {
      repositories: repos.slice(0, 3).map(({ repository }) => repository),
    });
    await env.waitUntilIdle();
    installation.removeRepositories([first.repository]);
    await env.waitUntilIdle();
    installation.addRepositories([fourth.repository]);
    await env.waitUntilIdle();
    await fourth.approved('v1.0.0');
    expect(await fourth.gate('v1.0.0')).toMatchObject({ can_deploy: true });
    installation.addRepositories([first.repository]);
    await env.waitUntilIdle();
    await first.approved('v1.0.0');
    const answer = await first.gate('v1.0.0');
    expect(codesOf(answer)).toEqual(['plan_limit']);
    expect(answer).toMatchObject({ can_deploy: false });
  });
});
