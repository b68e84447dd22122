import { describe, expect, it } from '@jest/globals';
import {
  AUTHOR,
  CANDIDATE,
  DEVELOPMENT_HEAD,
  FIRST_REVIEWER,
  PLAIN_POLICY,
  PREDECESSOR,
  PULL_NUMBER,
  RELEASE_BRANCH,
  STRICT_POLICY,
  VERSION,
  check,
  commit,
  comparison,
  issue,
  milestone,
  evidenceItem,
  policyWith,
  pull,
  failingItem,
  review,
  reviewersRule,
  sameButForEvidence,
  sha,
} from '../../../test/support/given-facts.js';
import { givenOpenRelease, givenTrunkRelease, ReleaseBuilder } from '../../../test/support/release-builder.js';

const number = String(PULL_NUMBER);
const stageOf = (release: ReleaseBuilder): string => release.verdict().stage;

describe('a release', () => {
  it('passes its stages one by one, and reports at each what is missing', () => {
    const release = new ReleaseBuilder().recorded({ startedAt: null, stage: 'PLANNING' });
    expect([stageOf(release), release.reasons()]).toEqual(['PLANNING', ['unknown', 'policy_unknown']]);
    release
      .ruledBy(PLAIN_POLICY)
      .know('milestone', '5', milestone())
      .know('issues', '5', [])
      .branches({ branch: 'main', sha: DEVELOPMENT_HEAD });
    expect([stageOf(release), release.reasons()]).toEqual(['PLANNING', ['not_started']]);
    release.know('issues', '5', [issue({ state: 'open' })]).know('pulls_of_issue', '11', { linked: true });
    expect([stageOf(release), release.verdict().unmet.map(({ code }) => code)]).toEqual([
      'DEVELOPMENT',
      ['no_candidate', 'issue_open'],
    ]);
    release
      .know('issues', '5', [issue()])
      .branches({ branch: RELEASE_BRANCH, sha: CANDIDATE }, { branch: 'main', sha: DEVELOPMENT_HEAD });
    expect([stageOf(release), release.reasons()]).toEqual(['TESTING', ['evidence_missing']]);
    release.uploaded(failingItem());
    expect([stageOf(release), release.reasons()]).toEqual(['TESTING', ['evidence_failing']]);
    release.uploaded(evidenceItem({ run: { id: '101', proven: true } }));
    expect([stageOf(release), release.reasons()]).toEqual(['EVIDENCING', ['evidence_pull_pending']]);
    release.pullOpened().know('pull', number, pull()).know('reviews', number, []);
    expect([stageOf(release), release.reasons()]).toEqual(['EVIDENCING', ['approvals_missing']]);
    release
      .know('reviews', number, [review(FIRST_REVIEWER)])
      .know('permission', FIRST_REVIEWER.login, { userId: 1, level: 'write' });
    expect([stageOf(release), release.reasons(), release.isOpen()]).toEqual(['DEPLOYMENT', [], true]);
    expect(release.verdict().unmet).toEqual([
      { code: 'not_deployed', detail: 'The candidate was not deployed to production yet.', actor: 'deployer' },
    ]);
  });

  it('moves back when a fact changes', () => {
    expect(stageOf(givenOpenRelease().know('issues', '5', [issue({ state: 'open' })]))).toBe('DEVELOPMENT');
    expect(stageOf(givenOpenRelease().know('issues', '5', [issue({ state: 'open', assignees: [] })]))).toBe('PLANNING');
    expect(stageOf(givenOpenRelease().uploaded(failingItem()))).toBe('TESTING');
    expect(stageOf(givenOpenRelease().know('reviews', number, []))).toBe('EVIDENCING');
    expect(stageOf(givenOpenRelease().know('checks', CANDIDATE, [check('e2e')]))).toBe('DEVELOPMENT');
    expect(stageOf(givenOpenRelease().know('checks', CANDIDATE, [check('build')]))).toBe('TESTING');
  });

  it('does not pass TESTING without a valid policy', () => {
    const release = givenTrunkRelease();
    for (const problems of [[], [{ line: 3, column: 1, key: 'stages', message: 'must be an object' }]]) {
      release.know('policy', '', { status: 'invalid', problems, defaultBranch: 'main' });
      expect([stageOf(release), release.verdict().testsPassing]).toEqual(['TESTING', false]);
      expect(release.reasons()).toEqual(['policy_invalid', 'policy_unknown']);
    }
    expect(release.verdict().unmet[0]?.detail).toBe('sdlc.yaml, line 3, stages: must be an object');
    const unplaced = { line: null, column: null, key: '', message: 'must not be empty' };
    release.know('policy', '', { status: 'invalid', problems: [unplaced], defaultBranch: 'main' });
    expect(release.verdict().unmet[0]?.detail).toBe('sdlc.yaml: must not be empty');
    release.know('policy', '', { status: 'missing', defaultBranch: 'main' });
    expect([stageOf(release), release.reasons()]).toEqual(['TESTING', ['policy_missing', 'policy_unknown']]);
    expect(release.verdict().unmet[0]?.detail).toBe('There is no sdlc.yaml on main.');
  });

  it('needs no approval when the policy requires none', () => {
    const { deployment } = PLAIN_POLICY;
    const release = givenTrunkRelease()
      .recorded({ evidencePull: null })
      .ruledBy(policyWith({ deployment: { ...deployment, requiresEvidenceApproval: false } }));
    expect([stageOf(release), release.isOpen(), release.verdict().evidenceApproved]).toEqual([
      'DEPLOYMENT',
      true,
      false,
    ]);
  });

  it('can have open issues with an exempt label, and any open issue when the policy allows it', () => {
    const release = givenTrunkRelease().know('issues', '5', [issue({ state: 'open', labels: ['bug', 'ui'] })]);
    expect(release.isOpen()).toBe(true);
    release.know('issues', '5', [issue({ state: 'open', labels: ['ui'] })]);
    expect(release.isOpen()).toBe(false);
    const { development } = PLAIN_POLICY;
    release.ruledBy(policyWith({ development: { ...development, closedIssues: [] } }));
    expect(release.isOpen()).toBe(true);
  });
});

describe('CI runs', () => {
  it('pass when the failed job passes in its second attempt, and are then flaky', () => {
    const release = givenTrunkRelease();
    release.evidence = [evidenceItem({ job: 'api' }), failingItem({ job: 'web' })];
    expect(stageOf(release)).toBe('TESTING');
    release.uploaded(evidenceItem({ job: 'web', run: { id: '100', proven: true }, attempt: 2 })).pullOpened();
    expect([release.isOpen(), release.verdict().evidenceSet[0]?.flaky]).toEqual([true, true]);
  });

  it('does not pass while one shard of a matrix fails', () => {
    const release = givenTrunkRelease();
    release.evidence = [
      evidenceItem({ job: 'shard 1' }),
      failingItem({ job: 'shard 2' }),
      evidenceItem({ job: 'shard 3' }),
    ];
    expect(release.pullOpened().isOpen()).toBe(false);
  });

  it('uses the newest run also if an older run is started again', () => {
    const release = givenTrunkRelease().uploaded(failingItem({ run: { id: '101', proven: true } }));
    release.uploaded(evidenceItem({ run: { id: '100', proven: true }, attempt: 2 }));
    expect([release.isOpen(), stageOf(release)]).toEqual([false, 'TESTING']);
  });
});

describe('a hotfix', () => {
  const branch = `hotfix/${VERSION}`;

  it('skips only the rules of the planning stage', () => {
    const release = givenOpenRelease()
      .branches({ branch, sha: CANDIDATE }, { branch: 'main', sha: DEVELOPMENT_HEAD })
      .know('issues', '5', []);
    expect([release.verdict().hotfix, release.reasons()]).toEqual([true, []]);
    expect(release.know('issues', '5', [issue({ state: 'open', assignees: [], labels: ['bug'] })]).reasons()).toEqual(
      [],
    );
    expect(release.know('reviews', number, []).isOpen()).toBe(false);
    release.branches({ branch: RELEASE_BRANCH, sha: CANDIDATE }, { branch: 'main', sha: DEVELOPMENT_HEAD });
    expect(stageOf(release)).toBe('PLANNING');
  });
});

describe('stale facts', () => {
  it('closes the gate for stale facts without a change of the stage, and opens it again after a refresh', () => {
    const release = givenOpenRelease().later(60);
    expect([stageOf(release), release.isOpen(), release.reasons()]).toEqual(['DEPLOYMENT', false, ['facts_stale']]);
    expect(release.verdict().missing).toEqual([]);
    expect([stageOf(release.renew()), release.isOpen()]).toEqual(['DEPLOYMENT', true]);
  });
});

describe('the branches', () => {
  it('blocks a release with two branches', () => {
    const release = givenOpenRelease().branches(
      { branch: RELEASE_BRANCH, sha: CANDIDATE },
      { branch: `hotfix/${VERSION}`, sha: CANDIDATE },
      { branch: 'main', sha: DEVELOPMENT_HEAD },
    );
    expect([stageOf(release), release.reasons(), release.verdict().candidateSha]).toEqual([
      'DEVELOPMENT',
      ['two_release_branches'],
      null,
    ]);
  });

  it('makes another commit the candidate when a branch moves', () => {
    const moved = sha('b');
    const release = givenOpenRelease()
      .branches({ branch: RELEASE_BRANCH, sha: moved }, { branch: 'main', sha: DEVELOPMENT_HEAD })
      .know('history', moved, [commit(moved, [CANDIDATE]), commit(CANDIDATE, [])])
      .know('comparison', `${CANDIDATE}...${moved}`, comparison(CANDIDATE))
      .know('checks', moved, [check('build'), check('e2e')]);
    expect(release.verdict()).toMatchObject({ candidateSha: moved, candidateShas: [moved], stage: 'TESTING' });
    expect(release.isOpen()).toBe(false);
    release.know('comparison', `${CANDIDATE}...${moved}`, sameButForEvidence(CANDIDATE));
    expect(release.verdict()).toMatchObject({ candidateSha: CANDIDATE, candidateShas: [CANDIDATE, moved] });
    expect(release.isOpen()).toBe(true);
  });
});

describe('the reviewers', () => {
  it.each<[string, (release: ReleaseBuilder) => ReleaseBuilder]>([
    [
      'a login that another account has now',
      (release) => release.know('permission', FIRST_REVIEWER.login, { userId: 1001, level: 'admin' }),
    ],
    [
      'a team that the reviewer left',
      (release) => release.know('team', 'release-managers', { exists: true, userIds: [2] }),
    ],
    [
      'a commit of the reviewer in the release',
      (release) =>
        release.know(
          'comparison',
          `${PREDECESSOR}...${CANDIDATE}`,
          comparison(PREDECESSOR, { commits: [commit(CANDIDATE, [], FIRST_REVIEWER.userId)] }),
        ),
    ],
  ])('does not count a review with %s', (_name, differ) => {
    expect(differ(givenOpenRelease()).reasons()).toEqual(['approvals_missing']);
  });

  it('reports that no eligible reviewer is left', () => {
    const policy = {
      ...STRICT_POLICY,
      evidencing: {
        ...STRICT_POLICY.evidencing,
        ...reviewersRule({ teams: ['release-managers'], excludeReleaseAuthors: true }),
      },
    };
    const release = givenOpenRelease()
      .ruledBy({ ...policy, evidencing: { ...policy.evidencing, requiredEvidence: [] } })
      .know('team', 'release-managers', { exists: true, userIds: [AUTHOR.userId] });
    expect(release.reasons()).toEqual(['approvals_missing', 'no_reviewer_left']);
  });
});
