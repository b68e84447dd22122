import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { RulesetSpec } from '../github-sim/state/rulesets.js';
import { TestEnvironment } from '../support/world.js';
import { DEVELOPMENT, edit, parametersOf, ProtectionScene, RELEASE, rulesetOf } from './scene/protection-scene.js';
import { PLAIN_POLICY, type RepositoryScene } from './scene/repository-scene.js';

const without = (type: string) => (spec: RulesetSpec) => ({
  rules: (spec.rules ?? []).filter((rule) => rule.type !== type),
});
const withParameters = (type: string, parameters: object) => (spec: RulesetSpec) => ({
  rules: (spec.rules ?? []).map((rule) =>
    rule.type === type ? { ...rule, parameters: { ...rule.parameters, ...parameters } } : rule,
  ),
});

describe('rulesets that were set up', () => {
  let world: TestEnvironment;
  let scene: ProtectionScene;
  beforeAll(async () => {
    world = await TestEnvironment.start({ BILLING: 'off' });
    await world.install();
    scene = await ProtectionScene.in(world);
  });
  afterAll(() => world.stop());
  afterEach(() => {
    world.github.faults.clear();
    expect(world.violations).toEqual([]);
  });

  describe('and that somebody changes', () => {
    let repo: RepositoryScene;
    beforeAll(async () => {
      repo = await scene.protected('drifting');
    });

    it.each<[string, RegExp, (spec: RulesetSpec) => Partial<RulesetSpec>]>([
      ['disabled', /is disabled/, () => ({ enforcement: 'disabled' })],
      ['evaluated', /is only evaluated/, () => ({ enforcement: 'evaluate' })],
      ['bypassed', /may be bypassed/, () => ({ bypass_actors: [{ actor_id: 5, actor_type: 'RepositoryRole' }] })],
      ['retargeted', /does not cover/, () => ({ conditions: { ref_name: { include: ['refs/heads/other'] } } })],
      ['unreviewed', /without a pull request/, without('pull_request')],
      ['lenient', /requires 0 approvals/, withParameters('pull_request', { required_approving_review_count: 0 })],
      [
        'forgeable',
        /does not require the check/,
        withParameters('required_status_checks', { required_status_checks: [{ context: 'Shipgate' }] }),
      ],
      ['deletable', /to be deleted/, without('deletion')],
    ])('are told of where one is %s, and mended when an admin asks', async (_, told, change) => {
      const before = scene.writes();
      edit(repo, RELEASE, change);
      await world.settle();
      expect(await scene.row(repo)).toMatchObject({
        status: 'drifted',
        detail: expect.stringMatching(told),
        step: 'complete',
      });
      await scene.order(repo);
      await world.settle();
      expect(await scene.row(repo)).toMatchObject({ status: 'active', detail: null });
      expect(scene.writes()).toBe(before + 1);
    });

    it('are mended by nobody but a person: it may have been one who changed them', async () => {
      const before = scene.writes();
      edit(repo, RELEASE, without('deletion'));
      await scene.sync(repo);
      expect(await scene.status(repo)).toBe('drifted');
      expect(scene.writes()).toBe(before);
    });
  });

  it('are told of where one is deleted while no delivery arrives, and where somebody takes it back', async () => {
    const repo = await scene.protected('lost');
    const { spec } = rulesetOf(repo, DEVELOPMENT);
    world.outbox.faults.next({ kind: 'lose', times: 1 });
    repo.repository.rulesets.delete(rulesetOf(repo, DEVELOPMENT));
    await world.settle();
    await scene.sync(repo);
    expect(await scene.row(repo)).toMatchObject({
      status: 'drifted',
      detail: `The ruleset "${DEVELOPMENT}" is missing.`,
    });
    repo.repository.rulesets.create(spec);
    await world.settle();
    expect(await scene.status(repo)).toBe('active');
  });

  it('stay as they are where somebody made them stricter, and those of others always', async () => {
    const repo = await scene.protected('stricter');
    repo.repository.rulesets.create({
      name: 'Ours',
      enforcement: 'active',
      conditions: { ref_name: { include: ['~ALL'] } },
      rules: [{ type: 'required_linear_history' }],
    });
    edit(repo, RELEASE, withParameters('pull_request', { required_approving_review_count: 3 }));
    edit(repo, RELEASE, ({ rules = [] }) => ({ rules: [...rules, { type: 'required_signatures' }] }));
    await world.settle();
    expect(await scene.status(repo)).toBe('active');
    edit(repo, RELEASE, without('deletion'));
    await scene.order(repo);
    await world.settle();
    expect(parametersOf(repo, RELEASE, 'pull_request')).toMatchObject({ required_approving_review_count: 3 });
    expect(parametersOf(repo, RELEASE, 'required_signatures')).toEqual({});
    expect(rulesetOf(repo, 'Ours').spec.rules).toEqual([{ type: 'required_linear_history' }]);
  });

  it('follow the policy: what it says now is wanted', async () => {
    const repo = await scene.protected('moved-pattern');
    const policy = `${PLAIN_POLICY}  testing: { branch_pattern: "rel/**" }\n`;
    repo.repository.commit({ files: { 'sdlc.yaml': policy } });
    await world.settle();
    expect(await scene.row(repo)).toMatchObject({
      status: 'drifted',
      detail: expect.stringContaining('does not cover refs/heads/rel/**/*'),
    });
    await scene.order(repo);
    await world.settle();
    expect(await scene.status(repo)).toBe('active');
    expect(rulesetOf(repo, RELEASE).spec.conditions?.ref_name?.include).toEqual([
      'refs/heads/rel/**/*',
      'refs/heads/hotfix/**/*',
    ]);
  });
});
