import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { APP, startFakeGitHubGateway, type FakeGitHubGateway } from '../../../test/support/fake-github-gateway.js';
import type { Ruleset } from '../../domain/repository/ruleset.js';

const LIST = 'GET /repos/acme/app/rulesets';
const ONE = 'GET /repos/acme/app/rulesets/7';
const UPGRADE = 'Upgrade to GitHub Pro or make this repository public to enable this feature.';
const ANSWER = {
  id: 7,
  name: 'Ours',
  target: 'branch',
  source_type: 'Repository',
  source: 'acme/app',
  enforcement: 'active',
  conditions: { ref_name: { include: ['~DEFAULT_BRANCH'], exclude: ['refs/heads/old'] } },
  bypass_actors: [{ actor_id: null, actor_type: 'DeployKey', bypass_mode: 'always' }],
  rules: [{ type: 'deletion' }, { type: 'pull_request', parameters: { required_approving_review_count: 2 } }],
};
const RULESET: Ruleset = {
  name: 'Ours',
  target: 'branch',
  enforcement: 'active',
  include: ['~ALL'],
  exclude: [],
  bypassActors: [],
  rules: [
    { type: 'deletion', parameters: {} },
    { type: 'pull_request', parameters: { required_approving_review_count: 1, of_tomorrow: { is: ['kept'] } } },
  ],
};

describe('Rulesets', () => {
  let fake: FakeGitHubGateway;
  beforeEach(async () => {
    fake = await startFakeGitHubGateway();
  });
  afterEach(() => fake.server.stop());

  const named = () => fake.github.rulesets.listByName(APP, ['Ours']);

  it("reads the repository's own rulesets with the given names", async () => {
    fake.server.on(LIST, { json: [ANSWER, { ...ANSWER, id: 8, name: 'Theirs' }] });
    fake.server.on(ONE, { json: ANSWER });
    await expect(named()).resolves.toEqual({
      observedAt: fake.clock.now(),
      value: [
        {
          id: 7,
          name: 'Ours',
          target: 'branch',
          enforcement: 'active',
          include: ['~DEFAULT_BRANCH'],
          exclude: ['refs/heads/old'],
          bypassActors: [{ type: 'DeployKey', id: null }],
          rules: [
            { type: 'deletion', parameters: {} },
            { type: 'pull_request', parameters: { required_approving_review_count: 2 } },
          ],
        },
      ],
    });
    expect(fake.server.calls(LIST)[0]?.query.get('includes_parents')).toBe('false');
  });

  it('distinguishes hidden bypass actors from none', async () => {
    const { bypass_actors: _, ...hidden } = ANSWER;
    fake.server.on(LIST, { json: [ANSWER] });
    fake.server.on(ONE, { json: hidden });
    await expect(named()).resolves.toMatchObject({ value: [{ bypassActors: null }] });
  });

  it('returns none if the plan has none, and fails if something else is forbidden', async () => {
    fake.server.on(LIST, { status: 403, json: { message: UPGRADE } });
    await expect(named()).resolves.toMatchObject({ value: null });
    fake.server.on(LIST, { status: 403, json: { message: 'Resource not accessible by integration' } });
    await expect(named()).rejects.toMatchObject({ kind: 'forbidden' });
  });

  it.each([
    ['a rule without a type', { rules: [{}] }],
    ['rules that are no list', { rules: {} }],
    ['no enforcement', { enforcement: null }],
    ['a pattern that is no text', { conditions: { ref_name: { include: [7] } } }],
    ['a bypass actor without a type', { bypass_actors: [{ actor_id: 7 }] }],
  ])('rejects %s as malformed', async (_, change) => {
    fake.server.on(LIST, { json: [ANSWER] });
    fake.server.on(ONE, { json: { ...ANSWER, ...change } });
    await expect(named()).rejects.toMatchObject({ kind: 'malformed' });
  });

  it('returns rules unchanged', async () => {
    const [create, replace] = ['POST /repos/acme/app/rulesets', 'PUT /repos/acme/app/rulesets/7'];
    fake.server.on(create, { status: 201, json: ANSWER });
    fake.server.on(replace, { json: ANSWER });
    await fake.github.rulesets.create(APP, RULESET);
    await fake.github.rulesets.replace(APP, 7, RULESET);
    for (const call of [create, replace]) {
      expect(JSON.parse(fake.server.calls(call)[0]?.body ?? '')).toEqual({
        name: 'Ours',
        target: 'branch',
        enforcement: 'active',
        conditions: { ref_name: { include: ['~ALL'], exclude: [] } },
        bypass_actors: [],
        rules: [
          { type: 'deletion' },
          {
            type: 'pull_request',
            parameters: { required_approving_review_count: 1, of_tomorrow: { is: ['kept'] } },
          },
        ],
      });
    }
  });
});
