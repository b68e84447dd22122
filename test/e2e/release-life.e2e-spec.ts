import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { CiRunClient } from '../support/ci-run.js';
import { TestEnvironment } from '../support/world.js';

const SDLC = 'version: v1\nstages:\n  evidencing:\n    required_evidence: [{ kind: unit_tests }]\n';

describe('the life of a release', () => {
  let world: TestEnvironment;
  beforeAll(async () => {
    world = await TestEnvironment.start();
  });
  afterAll(() => world.stop());
  afterEach(() => expect(world.violations).toEqual([]));

  it('goes from a milestone to a shipped release, and the gate opens only in between', async () => {
    const { github, organization } = world;
    const repository = github.createRepository(organization, {
      name: 'payments',
      files: { 'sdlc.yaml': SDLC, 'a.ts': '1' },
    });
    await world.install();
    const reviewer = github.createUser({ login: 'rita' });
    organization.addMember(reviewer);
    repository.setCollaborator(reviewer, 'write');
    const milestone = repository.milestones.create({ title: 'v1.0.0' });
    await world.settle();

    const sha = repository.commit({ files: { 'a.ts': '2' } });
    const ci = new CiRunClient(world, repository, { sha });
    expect(await ci.gate('v1.0.0')).toMatchObject({ current_stage: 'PLANNING', can_deploy: false });

    expect(await ci.uploadTests('v1.0.0')).toMatchObject({ status: 201 });
    await world.settle();
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
    await world.settle();
    expect(await ci.gate('v1.0.0', { sha })).toMatchObject({
      current_stage: 'DEPLOYMENT',
      evidence_pr_approved: true,
      can_deploy: true,
      reasons: [],
    });

    world.clock.advance(5_000);
    const deployment = repository.deployments.create({ ref: sha, environment: 'production' });
    repository.deployments.setStatus(deployment, 'success');
    await world.settle();
    expect(await ci.gate('v1.0.0')).toMatchObject({ current_stage: 'DEPLOYED', can_deploy: true });
    expect(milestone.state).toBe('open');
    expect(await ci.uploadTests('v1.0.0', 4)).toMatchObject({ status: 409 });
  });
});
