import { CANDIDATE, PULL_NUMBER, RELEASE_BRANCH, VERSION, check, milestone, sha } from './given-facts.js';
import { givenOpenRelease, type ReleaseBuilder } from './given-release.js';

export const FREEZE = { from: '2026-05-01', to: '2026-05-04', reason: 'launch' };
export const FROZEN = 'Deployments are frozen from 2026-05-01 to 2026-05-04: launch.';
export const FAILING = 'The required check "e2e" of github-actions failed.';

export const releaseWithFailingCheck = (world = givenOpenRelease()): ReleaseBuilder =>
  world.know('checks', CANDIDATE, [check('build'), check('e2e', { state: 'failure' })]);

/** An open release of which one thing more is so. */
export function releaseWithProblem(code: string): ReleaseBuilder {
  const world = givenOpenRelease();
  const { repository } = world.record;
  const ways: Readonly<Record<string, () => ReleaseBuilder>> = {
    tampered: () => world.recorded({ repository: { ...repository, tamperedBranches: [RELEASE_BRANCH] } }),
    unknown: () => world.forget('checks', CANDIDATE),
    facts_stale: () => world.age('refs', 'main', 30),
    policy_unknown: () => world.know('policy', '', { status: 'missing', defaultBranch: 'main' }),
    policy_invalid: () => world.know('policy', '', { status: 'invalid', problems: [], defaultBranch: 'main' }),
    plan_limit: () => world.recorded({ repository: { ...repository, withinPlan: false } }),
    cancelled: () => world.know('milestone', '5', null),
    milestone_renamed: () => world.know('milestone', '5', milestone({ title: 'v9.9.9' })),
    repository_removed: () => world.recorded({ repository: { ...repository, removed: true } }),
    workflows_unknown: () => world.recorded({ repository: { ...repository, watchedHeads: [] } }),
    two_release_branches: () =>
      world.branches(
        { branch: RELEASE_BRANCH, sha: CANDIDATE },
        { branch: `hotfix/${VERSION}`, sha: CANDIDATE },
        { branch: 'main', sha: sha('d') },
      ),
    evidence_missing: () => {
      world.evidence = [];
      return world;
    },
    approvals_missing: () => world.know('reviews', String(PULL_NUMBER), []),
    check_failing: () => releaseWithFailingCheck(world),
    check_skipped: () => world.know('checks', CANDIDATE, [check('build'), check('e2e', { state: 'skipped' })]),
    freeze: () => world.decided({ freezes: [FREEZE] }),
  };
  return (ways[code] as () => ReleaseBuilder)();
}
