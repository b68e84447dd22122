import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { TestEnvironment } from '../support/world.js';
import { RepositoryScene } from './scene/repository-scene.js';
import { askGate, postUpload } from './scene/service-requests.js';

const VERSION = 'v1.0.0';

/** Two workspaces whose repositories, branches and versions are called the same. */
describe('two workspaces with the same names', () => {
  let world: TestEnvironment;
  let acme: RepositoryScene;
  let globex: RepositoryScene;
  let keys: Readonly<Record<'acme' | 'globex', string>>;

  beforeAll(async () => {
    world = await TestEnvironment.start();
    const other = world.github.createOrganization({ login: 'globex' });
    await world.install();
    await world.install(other);
    acme = new RepositoryScene(world, { name: 'payments' });
    globex = new RepositoryScene(world, { name: 'payments-api', organization: other });
    globex.repository.rename('payments');
    await world.settle();
    await acme.approved(VERSION);
    globex.milestone(VERSION);
    await world.settle();
    keys = { acme: await world.key(), globex: await world.key(undefined, other) };
  });
  afterAll(() => world.stop());
  afterEach(() => expect(world.violations).toEqual([]));

  it('see their own release each, by token and by key', async () => {
    const question = { repo: 'payments', version: VERSION, explain: 'true' };
    const tokens = { acme: await acme.run(acme.head()).token(), globex: await globex.run(globex.head()).token() };
    for (const bearer of [tokens.acme, keys.acme]) {
      expect(await askGate(world, bearer, question)).toMatchObject({
        status: 200,
        body: { current_stage: 'DEPLOYMENT', can_deploy: true, candidate_sha: acme.head() },
      });
    }
    for (const bearer of [tokens.globex, keys.globex]) {
      expect(await askGate(world, bearer, question)).toMatchObject({
        status: 200,
        body: { current_stage: 'PLANNING', can_deploy: false, candidate_sha: null },
      });
    }
  });

  it('do not see that the other one has anything', async () => {
    const tokens = { acme: await acme.run(acme.head()).token(), globex: await globex.run(globex.head()).token() };
    for (const [bearer, repo] of [
      [tokens.acme, 'globex/payments'],
      [keys.acme, 'globex/payments'],
      [tokens.globex, 'acme/payments'],
      [keys.globex, 'acme/payments'],
    ] as const) {
      const there = await askGate(world, bearer, { repo, version: VERSION });
      const nowhere = await askGate(world, bearer, { repo: `${repo}-of-nobody`, version: VERSION });
      expect([there.status, there.body]).toEqual([404, nowhere.body]);
      expect(nowhere.status).toBe(404);
    }
  });

  it('upload to themselves, also where the body names the other', async () => {
    const body = {
      repo: 'payments',
      version: VERSION,
      pipeline: 'build',
      metrics: { unit_tests: { passed: 2, failed: 0 } },
    };
    const sha = globex.head();
    expect(
      (await postUpload(world, { bearer: keys.globex, body: { ...body, org: 'acme', commit_sha: sha } })).status,
    ).toBe(403);
    expect(
      (await postUpload(world, { bearer: keys.globex, body: { ...body, repo: 'acme/payments', commit_sha: sha } }))
        .status,
    ).toBe(404);
    const { status, body: receipt } = await postUpload(world, {
      bearer: keys.globex,
      body: { ...body, commit_sha: sha },
    });
    expect(status).toBe(201);
    await world.settle();

    const evidenceId = String(receipt['evidenceId']);
    const count = async (organization = world.organization): Promise<number> => {
      const orgId = await world.orgId(organization);
      const rows = await world.database.inTenant(orgId, (tx) =>
        tx.query('select 1 from evidence where id = $1', [evidenceId]),
      );
      return rows.length;
    };
    expect([await count(), await count(globex.repository.owner)]).toEqual([0, 1]);
    expect(await acme.gate(VERSION)).toMatchObject({ can_deploy: true, candidate_sha: acme.head() });
  });

  it('keep apart what is asked and answered under one idempotency key', async () => {
    const headers = { 'idempotency-key': 'the-same' };
    const body = { repo: 'payments', version: VERSION, pipeline: 'nightly', metrics: { custom: 1 } };
    const mine = await postUpload(world, { bearer: keys.acme, body: { ...body, commit_sha: acme.head() }, headers });
    const theirs = await postUpload(world, {
      bearer: keys.globex,
      body: { ...body, commit_sha: globex.head() },
      headers,
    });
    expect([mine.status, theirs.status]).toEqual([201, 201]);
    expect(mine.body['evidenceId']).not.toBe(theirs.body['evidenceId']);
    await world.settle();
  });

  it('are told apart by the host’s events as well', async () => {
    acme.approve(VERSION, acme.person('second-of-acme'));
    globex.repository.issues.create({ title: 'One', milestone: globex.repository.milestones.list()[0] ?? null });
    await world.settle();
    expect(await acme.gate(VERSION)).toMatchObject({ reasons: [], can_deploy: true });
    expect(await globex.gate(VERSION)).toMatchObject({ can_deploy: false });
  });
});
