import { CANDIDATE, PULL_NUMBER, RELEASE_BRANCH, VERSION, check, milestone, sha } from './given-facts.js';
import { givenOpenRelease, type ReleaseBuilder } from './release-builder.js';

export const FREEZE = { from: '2026-05-01', to: '2026-05-04', reason: 'launch' };
export const FROZEN = 'Deployments are frozen from 2026-05-01 to 2026-05-04: launch.';
/** The subject of the freeze. */
export const FROZEN_SUBJECT = { id: '["freeze","2026-05-01","2026-05-04","launch"]', label: FROZEN };
/** The subject of the failing check. */
export const FAILING_SUBJECT = {
  id: '["check","e2e","github-actions","run",1,null]',
  label: 'the check "e2e" of github-actions: the check run 1 of github-actions',
};
export const FAILING =
  'The required check "e2e" of github-actions failed: the check run 1 of github-actions reports no success. Run it again, or let it pass at a new commit.';

export const releaseWithFailingCheck = (release = givenOpenRelease()): ReleaseBuilder =>
  release.know('checks', CANDIDATE, [check('build'), check('e2e', { state: 'failure' })]);

/** An open release with one change. */
export function releaseWithProblem(code: string): ReleaseBuilder {
  const release = givenOpenRelease();
  const { repository } = release.record;
  const ways: Readonly<Record<string, () => ReleaseBuilder>> = {
    tampered: () => release.recorded({ repository: { ...repository, tamperedBranches: [RELEASE_BRANCH] } }),
    unknown: () => release.deleteFact('checks', CANDIDATE),
    facts_stale: () => release.age('refs', 'main', 30),
    policy_unknown: () => release.know('policy', '', { status: 'missing', defaultBranch: 'main' }),
    policy_invalid: () => release.know('policy', '', { status: 'invalid', problems: [], defaultBranch: 'main' }),
    plan_limit: () => release.recorded({ repository: { ...repository, withinPlan: false } }),
    cancelled: () => release.know('milestone', '5', null),
    milestone_renamed: () => release.know('milestone', '5', milestone({ title: 'v9.9.9' })),
    repository_removed: () => release.recorded({ repository: { ...repository, removed: true } }),
    workflows_unknown: () => release.recorded({ repository: { ...repository, watchedHeads: [] } }),
    two_release_branches: () =>
      release.branches(
        { branch: RELEASE_BRANCH, sha: CANDIDATE },
        { branch: `hotfix/${VERSION}`, sha: CANDIDATE },
        { branch: 'main', sha: sha('d') },
      ),
    evidence_missing: () => {
      release.evidence = [];
      return release;
    },
    approvals_missing: () => release.know('reviews', String(PULL_NUMBER), []),
    check_failing: () => releaseWithFailingCheck(release),
    check_skipped: () => release.know('checks', CANDIDATE, [check('build'), check('e2e', { state: 'skipped' })]),
    freeze: () => release.decided({ freezes: [FREEZE] }),
  };
  return (ways[code] as () => ReleaseBuilder)();
}
