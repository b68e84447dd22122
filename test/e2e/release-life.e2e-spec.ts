import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { CiRunClient } from '../support/ci-run-client.js';
import { TestEnvironment } from '../support/test-environment.js';

const SDLC = 'version: v1\nstages:\n  evidencing:\n    required_evidence: [{ kind: unit_tests }]\n';

describe('the life of a release', () => {
  let env: TestEnvironment;
  beforeAll(async () => {
    env = await TestEnvironment.start();
  });
  afterAll(() => env.stop());
  afterEach(() => expect(env.violations).toEqual([]));

  it('goes from a milestone to a shipped release, and the gate is open only in between', async () => {
    const { github, organization } = env;
    const repository = github.createRepository(organization, {
      name: 'payments',
      files: { 'sdlc.yaml': SDLC, 'a.ts': '1' },
    });
    await env.install();
    const reviewer = github.createUser({ login: 'rita' });
    organization.addMember(reviewer);
    repository.setCollaborator(reviewer, 'write');
    const milestone = repository.milestones.create({ title: 'v1.0.0' });
    await env.waitUntilIdle();

    const sha = repository.commit({ files: { 'a.ts': '2' } });
    const ci = new CiRunClient(env, repository, { sha });
    expect(await ci.gate('v1.0.0')).toMatchObject({ current_stage: 'PLANNING', can_deploy: false });

    expect(await ci.uploadTests('v1.0.0')).toMatchObject({ status: 201 });
    await env.waitUntilIdle();
    expect(await ci.gate('v1.0.0')).toMatchObject({
      current_stage: 'EVIDENCING',
      tests_passing: true,
      evidence_pr_approved: false,
      can_deploy: false,
      candidate_sha: sha,
      reasons: [expect.objectContaining({ code: 'approvals_missing' })],
    });

    const pull = repository.pulls.list().find(({ headRef }) => headRef === 'shipgate/evidence/v1.0.0');
    if (!pull) throw new Error('there is no evidence pull request');
    repository.pulls.reviews.submit(pull, { by: reviewer, state: 'APPROVED' });
    await env.waitUntilIdle();
    expect(await ci.gate('v1.0.0', { sha })).toMatchObject({
      current_stage: 'DEPLOYMENT',
      evidence_pr_approved: true,
      can_deploy: true,
      reasons: [],
    });

    env.clock.advance(5_000);
    const deployment = repository.deployments.create({ ref: sha, environment: 'production' });
    repository.deployments.setStatus(deployment, 'success');
    await env.waitUntilIdle();
    expect(await ci.gate('v1.0.0')).toMatchObject({ current_stage: 'DEPLOYED', can_deploy: true });
    expect(milestone.state).toBe('open');
    expect(await ci.uploadTests('v1.0.0', 4)).toMatchObject({ status: 409 });
  });
});
