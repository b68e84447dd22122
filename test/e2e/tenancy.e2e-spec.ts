import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { TestEnvironment } from '../support/test-environment.js';
import { RepositoryScenario } from './scenarios/repository-scenario.js';
import { requestGate, postUpload } from './scenarios/service-requests.js';

const VERSION = 'v1.0.0';

/** Two workspaces whose repositories, branches and versions are called the same. */
describe('two workspaces with the same names', () => {
  let env: TestEnvironment;
  let acme: RepositoryScenario;
  let globex: RepositoryScenario;
  let keys: Readonly<Record<'acme' | 'globex', string>>;

  beforeAll(async () => {
    env = await TestEnvironment.start();
    const other = env.github.createOrganization({ login: 'globex' });
    await env.install();
    await env.install(other);
    acme = new RepositoryScenario(env, { name: 'payments' });
    globex = new RepositoryScenario(env, { name: 'payments-api', organization: other });
    globex.repository.rename('payments');
    await env.waitUntilIdle();
    await acme.approved(VERSION);
    globex.milestone(VERSION);
    await env.waitUntilIdle();
    keys = { acme: await env.key(), globex: await env.key(undefined, other) };
  });
  afterAll(() => env.stop());
  afterEach(() => expect(env.violations).toEqual([]));

  it('see only their own release, by token and by key', async () => {
    const query = { repo: 'payments', version: VERSION, explain: 'true' };
    const tokens = { acme: await acme.run(acme.head()).token(), globex: await globex.run(globex.head()).token() };
    for (const bearer of [tokens.acme, keys.acme]) {
      expect(await requestGate(env, bearer, query)).toMatchObject({
        status: 200,
        body: { current_stage: 'DEPLOYMENT', can_deploy: true, candidate_sha: acme.head() },
      });
    }
    for (const bearer of [tokens.globex, keys.globex]) {
      expect(await requestGate(env, bearer, query)).toMatchObject({
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
      const there = await requestGate(env, bearer, { repo, version: VERSION });
      const nowhere = await requestGate(env, bearer, { repo: `${repo}-of-nobody`, version: VERSION });
      expect([there.status, there.body]).toEqual([404, nowhere.body]);
      expect(nowhere.status).toBe(404);
    }
  });

  it('upload only to themselves, also if the body names the other', async () => {
    const body = {
      repo: 'payments',
      version: VERSION,
      pipeline: 'build',
      metrics: { unit_tests: { passed: 2, failed: 0 } },
    };
    const sha = globex.head();
    expect(
      (await postUpload(env, { bearer: keys.globex, body: { ...body, org: 'acme', commit_sha: sha } })).status,
    ).toBe(403);
    expect(
      (await postUpload(env, { bearer: keys.globex, body: { ...body, repo: 'acme/payments', commit_sha: sha } }))
        .status,
    ).toBe(404);
    const { status, body: receipt } = await postUpload(env, {
      bearer: keys.globex,
      body: { ...body, commit_sha: sha },
    });
    expect(status).toBe(201);
    await env.waitUntilIdle();

    const evidenceId = String(receipt['evidenceId']);
    const count = async (organization = env.organization): Promise<number> => {
      const orgId = await env.orgId(organization);
      const rows = await env.database.inTenant(orgId, (tx) =>
        tx.query('select 1 from evidence where id = $1', [evidenceId]),
      );
      return rows.length;
    };
    expect([await count(), await count(globex.repository.owner)]).toEqual([0, 1]);
    expect(await acme.gate(VERSION)).toMatchObject({ can_deploy: true, candidate_sha: acme.head() });
  });

  it('separate requests and responses under one idempotency key', async () => {
    const headers = { 'idempotency-key': 'the-same' };
    const body = { repo: 'payments', version: VERSION, pipeline: 'nightly', metrics: { custom: 1 } };
    const mine = await postUpload(env, { bearer: keys.acme, body: { ...body, commit_sha: acme.head() }, headers });
    const theirs = await postUpload(env, {
      bearer: keys.globex,
      body: { ...body, commit_sha: globex.head() },
      headers,
    });
    expect([mine.status, theirs.status]).toEqual([201, 201]);
    expect(mine.body['evidenceId']).not.toBe(theirs.body['evidenceId']);
    await env.waitUntilIdle();
  });

  it('are distinguished in the events of GitHub too', async () => {
    acme.approve(VERSION, acme.createCollaborator('second-of-acme'));
    globex.repository.issues.create({ title: 'One', milestone: globex.repository.milestones.list()[0] ?? null });
    await env.waitUntilIdle();
    expect(await acme.gate(VERSION)).toMatchObject({ reasons: [], can_deploy: true });
    expect(await globex.gate(VERSION)).toMatchObject({ can_deploy: false });
  });
});
