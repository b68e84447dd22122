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
  piece,
  policyWith,
  pull,
  redPiece,
  review,
  reviewersRule,
  sameButForEvidence,
  sha,
} from '../../../test/support/given-facts.js';
import { givenOpenRelease, givenTrunkRelease, ReleaseBuilder } from '../../../test/support/given-release.js';

const number = String(PULL_NUMBER);
const stageOf = (world: ReleaseBuilder): string => world.verdict().stage;

describe('a release from its beginning', () => {
  it('goes through its stages one by one, and says at each what is missing', () => {
    const world = new ReleaseBuilder().recorded({ startedAt: null, stage: 'PLANNING' });
    expect([stageOf(world), world.reasons()]).toEqual(['PLANNING', ['unknown', 'policy_unknown']]);
    world
      .ruledBy(PLAIN_POLICY)
      .know('milestone', '5', milestone())
      .know('issues', '5', [])
      .branches({ branch: 'main', sha: DEVELOPMENT_HEAD });
    expect([stageOf(world), world.reasons()]).toEqual(['PLANNING', ['not_started']]);
    world.know('issues', '5', [issue({ state: 'open' })]).know('pulls_of_issue', '11', { linked: true });
    expect([stageOf(world), world.verdict().unmet.map(({ code }) => code)]).toEqual([
      'DEVELOPMENT',
      ['no_candidate', 'issue_open'],
    ]);
    world
      .know('issues', '5', [issue()])
      .branches({ branch: RELEASE_BRANCH, sha: CANDIDATE }, { branch: 'main', sha: DEVELOPMENT_HEAD });
    expect([stageOf(world), world.reasons()]).toEqual(['TESTING', ['evidence_missing']]);
    world.uploaded(redPiece());
    expect([stageOf(world), world.reasons()]).toEqual(['TESTING', ['evidence_failing']]);
    world.uploaded(piece({ run: { id: '101', proven: true } }));
    expect([stageOf(world), world.reasons()]).toEqual(['EVIDENCING', ['evidence_pull_pending']]);
    world.pullOpened().know('pull', number, pull()).know('reviews', number, []);
    expect([stageOf(world), world.reasons()]).toEqual(['EVIDENCING', ['approvals_missing']]);
    world
      .know('reviews', number, [review(FIRST_REVIEWER)])
      .know('permission', FIRST_REVIEWER.login, { userId: 1, level: 'write' });
    expect([stageOf(world), world.reasons(), world.isOpen()]).toEqual(['DEPLOYMENT', [], true]);
    expect(world.verdict().unmet).toEqual([
      { code: 'not_deployed', detail: 'The candidate was not deployed to production yet.', actor: 'deployer' },
    ]);
  });

  it('moves backward when a fact turns', () => {
    expect(stageOf(givenOpenRelease().know('issues', '5', [issue({ state: 'open' })]))).toBe('DEVELOPMENT');
    expect(stageOf(givenOpenRelease().know('issues', '5', [issue({ state: 'open', assignees: [] })]))).toBe('PLANNING');
    expect(stageOf(givenOpenRelease().uploaded(redPiece()))).toBe('TESTING');
    expect(stageOf(givenOpenRelease().know('reviews', number, []))).toBe('EVIDENCING');
    expect(stageOf(givenOpenRelease().know('checks', CANDIDATE, [check('e2e')]))).toBe('DEVELOPMENT');
    expect(stageOf(givenOpenRelease().know('checks', CANDIDATE, [check('build')]))).toBe('TESTING');
  });

  it('does not pass TESTING without a valid policy', () => {
    const world = givenTrunkRelease();
    for (const problems of [[], [{ line: 3, column: 1, key: 'stages', message: 'must be an object' }]]) {
      world.know('policy', '', { status: 'invalid', problems, defaultBranch: 'main' });
      expect([stageOf(world), world.verdict().testsPassing]).toEqual(['TESTING', false]);
      expect(world.reasons()).toEqual(['policy_invalid', 'policy_unknown']);
    }
    expect(world.verdict().unmet[0]?.detail).toBe('sdlc.yaml, line 3, stages: must be an object');
    const unplaced = { line: null, column: null, key: '', message: 'must not be empty' };
    world.know('policy', '', { status: 'invalid', problems: [unplaced], defaultBranch: 'main' });
    expect(world.verdict().unmet[0]?.detail).toBe('sdlc.yaml: must not be empty');
    world.know('policy', '', { status: 'missing', defaultBranch: 'main' });
    expect([stageOf(world), world.reasons()]).toEqual(['TESTING', ['policy_missing', 'policy_unknown']]);
    expect(world.verdict().unmet[0]?.detail).toBe('There is no sdlc.yaml on main.');
  });

  it('asks for no approval where the policy asks for none', () => {
    const { deployment } = PLAIN_POLICY;
    const world = givenTrunkRelease()
      .recorded({ evidencePull: null })
      .ruledBy(policyWith({ deployment: { ...deployment, requiresEvidenceApproval: false } }));
    expect([stageOf(world), world.isOpen(), world.verdict().evidenceApproved]).toEqual(['DEPLOYMENT', true, false]);
  });

  it('lets issues with an exempt label be open, and all where the policy does not mind', () => {
    const world = givenTrunkRelease().know('issues', '5', [issue({ state: 'open', labels: ['bug', 'ui'] })]);
    expect(world.isOpen()).toBe(true);
    world.know('issues', '5', [issue({ state: 'open', labels: ['ui'] })]);
    expect(world.isOpen()).toBe(false);
    const { development } = PLAIN_POLICY;
    world.ruledBy(policyWith({ development: { ...development, requireIssuesClosed: false } }));
    expect(world.isOpen()).toBe(true);
  });
});

describe('runs of CI', () => {
  it('pass when the one failed job passes the second time, and are flaky then', () => {
    const world = givenTrunkRelease();
    world.evidence = [piece({ job: 'api' }), redPiece({ job: 'web' })];
    expect(stageOf(world)).toBe('TESTING');
    world.uploaded(piece({ job: 'web', run: { id: '100', proven: true }, attempt: 2 })).pullOpened();
    expect([world.isOpen(), world.verdict().decidingSet[0]?.flaky]).toEqual([true, true]);
  });

  it('do not pass while one shard of a matrix is red', () => {
    const world = givenTrunkRelease();
    world.evidence = [piece({ job: 'shard 1' }), redPiece({ job: 'shard 2' }), piece({ job: 'shard 3' })];
    expect(world.pullOpened().isOpen()).toBe(false);
  });

  it('are not hidden by an older run that is started again', () => {
    const world = givenTrunkRelease().uploaded(redPiece({ run: { id: '101', proven: true } }));
    world.uploaded(piece({ run: { id: '100', proven: true }, attempt: 2 }));
    expect([world.isOpen(), stageOf(world)]).toEqual([false, 'TESTING']);
  });
});

describe('a hotfix', () => {
  const branch = `hotfix/${VERSION}`;

  it("skips the planning stage's flags, and nothing else", () => {
    const world = givenOpenRelease()
      .branches({ branch, sha: CANDIDATE }, { branch: 'main', sha: DEVELOPMENT_HEAD })
      .know('issues', '5', []);
    expect([world.verdict().hotfix, world.reasons()]).toEqual([true, []]);
    expect(world.know('issues', '5', [issue({ state: 'open', assignees: [], labels: ['bug'] })]).reasons()).toEqual([]);
    expect(world.know('reviews', number, []).isOpen()).toBe(false);
    world.branches({ branch: RELEASE_BRANCH, sha: CANDIDATE }, { branch: 'main', sha: DEVELOPMENT_HEAD });
    expect(stageOf(world)).toBe('PLANNING');
  });
});

describe('a quiet day', () => {
  it('closes the gate without moving the stage, and opens it again once the facts are renewed', () => {
    const world = givenOpenRelease().later(60);
    expect([stageOf(world), world.isOpen(), world.reasons()]).toEqual(['DEPLOYMENT', false, ['facts_stale']]);
    expect(world.verdict().missing).toEqual([]);
    expect([stageOf(world.renew()), world.isOpen()]).toEqual(['DEPLOYMENT', true]);
  });
});

describe('the branches', () => {
  it('block a release of which there are two', () => {
    const world = givenOpenRelease().branches(
      { branch: RELEASE_BRANCH, sha: CANDIDATE },
      { branch: `hotfix/${VERSION}`, sha: CANDIDATE },
      { branch: 'main', sha: DEVELOPMENT_HEAD },
    );
    expect([stageOf(world), world.reasons(), world.verdict().candidateSha]).toEqual([
      'DEVELOPMENT',
      ['two_release_branches'],
      null,
    ]);
  });

  it('make another commit the candidate when they move', () => {
    const moved = sha('b');
    const world = givenOpenRelease()
      .branches({ branch: RELEASE_BRANCH, sha: moved }, { branch: 'main', sha: DEVELOPMENT_HEAD })
      .know('history', moved, [commit(moved, [CANDIDATE]), commit(CANDIDATE, [])])
      .know('comparison', `${CANDIDATE}...${moved}`, comparison(CANDIDATE))
      .know('checks', moved, [check('build'), check('e2e')]);
    expect(world.verdict()).toMatchObject({ candidateSha: moved, candidateShas: [moved], stage: 'TESTING' });
    expect(world.isOpen()).toBe(false);
    world.know('comparison', `${CANDIDATE}...${moved}`, sameButForEvidence(CANDIDATE));
    expect(world.verdict()).toMatchObject({ candidateSha: CANDIDATE, candidateShas: [CANDIDATE, moved] });
    expect(world.isOpen()).toBe(true);
  });
});

describe('the people', () => {
  it.each<[string, (world: ReleaseBuilder) => ReleaseBuilder]>([
    [
      'a login that another account took',
      (world) => world.know('permission', FIRST_REVIEWER.login, { userId: 1001, level: 'admin' }),
    ],
    ['a team that was left', (world) => world.know('team', 'release-managers', { exists: true, userIds: [2] })],
    [
      'an author of the release',
      (world) =>
        world.know(
          'comparison',
          `${PREDECESSOR}...${CANDIDATE}`,
          comparison(PREDECESSOR, { commits: [commit(CANDIDATE, [], FIRST_REVIEWER.userId)] }),
        ),
    ],
  ])('do not count with %s', (_name, differ) => {
    expect(differ(givenOpenRelease()).reasons()).toEqual(['approvals_missing']);
  });

  it('are told when nobody is left who may approve', () => {
    const policy = {
      ...STRICT_POLICY,
      evidencing: {
        ...STRICT_POLICY.evidencing,
        ...reviewersRule({ teams: ['release-managers'], excludeReleaseAuthors: true }),
      },
    };
    const world = givenOpenRelease()
      .ruledBy({ ...policy, evidencing: { ...policy.evidencing, requiredEvidence: [] } })
      .know('team', 'release-managers', { exists: true, userIds: [AUTHOR.userId] });
    expect(world.reasons()).toEqual(['approvals_missing', 'no_reviewer_left']);
  });
});
