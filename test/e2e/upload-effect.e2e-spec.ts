import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { junit } from '../support/ci-run-client.js';
import { TestEnvironment } from '../support/test-environment.js';
import { PLAIN_POLICY, RepositoryScenario } from './scenarios/repository-scenario.js';
import { type Answer, postUpload } from './scenarios/service-requests.js';

const VERSION = 'v1.0.0';
const NOWHERE = 'f'.repeat(40);
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

describe('the receipt of an upload', () => {
  let env: TestEnvironment;
  beforeAll(async () => {
    env = await TestEnvironment.start({ BILLING: 'off' });
    await env.install();
  });
  afterAll(() => env.stop());
  afterEach(() => {
    env.github.faults.clear();
    expect(env.violations).toEqual([]);
  });

  const scenario = async (name: string, sdlc = PLAIN_POLICY): Promise<RepositoryScenario> => {
    const repo = new RepositoryScenario(env, { name, sdlc });
    repo.milestone(VERSION);
    await env.waitUntilIdle();
    return repo;
  };
  const withKey = async (repo: RepositoryScenario, more: object): Promise<Answer> =>
    postUpload(env, {
      bearer: await env.key(),
      body: {
        repo: repo.repository.fullName,
        version: VERSION,
        pipeline: 'build',
        files: [{ filename: 'junit.xml', content: junit(2) }],
        ...more,
      },
    });

  it('says that the first evidence makes its commit the candidate', async () => {
    const repo = await scenario('first');
    const sha = repo.commit();
    await env.waitUntilIdle();
    const { status, body } = await repo.run(sha).uploadTests(VERSION);
    const [release] = await env.asSuperuser<{ id: string }>(
      `select r.id from release r join repository p on p.id = r.repository_id where p.name = 'first'`,
    );
    expect([status, body]).toEqual([
      201,
      {
        evidenceId: expect.any(String),
        message: `Evidence received for ${VERSION} at ${sha.slice(0, 7)}; it counts at the candidate.`,
        commitSha: sha,
        commitSource: 'token',
        candidateSha: sha,
        effect: 'decides',
        releaseUrl: `${env.baseUrl}/w/acme/releases/${release?.id ?? ''}`,
        pieces: expect.any(Array),
      },
    ]);
  });

  it('says that GitHub has no such commit, and stores the evidence', async () => {
    const repo = await scenario('nowhere');
    const sha = repo.commit();
    await repo.test(VERSION, sha);
    const answer = await withKey(repo, { commit_sha: NOWHERE });
    expect(answer).toMatchObject({
      status: 201,
      body: { commitSha: NOWHERE, commitSource: 'stated', candidateSha: sha, effect: 'unknown_commit' },
    });
    expect(answer.body['message']).toBe(
      `Evidence received for ${VERSION} at fffffff; it does not count: GitHub has no such commit.`,
    );
    const ofToken = await repo.run(NOWHERE).uploadTests(VERSION);
    expect(ofToken).toMatchObject({ status: 201, body: { effect: 'unknown_commit', commitSource: 'token' } });
  });

  it('says that the commit is not the candidate, and names the candidate', async () => {
    const repo = await scenario('other');
    const earlier = repo.commit();
    const sha = repo.commit();
    await repo.test(VERSION, sha);
    const side = repo.commit({ branch: 'side' });
    for (const commit of [earlier, side]) {
      const { status, body } = await repo.run(commit).uploadTests(VERSION);
      expect([status, body['effect'], body['candidateSha'], body['message']]).toEqual([
        201,
        'not_the_candidate',
        sha,
        `Evidence received for ${VERSION} at ${commit.slice(0, 7)}; it does not count: the candidate is ${sha.slice(0, 7)}.`,
      ]);
    }
  });

  it('says that the release has no candidate', async () => {
    const repo = await scenario('without');
    const side = repo.commit({ branch: 'side' });
    const { body } = await repo.run(side).uploadTests(VERSION);
    expect(body).toMatchObject({ effect: 'not_the_candidate', candidateSha: null });
  });

  it('says for a repetition what the upload means now', async () => {
    const repo = await scenario('repeated');
    const sha = repo.commit();
    await env.waitUntilIdle();
    const run = repo.run(sha);
    expect((await run.uploadTests(VERSION)).body).toMatchObject({ effect: 'decides' });
    expect((await run.uploadTests(VERSION)).body).toMatchObject({ effect: 'decides' });
    await repo.test(VERSION, sha);
    const replaced = await run.uploadTests(VERSION);
    expect(replaced).toMatchObject({ status: 200, body: { effect: 'superseded', candidateSha: sha } });
    expect(replaced.body['message']).toBe(
      `Evidence was already received for ${VERSION} at ${sha.slice(0, 7)}; it does not count: other evidence counts in place of its "unit_tests".`,
    );
    const next = repo.commit();
    await repo.test(VERSION, next);
    expect(await run.uploadTests(VERSION)).toMatchObject({
      status: 200,
      body: { effect: 'not_the_candidate', commitSha: sha, candidateSha: next },
    });
  });

  it('says that evidence of an earlier attempt or a less proven run is superseded', async () => {
    const repo = await scenario('attempts');
    const sha = repo.commit();
    const run = repo.workflow(sha, 'test');
    run.complete('test', 'failure');
    const first = repo.job(run, 'test');
    run.rerun();
    run.complete('test');
    await env.waitUntilIdle();
    expect((await repo.job(run, 'test').uploadTests(VERSION)).body).toMatchObject({ effect: 'decides' });
    await env.waitUntilIdle();
    expect((await first.uploadTests(VERSION, 3, 1)).body).toMatchObject({ effect: 'superseded' });
  });

  it('says that a document does not count if the policy does not require it', async () => {
    const repo = await scenario('document');
    const sha = repo.commit();
    await repo.test(VERSION, sha);
    const { body } = await repo.run(sha).upload(VERSION, { kind: 'manual', reports: { notes: 'Looks fine.' } });
    expect([body['effect'], body['message']]).toEqual([
      'superseded',
      `Evidence received for ${VERSION} at ${sha.slice(0, 7)}; it does not count: the policy requires no "manual".`,
    ]);
  });

  it('says that evidence of a commit that differs only in the evidence folder counts', async () => {
    const repo = await scenario('equivalent');
    const sha = repo.commit();
    await repo.test(VERSION, sha);
    const merge = repo.repository.commit({ files: { [`.releases/${VERSION}/EVIDENCE.md`]: 'Evidence' } });
    await env.waitUntilIdle();
    const { body } = await repo.run(merge).upload(VERSION, { metrics: { coverage: { line_percent: 80 } } });
    expect(body).toMatchObject({ effect: 'decides', commitSha: merge, candidateSha: sha });
  });

  it('says to which commit an upload with an API key was bound that names none', async () => {
    const repo = await scenario('bound');
    const head = repo.commit();
    await env.waitUntilIdle();
    const first = await withKey(repo, {});
    expect(first).toMatchObject({
      status: 201,
      body: { commitSha: head, commitSource: 'branch_head', candidateSha: head, effect: 'decides' },
    });
    expect(first.body['message']).toBe(
      `Evidence received for ${VERSION} at ${head.slice(0, 7)} (it names no commit, so the head of the development branch was taken); it counts at the candidate.`,
    );
    repo.commit();
    await env.waitUntilIdle();
    const second = await withKey(repo, { pipeline: 'other' });
    expect(second.body).toMatchObject({ commitSha: head, commitSource: 'candidate', effect: 'decides' });
  });

  it('acknowledges evidence while GitHub does not answer, and does not say that it decides', async () => {
    const repo = await scenario('away');
    const sha = repo.commit();
    await repo.test(VERSION, sha);
    env.clock.advance(HOUR_MS);
    env.github.faults.next({ kind: '5xx', match: /\/repos\/acme\/away/, times: 1_000 });
    const { status, body } = await repo.run(sha).uploadTests(VERSION);
    expect([status, body['effect'], body['candidateSha']]).toEqual([201, 'not_the_candidate', null]);
    expect(body['message']).toContain('GitHub did not tell the candidate in time');
    env.github.faults.clear();
    // After repeated failures no call is made for a while.
    env.clock.advance(MINUTE_MS);
    await env.waitUntilIdle();
    expect((await repo.run(sha).uploadTests(VERSION)).body).toMatchObject({ effect: 'decides' });
  });

  it('does not say that GitHub lacks a commit while GitHub does not answer', async () => {
    const repo = await scenario('unchecked');
    const sha = repo.commit();
    await repo.test(VERSION, sha);
    env.github.faults.next({ kind: 'drop', match: /\/repos\/acme\/unchecked\/git\/commits/, times: 1_000 });
    const { body } = await withKey(repo, { commit_sha: NOWHERE });
    expect(body).toMatchObject({ effect: 'not_the_candidate', candidateSha: sha });
    expect(body['message']).toContain('GitHub did not tell in time whether it has the commit');
  });

  it('rejects evidence of a shipped release, and says that a repetition no longer counts', async () => {
    const repo = await scenario('shipped');
    const sha = repo.commit();
    await env.waitUntilIdle();
    const run = repo.run(sha);
    const token = await run.token();
    const again = () => run.upload(VERSION, { files: [{ filename: 'junit.xml', content: junit(2) }] }, token);
    expect(await again()).toMatchObject({ status: 201, body: { effect: 'decides' } });
    await env.waitUntilIdle();
    repo.approve(VERSION);
    await env.waitUntilIdle();
    await repo.gate(VERSION);
    await repo.deploy(sha);
    const repeated = await again();
    expect(repeated).toMatchObject({ status: 200, body: { effect: 'superseded' } });
    expect(repeated.body['message']).toContain('; it does not count: the release is shipped.');
    expect((await repo.run(sha).uploadTests(VERSION)).status).toBe(409);
  });
});
