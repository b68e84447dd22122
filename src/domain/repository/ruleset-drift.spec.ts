import { describe, expect, it } from '@jest/globals';
import { DEFAULT_POLICY } from '../policy/policy.js';
import { type Rule, type Ruleset, type DesiredRuleset, desiredRulesets } from './ruleset.js';
import { findDrift, repairedRuleset } from './ruleset-drift.js';

const APP = 4711;
const policy = {
  ...DEFAULT_POLICY,
  hotfixBranchPatterns: ['release/**'],
  evidencing: {
    ...DEFAULT_POLICY.evidencing,
    requiredReviewers: [{ minApprovals: 2, teams: [], excludeReleaseAuthors: false }],
  },
};
const [development, release] = desiredRulesets(policy, APP) as readonly [DesiredRuleset, DesiredRuleset];

/** A ruleset in the form in which GitHub returns it (https://docs.github.com/rest/repos/rules), with the parameters that GitHub adds. */
const REVIEWS = {
  required_approving_review_count: 2,
  dismiss_stale_reviews_on_push: true,
  required_reviewers: [],
  require_code_owner_review: false,
  require_last_push_approval: false,
  required_review_thread_resolution: false,
  allowed_merge_methods: ['merge', 'squash', 'rebase'],
};
const CHECKS = {
  strict_required_status_checks_policy: false,
  do_not_enforce_on_create: true,
  required_status_checks: [{ context: 'Shipgate', integration_id: APP }],
};

interface Changes extends Partial<Ruleset> {
  readonly reviews?: object;
  readonly checks?: object;
  readonly without?: string;
  readonly added?: readonly Rule[];
}

const found = ({ reviews, checks, without, added = [], ...changes }: Changes = {}): Ruleset => ({
  name: release.name,
  target: 'branch',
  enforcement: 'active',
  include: ['refs/heads/release/**/*'],
  exclude: [],
  bypassActors: [],
  rules: [
    { type: 'deletion', parameters: {} },
    { type: 'non_fast_forward', parameters: {} },
    { type: 'pull_request', parameters: { ...REVIEWS, ...reviews } },
    { type: 'required_status_checks', parameters: { ...CHECKS, ...checks } },
    ...added,
  ].filter(({ type }) => type !== without),
  ...changes,
});

const WEAKER: readonly (readonly [string, Changes])[] = [
  ['is only evaluated, not enforced', { enforcement: 'evaluate' }],
  ['is disabled', { enforcement: 'disabled' }],
  ['is not one for branches', { target: 'tag' }],
  ['does not cover refs/heads/release/**/*', { include: ['refs/heads/rel/**/*'] }],
  ['does not cover refs/heads/release/**/*', { include: [] }],
  ['excludes refs/heads/release/old', { exclude: ['refs/heads/release/old'] }],
  ['may be bypassed', { bypassActors: [{ type: 'RepositoryRole', id: 5 }] }],
  ['may be bypassed', { bypassActors: [{ type: 'DeployKey', id: null }] }],
  ['allows changes without a pull request', { without: 'pull_request' }],
  ['requires 1 approval, but the policy requires 2', { reviews: { required_approving_review_count: 1 } }],
  ['requires 0 approvals, but the policy requires 2', { reviews: { required_approving_review_count: undefined } }],
  ['does not dismiss approvals after a change', { reviews: { dismiss_stale_reviews_on_push: false } }],
  ['does not require the check "Shipgate" of the app', { without: 'required_status_checks' }],
  ['does not require the check "Shipgate" of the app', { checks: { required_status_checks: [] } }],
  [
    'does not require the check "Shipgate" of the app',
    { checks: { required_status_checks: [{ context: 'Shipgate' }] } },
  ],
  [
    'does not require the check "Shipgate" of the app',
    { checks: { required_status_checks: [{ context: 'Shipgate', integration_id: APP + 1 }, null] } },
  ],
  ['allows force pushes', { without: 'non_fast_forward' }],
  ['allows the branch to be deleted', { without: 'deletion' }],
];

const NO_WEAKER: readonly (readonly [string, Changes])[] = [
  ['as GitHub returns it', {}],
  ['with more approvals', { reviews: { required_approving_review_count: 3 } }],
  ['with code owners', { reviews: { require_code_owner_review: true, allowed_merge_methods: ['squash'] } }],
  [
    'with another check',
    { checks: { required_status_checks: [{ context: 'build' }, ...CHECKS.required_status_checks] } },
  ],
  ['with required up-to-date branches', { checks: { strict_required_status_checks_policy: true } }],
  ['with an additional rule', { added: [{ type: 'required_signatures', parameters: {} }] }],
  ['for more branches', { include: ['refs/heads/stable', 'refs/heads/release/**/*'] }],
  ['for all branches', { include: ['~ALL'] }],
  ['with hidden bypass actors', { bypassActors: null }],
  [
    'whose strictness is spread over rules of one type',
    {
      reviews: { dismiss_stale_reviews_on_push: false },
      added: [{ type: 'pull_request', parameters: { ...REVIEWS, required_approving_review_count: 0 } }],
    },
  ],
];

describe('findDrift', () => {
  it.each(WEAKER)('reports that the ruleset %s', (sentence, changes) => {
    expect(findDrift(release, found(changes), 'main')).toEqual([
      `The ruleset "Shipgate: release branches" ${sentence}.`,
    ]);
  });

  it.each(NO_WEAKER)('finds no drift in a ruleset %s', (_, changes) => {
    expect(findDrift(release, found(changes), 'main')).toEqual([]);
  });

  it('reports every difference, and only the absence for a ruleset that is missing', () => {
    expect(findDrift(release, found({ enforcement: 'disabled', without: 'deletion' }), 'main')).toHaveLength(2);
    expect(findDrift(development, null, 'main')).toEqual(['The ruleset "Shipgate: development branch" is missing.']);
  });

  it('reports a ruleset that covers the branches of the service itself', () => {
    const [, broad] = desiredRulesets({ ...policy, hotfixBranchPatterns: ['**'] }, APP);
    const include = ['~ALL'];
    expect(findDrift(broad as DesiredRuleset, found({ include }), 'main')).toEqual([
      'The ruleset "Shipgate: release branches" applies to the branches of the service, refs/heads/shipgate/bootstrap, refs/heads/shipgate/evidence/**/*, refs/heads/shipgate-workflow-update-*.',
    ]);
    expect(
      findDrift(broad as DesiredRuleset, found({ include, exclude: (broad as DesiredRuleset).spared }), 'main'),
    ).toEqual([]);
  });
});

describe('repairedRuleset', () => {
  it('returns the complete ruleset when there is none', () => {
    const created = repairedRuleset(development, null, 'main');
    expect(findDrift(development, created, 'main')).toEqual([]);
    expect(created).toMatchObject({
      name: development.name,
      include: ['~DEFAULT_BRANCH'],
      exclude: [],
      bypassActors: [],
    });
    expect(created.rules.map(({ type }) => type).toSorted()).toEqual([
      'deletion',
      'non_fast_forward',
      'pull_request',
      'required_status_checks',
    ]);
  });

  it.each(WEAKER)('repairs a ruleset that %s', (_, changes) => {
    expect(findDrift(release, repairedRuleset(release, found(changes), 'main'), 'main')).toEqual([]);
  });

  it.each(NO_WEAKER.filter(([, { bypassActors }]) => bypassActors !== null))(
    'removes nothing from a ruleset %s while it repairs another difference',
    (_, changes) => {
      const before = found({ ...changes, enforcement: 'disabled' });
      const after = repairedRuleset(release, before, 'main');
      expect(after.include).toEqual(before.include);
      for (const { type, parameters } of before.rules) {
        const sameType = after.rules.filter((rule) => rule.type === type);
        expect(sameType).not.toEqual([]);
        const count = parameters['required_approving_review_count'];
        if (typeof count !== 'number') continue;
        expect(sameType[0]?.parameters['required_approving_review_count']).toBeGreaterThanOrEqual(count);
        expect(sameType[0]?.parameters['require_code_owner_review']).toBe(parameters['require_code_owner_review']);
      }
    },
  );

  it('retains the checks of others, and removes a check of its own name from another app', () => {
    const checks = { required_status_checks: [{ context: 'build' }, { context: 'Shipgate', integration_id: 1 }] };
    const { rules } = repairedRuleset(release, found({ checks }), 'main');
    expect(rules.find(({ type }) => type === 'required_status_checks')?.parameters['required_status_checks']).toEqual([
      { context: 'Shipgate', integration_id: APP },
      { context: 'build' },
    ]);
  });

  it('allows release branches at commits without a pull request', () => {
    const { rules } = repairedRuleset(release, null, 'main');
    expect(rules).toContainEqual({
      type: 'required_status_checks',
      parameters: expect.objectContaining({ do_not_enforce_on_create: true }),
    });
  });
});
