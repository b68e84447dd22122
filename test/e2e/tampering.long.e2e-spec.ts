import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { TreeFile } from '../github-sim/git/object-store.js';
import { TestEnvironment } from '../support/test-environment.js';
import { CHANGED, CI, ENFORCE, InstalledScenario } from './scenarios/installed-scenario.js';

describe('tampering with managed workflow files', () => {
  let env: TestEnvironment;
  beforeAll(async () => {
    env = await TestEnvironment.start({ BILLING: 'off' });
    await env.install();
  });
  afterAll(() => env.stop());
  afterEach(() => {
    env.github.faults.clear();
    expect(env.violations).toEqual([]);
  });

  const install = (name: string, besides: Readonly<Record<string, string>> = {}): Promise<InstalledScenario> =>
    InstalledScenario.install(env, { name }, besides);

  it('closes the gate and opens an issue, and both are undone when the file is restored', async () => {
    const repo = await install('trunk');
    await repo.approved('v1.0.0');
    expect(await repo.gate('v1.0.0')).toMatchObject({ can_deploy: true });

    await repo.push({ [ENFORCE]: CHANGED });
    expect(await repo.gate('v1.0.0')).toMatchObject({ can_deploy: false });
    expect(await repo.reasons('v1.0.0')).toEqual(['tampered']);
    const issue = repo.openIssue(ENFORCE);
    expect([issue.author.login, issue.body]).toEqual([env.githubApp.bot.login, expect.stringContaining('`main`')]);

    await repo.restore();
    expect(await repo.gate('v1.0.0')).toMatchObject({ can_deploy: true });
    expect(issue).toMatchObject({
      state: 'closed',
      body: expect.stringContaining('restored to a version that Shipgate published'),
    });
    expect(await repo.flags()).toEqual([]);
    const actions = await env.asSuperuser<{ readonly action: string }>(
      `select action from audit_entry where subject = 'acme/trunk' order by sequence`,
    );
    expect(actions.map(({ action }) => action)).toEqual(['repository.tampered', 'repository.restored']);
  });

  it('opens one issue per file, with every branch, and a new issue the next time', async () => {
    const repo = await install('branches');
    repo.commit({ branch: 'release/v1.0.0' });
    repo.commit({ branch: 'hotfix/v1.0.1' });
    await env.waitUntilIdle();
    await repo.push({ [CI]: CHANGED }, 'release/v1.0.0');
    const issue = repo.openIssue(CI);
    await repo.push({ [CI]: CHANGED, [ENFORCE]: CHANGED }, 'hotfix/v1.0.1');
    expect(repo.openIssue(CI)).toBe(issue);
    expect(issue.body).toMatch(/`hotfix\/v1\.0\.1`.*\n.*`release\/v1\.0\.0`/);
    expect(repo.openIssue(ENFORCE).body).not.toContain('release/v1.0.0');

    await repo.restore('hotfix/v1.0.1');
    expect([issue.state, issue.body]).toEqual(['open', expect.not.stringContaining('hotfix')]);
    expect(repo.issues(ENFORCE).map(({ state }) => state)).toEqual(['closed']);
    await repo.restore('release/v1.0.0');
    expect(issue.state).toBe('closed');
    await repo.push({ [CI]: CHANGED });
    expect(repo.issues(CI).map(({ state }) => state)).toEqual(['closed', 'open']);
  });

  it('leaves no trace in decisions for a push that touches none of the files', async () => {
    const repo = await install('busy');
    await repo.approved('v1.0.0');
    const [last] = await env.asSuperuser<{ readonly sequence: string }>(
      'select max(sequence) as sequence from decision',
    );
    for (const version of ['1', '2', '3']) await repo.push({ 'src/b.ts': version });
    expect(await repo.gate('v1.0.0')).toMatchObject({ can_deploy: true });
    const waits = await env.asSuperuser(
      `select 1 from decision d join release l on l.id = d.release_id join repository r on r.id = l.repository_id
       where r.github_id = ${repo.repository.id} and d.sequence > ${last?.sequence} and d.verdict::text like '%workflows_unknown%'`,
    );
    expect(waits).toEqual([]);
  });

  it('closes only the gates of the releases of that branch', async () => {
    const repo = await install('apart');
    await repo.approved('v1.0.0');
    repo.commit({ branch: 'release/v2.0.0' });
    await repo.push({ [CI]: CHANGED }, 'release/v2.0.0');
    repo.milestone('v2.0.0');
    await env.waitUntilIdle();
    expect(await repo.gate('v1.0.0')).toMatchObject({ can_deploy: true });
    expect(await repo.reasons('v2.0.0')).toContain('tampered');
  });

  it('closes the gates of shipped releases too', async () => {
    const repo = await install('shipped');
    await repo.deploy(await repo.approved('v1.0.0'));
    expect(await repo.gate('v1.0.0')).toMatchObject({ can_deploy: true, current_stage: 'DEPLOYED' });
    await repo.push({ [CI]: CHANGED });
    expect(await repo.gate('v1.0.0')).toMatchObject({ can_deploy: false, current_stage: 'DEPLOYED' });
    await repo.restore();
    expect(await repo.gate('v1.0.0')).toMatchObject({ can_deploy: true });
  });

  it.each<[string, (repo: InstalledScenario) => Record<string, TreeFile | null>]>([
    ['deleted', () => ({ [CI]: null })],
    ['renamed to another case', (repo) => ({ [CI]: null, '.github/workflows/Shipgate-CI.yml': repo.entry(CI) })],
    [
      'replaced by a link to a copy of it',
      (repo) => {
        const sha = repo.repository.git.store.putBlob(Buffer.from('../../copy.yml'));
        return { 'copy.yml': repo.entry(CI), [CI]: { mode: '120000', sha } };
      },
    ],
    ['replaced by a link that reads like it', (repo) => ({ [CI]: { ...repo.entry(CI), mode: '120000' } })],
    ['replaced by a folder', (repo) => ({ [CI]: null, [`${CI}/a.yml`]: repo.entry(CI) })],
    ['replaced by another repository', (repo) => ({ [CI]: { mode: '160000', sha: repo.head() } })],
  ])('includes a file that was %s', async (how, change) => {
    const repo = await install(`file-${how.replaceAll(' ', '-')}`);
    await repo.pushEntries(change(repo));
    expect(await repo.flags()).toEqual([`main ${CI}`]);
    await repo.pushEntries({ [`${CI}/a.yml`]: null });
    await repo.pushEntries({
      [CI]: { mode: '100755', sha: repo.repository.git.store.putBlob(Buffer.from(repo.published[CI] ?? '')) },
    });
    expect(await repo.flags()).toEqual([]);
  });

  it('does not include a workflow of the team at the path of a managed file', async () => {
    const repo = await install('custom', { [CI]: 'name: ours\n' });
    await repo.push({ [CI]: 'name: ours, faster\n' });
    expect(await repo.flags()).toEqual([]);
    await repo.push({ [ENFORCE]: CHANGED });
    expect(await repo.flags()).toEqual([`main ${ENFORCE}`]);
  });

  it('does not include a file that a branch never had, and includes one that it had', async () => {
    const scenario = await install('early');
    const old = scenario.repository.git.store.commit(scenario.head()).parents[0] ?? '';
    scenario.repository.createBranch('release/v0.9.0', old);
    await env.waitUntilIdle();
    expect(await scenario.flags()).toEqual([]);

    // The service never saw this branch with its files, but the branch had them.
    scenario.repository.createBranch('feature', scenario.head());
    scenario.repository.commit({ branch: 'feature', files: { [CI]: null } });
    scenario.repository.createBranch('release/v1.0.0', scenario.head('feature'));
    await env.waitUntilIdle();
    expect(await scenario.flags()).toEqual([`release/v1.0.0 ${CI}`]);

    // The service saw this branch with the files, and then it was moved to a commit without them.
    scenario.repository.createBranch('release/v2.0.0', scenario.head());
    await env.waitUntilIdle();
    scenario.repository.setBranch('release/v2.0.0', old);
    await env.waitUntilIdle();
    expect(await scenario.flags()).toEqual([
      `release/v1.0.0 ${CI}`,
      `release/v2.0.0 ${CI}`,
      `release/v2.0.0 ${ENFORCE}`,
    ]);

    // The reports are removed with the branch. A branch that is created again starts without reports.
    scenario.repository.deleteBranch('release/v2.0.0');
    scenario.repository.deleteBranch('release/v1.0.0');
    await env.waitUntilIdle();
    expect([await scenario.flags(), scenario.issues(CI).map(({ state }) => state)]).toEqual([[], ['closed']]);
    scenario.repository.createBranch('release/v2.0.0', old);
    await env.waitUntilIdle();
    expect(await scenario.flags()).toEqual([]);
  });

  it('does not include any revision that was ever published, also one that is published later', async () => {
    const repo = await install('revisions');
    const publish = (content: string): Promise<unknown> => {
      const sha = repo.repository.git.store.putBlob(Buffer.from(content));
      return env.asSuperuser(
        `insert into published_workflow (path, blob_sha, revision, published_at) values ('${CI}', '${sha}', 'r', now())`,
      );
    };
    await publish('name: of last year\n');
    await repo.push({ [CI]: 'name: of last year\n' });
    expect(await repo.flags()).toEqual([]);
    await repo.push({ [CI]: 'name: of next year\n' });
    expect(await repo.flags()).toEqual([`main ${CI}`]);
    await publish('name: of next year\n');
    await env.resync();
    expect([await repo.flags(), repo.issues(CI).map(({ state }) => state)]).toEqual([[], ['closed']]);
  });

  it('continues to be checked on the branch that became the default branch', async () => {
    const repo = await install('renamed');
    repo.repository.createBranch('trunk', repo.head());
    repo.repository.defaultBranch = 'trunk';
    repo.repository.deleteBranch('main');
    await env.resync();
    await repo.push({ [CI]: null });
    expect(await repo.flags()).toEqual([`trunk ${CI}`]);
  });
});
