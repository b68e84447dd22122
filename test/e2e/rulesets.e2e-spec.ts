import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { signIn } from '../support/user-session.js';
import { TestEnvironment } from '../support/test-environment.js';
import {
  DEVELOPMENT,
  namesOf,
  parametersOf,
  ProtectionScenario,
  RELEASE,
  rulesetOf,
} from './scenarios/protection-scenario.js';
import { PLAIN_POLICY, RepositoryScenario } from './scenarios/repository-scenario.js';

describe('the rulesets of a repository', () => {
  let env: TestEnvironment;
  let scenario: ProtectionScenario;
  beforeAll(async () => {
    env = await TestEnvironment.start({ BILLING: 'off' });
    await env.install();
    scenario = await ProtectionScenario.in(env);
  });
  afterAll(() => env.stop());
  afterEach(() => {
    env.github.faults.clear();
    expect(env.violations).toEqual([]);
  });

  it('are created at the request of an admin, and hold the branches to the policy', async () => {
    const repo = await scenario.merged('made', {
      sdlc: 'version: v1\nstages:\n  evidencing:\n    required_reviewers: { min_approvals: 2 }\n',
    });
    const answer = await scenario.order(repo);
    expect([answer.status, answer.body]).toEqual([202, { status: 'pending', detail: null }]);
    await env.waitUntilIdle();
    expect(await scenario.row(repo)).toEqual({ status: 'active', detail: null, step: 'complete', tokens: 0 });
    expect(namesOf(repo).toSorted()).toEqual([DEVELOPMENT, RELEASE]);
    expect(rulesetOf(repo, DEVELOPMENT).spec).toMatchObject({
      target: 'branch',
      enforcement: 'active',
      bypass_actors: [],
      conditions: { ref_name: { include: ['~DEFAULT_BRANCH'], exclude: [] } },
    });
    expect(rulesetOf(repo, RELEASE).spec.conditions).toEqual({
      ref_name: { include: ['refs/heads/release/**/*', 'refs/heads/hotfix/**/*'], exclude: [] },
    });
    for (const name of [DEVELOPMENT, RELEASE]) {
      expect(parametersOf(repo, name, 'pull_request')).toMatchObject({
        required_approving_review_count: 2,
        dismiss_stale_reviews_on_push: true,
      });
      expect(parametersOf(repo, name, 'required_status_checks')).toMatchObject({
        required_status_checks: [{ context: 'Shipgate', integration_id: env.githubApp.id }],
        do_not_enforce_on_create: true,
      });
      expect(parametersOf(repo, name, 'non_fast_forward')).toEqual({});
      expect(parametersOf(repo, name, 'deletion')).toEqual({});
    }
    const audit = await env.asSuperuser(
      `select action, actor ->> 'type' as by, data from audit_entry where subject = 'acme/made' order by sequence`,
    );
    expect(audit).toEqual([
      { action: 'protection.requested', by: 'person', data: { withToken: false } },
      {
        action: 'protection.changed',
        by: 'service',
        data: { from: 'pending', to: 'active', detail: null },
      },
    ]);
  });

  it('are not changed if they match the policy, however often it is requested', async () => {
    const repo = await scenario.protected('asked-twice');
    const before = scenario.writes();
    const answers = await Promise.all(Array.from({ length: 50 }, () => scenario.order(repo)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
    await env.waitUntilIdle();
    expect(scenario.writes()).toBe(before);
    expect(await scenario.row(repo)).toMatchObject({ status: 'active', step: 'complete' });
  });

  it('are created once for many requests at once', async () => {
    const repo = await scenario.merged('crowded');
    const before = scenario.writes();
    const answers = await Promise.all(Array.from({ length: 50 }, () => scenario.order(repo)));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 50 }, () => 202));
    await env.waitUntilIdle();
    expect(namesOf(repo).toSorted()).toEqual([DEVELOPMENT, RELEASE]);
    expect(scenario.writes() - before).toBe(2);
    const requested = await env.asSuperuser(
      `select 1 from audit_entry where subject = 'acme/crowded' and action = 'protection.requested'`,
    );
    expect(requested.length).toBeLessThanOrEqual(2);
  });

  it('are limited to admins, for repositories that they can read, after the merge of the bootstrap', async () => {
    const repo = await scenario.merged('guarded');
    const member = await signIn(env, env.github.createUser({ login: 'mia' }));
    expect((await scenario.order(repo, {}, member)).status).toBe(403);
    const elsewhere = env.github.createOrganization({ login: 'globex' });
    await env.install(elsewhere);
    const stranger = await ProtectionScenario.in(env, elsewhere);
    expect((await scenario.order(repo, {}, stranger.admin)).status).toBe(404);
    for (const id of [randomUUID(), 'guarded', '%2e%2e']) {
      expect((await scenario.admin.send('POST', `/api/repos/${id}/configure-rulesets`)).status).toBe(404);
    }
    const privateRepo = new RepositoryScenario(env, { name: 'hushed' });
    await env.waitUntilIdle();
    expect((await scenario.order(privateRepo)).status).toBe(404);
    for (const step of [null, 'closed'] as const) {
      const unmerged = await scenario.merged(`unmerged-${step}`, { step });
      expect((await scenario.order(unmerged)).status).toBe(409);
    }
    for (const body of [{ pat: '' }, { pat: 7 }, { pat: 'two words' }, { pat: 'x'.repeat(256) }, { token: 'x' }]) {
      expect((await scenario.order(repo, body)).status).toBe(400);
    }
    expect(await scenario.row(repo)).toBeNull();
    expect(namesOf(repo)).toEqual([]);
  });

  it('are adopted if a user created one with their name', async () => {
    const repo = await scenario.merged('by-hand');
    repo.repository.rulesets.create({
      name: DEVELOPMENT,
      enforcement: 'disabled',
      rules: [{ type: 'required_signatures' }],
    });
    await scenario.order(repo);
    await env.waitUntilIdle();
    expect(await scenario.status(repo)).toBe('active');
    expect(namesOf(repo).toSorted()).toEqual([DEVELOPMENT, RELEASE]);
    expect(parametersOf(repo, DEVELOPMENT, 'required_signatures')).toEqual({});
  });

  it('are created once the policy is valid', async () => {
    const repo = await scenario.merged('ruleless', { sdlc: 'version: v2\n' });
    await scenario.order(repo);
    await env.waitUntilIdle();
    expect(await scenario.row(repo)).toMatchObject({
      status: 'failed',
      step: 'protection_failed',
      detail: expect.stringContaining('no valid sdlc.yaml'),
    });
    expect(namesOf(repo)).toEqual([]);
    repo.repository.commit({ files: { 'sdlc.yaml': PLAIN_POLICY } });
    await env.waitUntilIdle();
    await scenario.order(repo);
    await env.waitUntilIdle();
    expect(await scenario.row(repo)).toMatchObject({ status: 'active', step: 'complete' });
  });

  it('are only advice on a GitHub plan without them, and can be created after an upgrade', async () => {
    const repo = await scenario.merged('unpaid');
    repo.repository.rulesets.offered = false;
    await scenario.order(repo);
    await env.waitUntilIdle();
    expect(await scenario.row(repo)).toMatchObject({
      status: 'advisory',
      step: 'complete',
      detail: expect.stringContaining('no rulesets for this repository under the plan'),
    });
    const { warnings } = (await scenario.admin.get('/api/config/repo-warnings')).body;
    expect(warnings).toContainEqual(expect.objectContaining({ repo: 'unpaid', code: 'protection_advisory' }));
    repo.repository.rulesets.offered = true;
    await scenario.sync(repo);
    expect(await scenario.status(repo)).toBe('drifted');
    await scenario.order(repo);
    await env.waitUntilIdle();
    expect(await scenario.status(repo)).toBe('active');
  });

  it('block neither the work of the service nor a release', async () => {
    const repo = await scenario.protected('governed');
    const version = 'v1.0.0';
    repo.milestone(version);
    const sha = repo.commit();
    await env.waitUntilIdle();
    await repo.test(version, sha);
    const pull = repo.evidencePull(version);
    expect(() => repo.repository.pulls.merge(pull)).toThrow('approving reviews are required');
    repo.approve(version);
    await env.waitUntilIdle();
    // The check of the service itself has succeeded.
    repo.repository.pulls.merge(pull);
    await env.waitUntilIdle();
    expect(await repo.gate(version)).toMatchObject({ can_deploy: true, evidence_pr_approved: true });
  });

  it('block no earlier pull request', async () => {
    const repo = await scenario.merged('proposed-before');
    env.outbox.faults.next({ kind: 'lose', event: 'pull_request', times: 1 });
    repo.commit({ branch: 'feature' });
    const pull = repo.repository.pulls.open({
      head: 'feature',
      title: 'Add something',
      author: repo.createCollaborator('amos'),
    });
    await env.waitUntilIdle();
    await scenario.order(repo);
    await env.waitUntilIdle();
    repo.repository.pulls.reviews.submit(pull, { by: repo.reviewer, state: 'APPROVED' });
    repo.repository.pulls.merge(pull);
    expect(pull.mergedAt).not.toBeNull();
  });

  it('use none of the rate limit while nothing changes', async () => {
    const repo = await scenario.protected('unchanged');
    await scenario.sync(repo);
    const before = env.exchanges.length;
    await scenario.sync(repo);
    const requested = env.exchanges
      .slice(before)
      .filter(({ path }) => path.includes(`/${repo.repository.name}/rulesets`))
      .map(({ status }) => status);
    expect(requested).toEqual([304, 304, 304]);
  });

  it('are not read if they were never requested', async () => {
    const repo = await scenario.merged('unasked', { step: null });
    repo.repository.rulesets.create({ name: DEVELOPMENT, enforcement: 'disabled' });
    await scenario.sync(repo);
    expect(env.exchanges.filter(({ path }) => path.includes('/unasked/rulesets')).map(({ path }) => path)).toEqual([]);
  });
});
