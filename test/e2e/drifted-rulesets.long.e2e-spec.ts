import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { RulesetSpec } from '../github-sim/state/rulesets.js';
import { TestEnvironment } from '../support/test-environment.js';
import {
  DEVELOPMENT,
  edit,
  parametersOf,
  ProtectionScenario,
  RELEASE,
  rulesetOf,
} from './scenarios/protection-scenario.js';
import { PLAIN_POLICY, type RepositoryScenario } from './scenarios/repository-scenario.js';

const without = (type: string) => (spec: RulesetSpec) => ({
  rules: (spec.rules ?? []).filter((rule) => rule.type !== type),
});
const withParameters = (type: string, parameters: object) => (spec: RulesetSpec) => ({
  rules: (spec.rules ?? []).map((rule) =>
    rule.type === type ? { ...rule, parameters: { ...rule.parameters, ...parameters } } : rule,
  ),
});

describe('rulesets that were set up', () => {
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

  describe('and then changed on GitHub', () => {
    let repo: RepositoryScenario;
    beforeAll(async () => {
      repo = await scenario.protected('drifting');
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
    ])('are reported when one is %s, and repaired when an admin requests it', async (_, received, change) => {
      const before = scenario.writes();
      edit(repo, RELEASE, change);
      await env.waitUntilIdle();
      expect(await scenario.row(repo)).toMatchObject({
        status: 'drifted',
        detail: expect.stringMatching(received),
        step: 'complete',
      });
      await scenario.order(repo);
      await env.waitUntilIdle();
      expect(await scenario.row(repo)).toMatchObject({ status: 'active', detail: null });
      expect(scenario.writes()).toBe(before + 1);
    });

    it('are not repaired without a user, because a user may have changed them', async () => {
      const before = scenario.writes();
      edit(repo, RELEASE, without('deletion'));
      await scenario.sync(repo);
      expect(await scenario.status(repo)).toBe('drifted');
      expect(scenario.writes()).toBe(before);
    });
  });

  it('are reported when one is deleted without a delivery, and when a user reverts it', async () => {
    const repo = await scenario.protected('lost');
    const { spec } = rulesetOf(repo, DEVELOPMENT);
    env.outbox.faults.next({ kind: 'lose', times: 1 });
    repo.repository.rulesets.delete(rulesetOf(repo, DEVELOPMENT));
    await env.waitUntilIdle();
    await scenario.sync(repo);
    expect(await scenario.row(repo)).toMatchObject({
      status: 'drifted',
      detail: `The ruleset "${DEVELOPMENT}" is missing.`,
    });
    repo.repository.rulesets.create(spec);
    await env.waitUntilIdle();
    expect(await scenario.status(repo)).toBe('active');
  });

  it('are not changed when they became stricter, and those of others never', async () => {
    const repo = await scenario.protected('stricter');
    repo.repository.rulesets.create({
      name: 'Ours',
      enforcement: 'active',
      conditions: { ref_name: { include: ['~ALL'] } },
      rules: [{ type: 'required_linear_history' }],
    });
    edit(repo, RELEASE, withParameters('pull_request', { required_approving_review_count: 3 }));
    edit(repo, RELEASE, ({ rules = [] }) => ({ rules: [...rules, { type: 'required_signatures' }] }));
    await env.waitUntilIdle();
    expect(await scenario.status(repo)).toBe('active');
    edit(repo, RELEASE, without('deletion'));
    await scenario.order(repo);
    await env.waitUntilIdle();
    expect(parametersOf(repo, RELEASE, 'pull_request')).toMatchObject({ required_approving_review_count: 3 });
    expect(parametersOf(repo, RELEASE, 'required_signatures')).toEqual({});
    expect(rulesetOf(repo, 'Ours').spec.rules).toEqual([{ type: 'required_linear_history' }]);
  });

  it('follow the policy: its present rules are required', async () => {
    const repo = await scenario.protected('moved-pattern');
    const policy = `${PLAIN_POLICY}  testing: { branch_pattern: "rel/**" }\n`;
    repo.repository.commit({ files: { 'sdlc.yaml': policy } });
    await env.waitUntilIdle();
    expect(await scenario.row(repo)).toMatchObject({
      status: 'drifted',
      detail: expect.stringContaining('does not cover refs/heads/rel/**/*'),
    });
    await scenario.order(repo);
    await env.waitUntilIdle();
    expect(await scenario.status(repo)).toBe('active');
    expect(rulesetOf(repo, RELEASE).spec.conditions?.ref_name?.include).toEqual([
      'refs/heads/rel/**/*',
      'refs/heads/hotfix/**/*',
    ]);
  });
});
