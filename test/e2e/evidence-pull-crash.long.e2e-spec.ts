import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { EvidencePullsRepository } from '../../src/features/releases/records/evidence-pulls.repository.js';
import { EvidencePullContentService } from '../../src/features/reviews/evidence-pulls/evidence-pull-content.service.js';
import { TestEnvironment } from '../support/test-environment.js';
import { codesOf, PLAIN_POLICY, RepositoryScenario } from './scenarios/repository-scenario.js';

const VERSION = 'v1.0.0';
const SOURCE = `release/${VERSION}`;
const BRANCH = `shipgate/evidence/${VERSION}`;
/** The time after a failure until the service calls GitHub again. */
const A_MINUTE_MS = 60_000;
const MOVES_THE_BRANCH = /^PATCH .*\/git\/refs\//;

/** Interrupts the publication of the pull request at some point. */
type Death = (env: TestEnvironment) => void;

const beforeTheRow: Death = ({ app }) =>
  jest.spyOn(app.get(EvidencePullsRepository), 'record').mockRejectedValue(new Error('the process ended'));
const afterTheBranch: Death = ({ github }) =>
  github.faults.next({ kind: '5xx', match: /^PATCH .*\/pulls\/\d+/, times: 10 });
const withTheAnswer: Death = ({ github }) =>
  github.faults.next({ kind: '5xx', match: MOVES_THE_BRANCH, times: 10, afterWork: true });
const beforeTheBranch: Death = ({ github }) => github.faults.next({ kind: '5xx', match: MOVES_THE_BRANCH, times: 10 });

/** Lets the first attempt run, and fails all later ones until the process restarts. */
const dieOnce = (env: TestEnvironment, die: Death): void => {
  const reader = env.app.get(EvidencePullContentService);
  const find = reader.find.bind(reader);
  let begun = false;
  jest.spyOn(reader, 'find').mockImplementation(async (orgId, evaluation) => {
    if (begun) throw new Error('the process is down');
    const work = await find(orgId, evaluation);
    begun = work !== null;
    return work;
  });
  die(env);
};

describe('an evidence pull request whose publication was interrupted', () => {
  let env: TestEnvironment;
  beforeAll(async () => {
    env = await TestEnvironment.start({ BILLING: 'off' });
    await env.install();
  });
  afterAll(() => env.stop());
  afterEach(() => {
    comeBack();
    expect(env.violations).toEqual([]);
  });

  const comeBack = (): void => {
    jest.restoreAllMocks();
    env.github.faults.clear();
  };

  /**
   * Continues a minute later, because the same content that is committed in the same second is the same commit. Waits
   * for all retries.
   */
  const recover = async (): Promise<void> => {
    comeBack();
    env.clock.advance(A_MINUTE_MS);
    for (;;) {
      await env.hurry();
      const waiting = await env.asSuperuser('select 1 from graphile_worker.jobs where attempts < max_attempts');
      if (waiting.length === 0) return;
    }
  };

  /**
   * Creates a release that is approved at one commit, moves to another one while its pull request cannot be written,
   * and moves back.
   */
  const movedAndBack = async (name: string, die: Death): Promise<{ repo: RepositoryScenario; approved: string }> => {
    const repo = new RepositoryScenario(env, { name });
    repo.milestone(VERSION);
    const first = repo.commit();
    repo.repository.createBranch(SOURCE, first);
    await env.waitUntilIdle();
    await repo.test(VERSION, first);
    repo.approve(VERSION);
    await env.waitUntilIdle();
    expect(await repo.gate(VERSION)).toMatchObject({ candidate_sha: first, can_deploy: true });
    const approved = repo.head(BRANCH);

    dieOnce(env, die);
    const second = repo.commit({ branch: SOURCE });
    await repo.test(VERSION, second);
    expect(await repo.gate(VERSION)).toMatchObject({ candidate_sha: second, can_deploy: false });
    repo.repository.setBranch(SOURCE, first);
    await env.waitUntilIdle();
    return { repo, approved };
  };

  it.each<[string, Death]>([
    ['before-the-row', beforeTheRow],
    ['after-the-branch', afterTheBranch],
    ['with-the-answer', withTheAnswer],
  ])('is published again when the earlier evidence counts again: %s', async (name, die) => {
    const { repo, approved } = await movedAndBack(name, die);
    const left = repo.head(BRANCH);
    expect(left).not.toBe(approved);
    const meanwhile = await repo.gate(VERSION);
    expect(meanwhile).toMatchObject({ evidence_pr_approved: false, can_deploy: false });
    expect(codesOf(meanwhile)).toEqual(['evidence_pull_outdated']);

    await recover();
    expect([approved, left]).not.toContain(repo.head(BRANCH));
    expect(codesOf(await repo.gate(VERSION))).toEqual(['approvals_missing']);
    repo.approve(VERSION);
    await env.waitUntilIdle();
    expect(await repo.gate(VERSION)).toMatchObject({ evidence_pr_approved: true, can_deploy: true, reasons: [] });
    expect(repo.repository.pulls.list()).toHaveLength(1);
  });

  it('is completed when it was interrupted before any change', async () => {
    const { repo } = await movedAndBack('before-the-branch', beforeTheBranch);
    expect(await repo.gate(VERSION)).toMatchObject({ can_deploy: false });
    await recover();
    expect(codesOf(await repo.gate(VERSION))).toEqual(['approvals_missing']);
    repo.approve(VERSION);
    await env.waitUntilIdle();
    expect(await repo.gate(VERSION)).toMatchObject({ can_deploy: true });
  });

  it('is not approved by a review of evidence that was never saved', async () => {
    const { repo } = await movedAndBack('approved-meanwhile', beforeTheRow);
    repo.approve(VERSION);
    await env.waitUntilIdle();
    expect(await repo.gate(VERSION)).toMatchObject({ evidence_pr_approved: false, can_deploy: false });
    await recover();
    expect(codesOf(await repo.gate(VERSION))).toEqual(['approvals_missing']);
  });

  it('is opened once after an interruption, and a review of the partial evidence does not approve it', async () => {
    const repo = new RepositoryScenario(env, { name: 'first-opening' });
    dieOnce(env, beforeTheRow);
    await repo.evidencing(VERSION);
    const left = repo.head(BRANCH);
    repo.approve(VERSION);
    await env.waitUntilIdle();
    expect(codesOf(await repo.gate(VERSION))).toEqual(['evidence_pull_pending']);
    repo.repository.commit({ branch: BRANCH, files: { 'src/backdoor.ts': '1' }, author: repo.reviewer });

    await recover();
    const { git } = repo.repository;
    expect(repo.head(BRANCH)).not.toBe(left);
    expect([...git.filesAt(repo.head(BRANCH)).keys()]).not.toContain('src/backdoor.ts');
    expect(codesOf(await repo.gate(VERSION))).toEqual(['approvals_missing']);
    expect(repo.repository.pulls.list()).toHaveLength(1);
    repo.approve(VERSION);
    await env.waitUntilIdle();
    expect(await repo.gate(VERSION)).toMatchObject({ can_deploy: true });
  });

  it('is not approved by the former commit when another user restores it', async () => {
    const repo = new RepositoryScenario(env, { name: 'put-back' });
    const sha = await repo.approved(VERSION);
    const approved = repo.head(BRANCH);
    await repo.test(VERSION, sha, 7);
    expect(repo.head(BRANCH)).not.toBe(approved);
    repo.repository.setBranch(BRANCH, approved, repo.reviewer);
    await env.waitUntilIdle();
    const answer = await repo.gate(VERSION);
    expect(answer).toMatchObject({ evidence_pr_approved: false, can_deploy: false });
    expect(codesOf(answer)).toEqual(['evidence_pull_altered']);
  });

  describe('and that is retried', () => {
    /** Enough for four attempts of the job with three of its client each: more than it makes before a pause. */
    const AWAY = { kind: '5xx', times: 12 } as const;
    const CHANGES_THE_PULL = /^PATCH .*\/pulls\/\d+/;

    /** The number of times that the service moved the evidence branch of the repository. */
    const pushes = ({ repository }: RepositoryScenario): number =>
      env.exchanges.filter(
        ({ method, path, status }) =>
          method === 'PATCH' &&
          status === 200 &&
          decodeURIComponent(path).endsWith(`/${repository.name}/git/refs/heads/${BRANCH}`),
      ).length;

    it('pushes once, however often the other steps fail', async () => {
      const repo = new RepositoryScenario(env, { name: 'pushed-once' });
      const sha = await repo.approved(VERSION);
      const approved = repo.head(BRANCH);
      env.github.faults.next({ ...AWAY, match: CHANGES_THE_PULL });
      await repo.test(VERSION, sha, 7);
      expect(codesOf(await repo.gate(VERSION))).toEqual(['evidence_pull_outdated']);
      const pushed = repo.head(BRANCH);
      expect(pushed).not.toBe(approved);

      await recover();
      expect(repo.head(BRANCH)).toBe(pushed);
      expect(pushes(repo)).toBe(1);
      expect(codesOf(await repo.gate(VERSION))).toEqual(['approvals_missing']);
      repo.approve(VERSION);
      await env.waitUntilIdle();
      expect(await repo.gate(VERSION)).toMatchObject({ can_deploy: true, reasons: [] });
    });

    it('counts an approval of the commit with which it continues', async () => {
      const repo = new RepositoryScenario(env, { name: 'approved-early' });
      const sha = await repo.approved(VERSION);
      env.github.faults.next({ ...AWAY, match: CHANGES_THE_PULL });
      await repo.test(VERSION, sha, 7);
      repo.approve(VERSION);
      await env.waitUntilIdle();
      expect(codesOf(await repo.gate(VERSION))).toEqual(['evidence_pull_outdated']);
      await recover();
      expect(await repo.gate(VERSION)).toMatchObject({ can_deploy: true, reasons: [] });
    });

    it('uses no commit that another user pushed meanwhile', async () => {
      const repo = new RepositoryScenario(env, { name: 'changed-meanwhile' });
      const sha = await repo.approved(VERSION);
      env.github.faults.next({ ...AWAY, match: CHANGES_THE_PULL });
      await repo.test(VERSION, sha, 7);
      const pushed = repo.head(BRANCH);
      repo.approve(VERSION);
      const page = { [`.releases/${VERSION}/EVIDENCE.md`]: 'All is well.' };
      const theirs = repo.repository.commit({ branch: BRANCH, files: page, author: repo.reviewer });
      await recover();
      expect(repo.head(BRANCH)).not.toBe(pushed);
      const { git } = repo.repository;
      expect(git.ancestry.isAncestor(theirs, repo.head(BRANCH))).toBe(false);
      expect(codesOf(await repo.gate(VERSION))).toEqual(['approvals_missing']);
    });

    it('publishes again on a development branch that has moved', async () => {
      const repo = new RepositoryScenario(env, { name: 'went-on' });
      repo.milestone(VERSION);
      const candidate = repo.commit();
      repo.repository.createBranch(SOURCE, candidate);
      await env.waitUntilIdle();
      await repo.test(VERSION, candidate);
      env.github.faults.next({ ...AWAY, match: CHANGES_THE_PULL });
      await repo.test(VERSION, candidate, 7);
      const pushed = repo.head(BRANCH);
      const base = repo.commit();
      // Its event arrives before the next attempt.
      await env.waitUntilIdle();
      await recover();
      expect(repo.head(BRANCH)).not.toBe(pushed);
      expect(repo.repository.git.store.commit(repo.head(BRANCH)).parents).toEqual([base]);
      expect(codesOf(await repo.gate(VERSION))).toEqual(['approvals_missing']);
    });

    it('requests the teams of the policy also after a crash between the pull request and its row', async () => {
      const team = env.github.createTeam(env.organization, 'release captains');
      const sdlc = `${PLAIN_POLICY}    required_reviewers: { teams: [release-captains] }\n`;
      const repo = new RepositoryScenario(env, { name: 'asked-at-last', sdlc });
      team.addMember(repo.reviewer);
      team.grant(repo.repository, 'write');
      env.github.faults.next({ ...AWAY, match: /^POST .*\/requested_reviewers/ });
      await repo.evidencing(VERSION);
      await recover();
      expect(repo.evidencePull(VERSION).requestedTeams.map(({ slug }) => slug)).toEqual(['release-captains']);
      expect(repo.repository.pulls.list()).toHaveLength(1);
      repo.approve(VERSION);
      await env.waitUntilIdle();
      expect(await repo.gate(VERSION)).toMatchObject({ can_deploy: true });
    });
  });
});
