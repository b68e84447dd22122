import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { TenantTransaction } from '../../src/database/database.js';
import { EvidencePullsRepository } from '../../src/features/releases/records/evidence-pulls.repository.js';
import { type JsonAnswer, type UserSession, signIn } from '../support/user-session.js';
import { TestEnvironment } from '../support/test-environment.js';
import { ScopeScenario } from './scenarios/scope-scenario.js';

const MINUTE_MS = 60_000;
/** Longer than the time in which the service does not read a value again. */
const MOMENT_MS = 6_000;
/** The response has a retry time, so the service calls again afterwards. */
const AWAY = { kind: '5xx', status: 503, retryAfterS: 30 } as const;
const VERSIONS = ['v1.0.0', 'v1.1.0', 'v1.2.0', 'v1.3.0'];

let env: TestEnvironment;
let scenario: ScopeScenario;
let ada: UserSession;

beforeAll(async () => {
  env = await TestEnvironment.start();
  scenario = new ScopeScenario(env, { name: 'ledger', sdlc: 'version: v1\n' });
  await env.install();
  for (const version of VERSIONS) scenario.milestone(version);
  const sha = scenario.commit();
  await env.waitUntilIdle();
  for (const version of VERSIONS) expect((await scenario.run(sha).uploadTests(version)).status).toBe(201);
  await env.waitUntilIdle();
  ada = await signIn(env, env.github.createUser({ login: 'ada' }));
});
afterAll(() => env.stop());
afterEach(() => {
  env.github.faults.clear();
  expect(env.violations).toEqual([]);
});

const reopen = async (version: string): Promise<JsonAnswer> =>
  ada.send('POST', `/api/milestones/${await scenario.id(version)}/evidence-pr`);

describe('an evidence pull request that was closed without a merge', () => {
  it('is reopened on request, and needs new approvals', async () => {
    const first = scenario.evidencePull('v1.0.0');
    expect(await reopen('v1.0.0')).toMatchObject({
      status: 409,
      body: { error: expect.stringContaining('not closed') },
    });
    scenario.approve('v1.0.0');
    scenario.repository.pulls.close(first);
    await env.waitUntilIdle();
    expect((await scenario.gate('v1.0.0')).can_deploy).toBe(false);

    const { status, body } = await reopen('v1.0.0');
    expect([status, body]).toEqual([202, { milestoneId: await scenario.id('v1.0.0'), status: 'opening' }]);
    await env.waitUntilIdle();
    const second = scenario.evidencePull('v1.0.0');
    expect([second.number > first.number, second.issue.state]).toEqual([true, 'open']);
    expect((await scenario.gate('v1.0.0')).can_deploy).toBe(false);
    scenario.approve('v1.0.0');
    await env.waitUntilIdle();
    expect(await scenario.gate('v1.0.0')).toMatchObject({ can_deploy: true, evidence_pr_approved: true });
    expect(
      await env.asSuperuser(
        `select actor ->> 'login' as by, (data ->> 'closedNumber')::int as number from audit_entry
         where action = 'evidence_pull.reopened'`,
      ),
    ).toEqual([{ by: 'ada', number: first.number }]);
    expect((await reopen('v1.0.0')).status).toBe(409);
  });

  it('is reopened once for all requests at the same time, also if no delivery reported that it was closed', async () => {
    const first = scenario.evidencePull('v1.1.0');
    env.outbox.faults.next({ kind: 'lose', event: 'pull_request', times: 2 });
    scenario.repository.pulls.close(first);
    await env.waitUntilIdle();
    env.clock.advance(MOMENT_MS);
    const answers = await Promise.all(Array.from({ length: 5 }, () => reopen('v1.1.0')));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([202, 409, 409, 409, 409]);
    await env.waitUntilIdle();
    const opened = scenario.repository.pulls.list().filter(({ headRef }) => headRef === first.headRef);
    expect(opened).toHaveLength(2);
  });

  it('counts again if a user reopened it on GitHub meanwhile', async () => {
    const pull = scenario.evidencePull('v1.2.0');
    scenario.repository.pulls.close(pull);
    await env.waitUntilIdle();
    env.outbox.faults.next({ kind: 'lose', event: 'pull_request', times: 1 });
    env.github.faults.next({ ...AWAY, match: /^GET \/repos\/.*\/pulls\/\d+$/, times: 6 });
    env.clock.advance(MOMENT_MS);
    scenario.repository.pulls.reopen(pull);
    expect((await reopen('v1.2.0')).status).toBe(202);
    env.github.faults.clear();
    env.clock.advance(MINUTE_MS);
    await env.hurry();
    expect(scenario.evidencePull('v1.2.0').number).toBe(pull.number);
    scenario.approve('v1.2.0');
    await env.waitUntilIdle();
    expect((await scenario.gate('v1.2.0')).can_deploy).toBe(true);
  });

  it('is replaced by another one, and never by an earlier one that was not merged', async () => {
    const pull = scenario.evidencePull('v1.3.0');
    // For example into a branch that was the development branch at that time.
    await env.asSuperuser(
      `insert into evidence_pull_request (org_id, id, release_id, repository_id, number, url, branch, base_ref, head_sha,
         commit_shas, files, candidate_sha, evidence_set_digest, opened_at, updated_at)
       select org_id, gen_random_uuid(), release_id, repository_id, 9999, url, branch, 'elsewhere', head_sha, commit_shas,
         files, candidate_sha, evidence_set_digest, opened_at - interval '1 h', updated_at
       from evidence_pull_request where release_id = '${await scenario.id('v1.3.0')}'`,
    );
    scenario.repository.pulls.close(pull);
    await env.waitUntilIdle();
    expect((await reopen('v1.3.0')).status).toBe(202);
    await env.waitUntilIdle();
    expect(scenario.evidencePull('v1.3.0').number).toBeGreaterThan(pull.number);
  });

  it('is checked later if GitHub does not return its state', async () => {
    env.clock.advance(MOMENT_MS);
    env.github.faults.next({ ...AWAY, match: /^GET \/repos\//, times: 1_000 });
    const { status, headers } = await reopen('v1.3.0');
    expect([status, Number(headers.get('retry-after')) > 0]).toEqual([503, true]);
    env.github.faults.clear();
    env.clock.advance(MINUTE_MS);
    await env.hurry();
  });

  it('is not reopened if the release is not in EVIDENCING, or is cancelled', async () => {
    const milestone = scenario.milestone('v1.4.0');
    await env.waitUntilIdle();
    expect(await reopen('v1.4.0')).toMatchObject({ status: 409, body: { error: expect.stringContaining('PLANNING') } });
    scenario.repository.milestones.close(milestone);
    await env.waitUntilIdle();
    expect(await reopen('v1.4.0')).toMatchObject({
      status: 409,
      body: { error: expect.stringContaining('cancelled') },
    });
  });

  it('stays closed if a job had read it as open before, and counts if a job reads it as open afterwards', async () => {
    const [orgId, releaseId] = [await env.orgId(), await scenario.id('v1.1.0')];
    const repositories = `select repository_id as id from release where id = '${releaseId}'`;
    const [{ id: repositoryId } = { id: '' }] = await env.asSuperuser<{ id: string }>(repositories);
    const { number, headRef: branch, headSha } = scenario.evidencePull('v1.1.0');
    const place = { releaseId, repositoryId, number, url: 'https://github.test/pull', branch, baseRef: 'main' };
    const content = { headSha, files: [], candidateSha: headSha, setDigest: 'of this set' };
    const [pulls, now] = [env.app.get(EvidencePullsRepository, { strict: false }), env.clock.now()];
    const write = (meanwhile: (tx: TenantTransaction) => Promise<void>): Promise<readonly unknown[]> =>
      env.database.inTenant(orgId, async (tx) => {
        const givenUp = await pulls.createPendingCommit(tx, { releaseId, branch, sha: headSha }, now);
        await meanwhile(tx);
        await pulls.record(tx, { ...place, ...content, givenUp }, now);
        return tx.query(`select abandoned_at from evidence_pull_request where release_id = $1 and number = $2`, [
          releaseId,
          number,
        ]);
      });
    expect(await write((tx) => pulls.markAbandoned(tx, releaseId, number, now))).toEqual([{ abandoned_at: now }]);
    expect(await write(async () => undefined)).toEqual([{ abandoned_at: null }]);
  });
});
