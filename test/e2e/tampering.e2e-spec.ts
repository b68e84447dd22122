import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { TreeFile } from '../github-sim/git/object-store.js';
import { TestEnvironment } from '../support/world.js';
import { CHANGED, CI, ENFORCE, InstalledScene } from './scene/installed-scene.js';

describe('the watch over installed workflow files', () => {
  let world: TestEnvironment;
  beforeAll(async () => {
    world = await TestEnvironment.start({ BILLING: 'off' });
    await world.install();
  });
  afterAll(() => world.stop());
  afterEach(() => {
    world.github.faults.clear();
    expect(world.violations).toEqual([]);
  });

  const install = (name: string, besides: Readonly<Record<string, string>> = {}): Promise<InstalledScene> =>
    InstalledScene.install(world, { name }, besides);

  it('closes the gate and opens an issue, and takes both back when the file is restored', async () => {
    const repo = await install('trunk');
    await repo.approved('v1.0.0');
    expect(await repo.gate('v1.0.0')).toMatchObject({ can_deploy: true });

    await repo.push({ [ENFORCE]: CHANGED });
    expect(await repo.gate('v1.0.0')).toMatchObject({ can_deploy: false });
    expect(await repo.reasons('v1.0.0')).toEqual(['tampered']);
    const issue = repo.openIssue(ENFORCE);
    expect([issue.author.login, issue.body]).toEqual([world.githubApp.bot.login, expect.stringContaining('`main`')]);

    await repo.restore();
    expect(await repo.gate('v1.0.0')).toMatchObject({ can_deploy: true });
    expect(issue).toMatchObject({ state: 'closed', body: expect.stringContaining('as Shipgate published it again') });
    expect(await repo.flags()).toEqual([]);
    const actions = await world.asSuperuser<{ readonly action: string }>(
      `select action from audit_entry where subject = 'acme/trunk' order by sequence`,
    );
    expect(actions.map(({ action }) => action)).toEqual(['repository.tampered', 'repository.restored']);
  });

  it('tells of each file by an issue of its own, and of every branch in it; the next time by a new one', async () => {
    const repo = await install('branches');
    repo.commit({ branch: 'release/v1.0.0' });
    repo.commit({ branch: 'hotfix/v1.0.1' });
    await world.settle();
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

  it('leaves no trace in the decisions of a push that touches none of the files', async () => {
    const repo = await install('busy');
    await repo.approved('v1.0.0');
    const [last] = await world.asSuperuser<{ readonly sequence: string }>(
      'select max(sequence) as sequence from decision',
    );
    for (const version of ['1', '2', '3']) await repo.push({ 'src/b.ts': version });
    expect(await repo.gate('v1.0.0')).toMatchObject({ can_deploy: true });
    const waits = await world.asSuperuser(
      `select 1 from decision d join release l on l.id = d.release_id join repository r on r.id = l.repository_id
       where r.github_id = ${repo.repository.id} and d.sequence > ${last?.sequence} and d.verdict::text like '%workflows_unknown%'`,
    );
    expect(waits).toEqual([]);
  });

  it('closes the gate of the releases of that branch alone', async () => {
    const repo = await install('apart');
    await repo.approved('v1.0.0');
    repo.commit({ branch: 'release/v2.0.0' });
    await repo.push({ [CI]: CHANGED }, 'release/v2.0.0');
    repo.milestone('v2.0.0');
    await world.settle();
    expect(await repo.gate('v1.0.0')).toMatchObject({ can_deploy: true });
    expect(await repo.reasons('v2.0.0')).toContain('tampered');
  });

  it('closes the gate of what was shipped too', async () => {
    const repo = await install('shipped');
    await repo.deploy(await repo.approved('v1.0.0'));
    expect(await repo.gate('v1.0.0')).toMatchObject({ can_deploy: true, current_stage: 'DEPLOYED' });
    await repo.push({ [CI]: CHANGED });
    expect(await repo.gate('v1.0.0')).toMatchObject({ can_deploy: false, current_stage: 'DEPLOYED' });
    await repo.restore();
    expect(await repo.gate('v1.0.0')).toMatchObject({ can_deploy: true });
  });

  it.each<[string, (repo: InstalledScene) => Record<string, TreeFile | null>]>([
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
  ])('finds a file that was %s', async (how, change) => {
    const repo = await install(`file-${how.replaceAll(' ', '-')}`);
    await repo.pushEntries(change(repo));
    expect(await repo.flags()).toEqual([`main ${CI}`]);
    await repo.pushEntries({ [`${CI}/a.yml`]: null });
    await repo.pushEntries({
      [CI]: { mode: '100755', sha: repo.repository.git.store.putBlob(Buffer.from(repo.published[CI] ?? '')) },
    });
    expect(await repo.flags()).toEqual([]);
  });

  it("leaves a workflow of the team's own alone that stands at the path of one of its own", async () => {
    const repo = await install('custom', { [CI]: 'name: ours\n' });
    await repo.push({ [CI]: 'name: ours, faster\n' });
    expect(await repo.flags()).toEqual([]);
    await repo.push({ [ENFORCE]: CHANGED });
    expect(await repo.flags()).toEqual([`main ${ENFORCE}`]);
  });

  it('does not miss what a branch never had, and does miss what it had', async () => {
    const scene = await install('early');
    const old = scene.repository.git.store.commit(scene.head()).parents[0] ?? '';
    scene.repository.createBranch('release/v0.9.0', old);
    await world.settle();
    expect(await scene.flags()).toEqual([]);

    // Never seen with its files, and yet it had them.
    scene.repository.createBranch('feature', scene.head());
    scene.repository.commit({ branch: 'feature', files: { [CI]: null } });
    scene.repository.createBranch('release/v1.0.0', scene.head('feature'));
    await world.settle();
    expect(await scene.flags()).toEqual([`release/v1.0.0 ${CI}`]);

    // Seen with them, and pushed back to where they were not.
    scene.repository.createBranch('release/v2.0.0', scene.head());
    await world.settle();
    scene.repository.setBranch('release/v2.0.0', old);
    await world.settle();
    expect(await scene.flags()).toEqual([`release/v1.0.0 ${CI}`, `release/v2.0.0 ${CI}`, `release/v2.0.0 ${ENFORCE}`]);

    // What was flagged goes with the branch; one that is made anew begins anew.
    scene.repository.deleteBranch('release/v2.0.0');
    scene.repository.deleteBranch('release/v1.0.0');
    await world.settle();
    expect([await scene.flags(), scene.issues(CI).map(({ state }) => state)]).toEqual([[], ['closed']]);
    scene.repository.createBranch('release/v2.0.0', old);
    await world.settle();
    expect(await scene.flags()).toEqual([]);
  });

  it('takes every revision for intact that was ever published, also one that is published later', async () => {
    const repo = await install('revisions');
    const publish = (content: string): Promise<unknown> => {
      const sha = repo.repository.git.store.putBlob(Buffer.from(content));
      return world.asSuperuser(
        `insert into published_workflow (path, blob_sha, revision, published_at) values ('${CI}', '${sha}', 'r', now())`,
      );
    };
    await publish('name: of last year\n');
    await repo.push({ [CI]: 'name: of last year\n' });
    expect(await repo.flags()).toEqual([]);
    await repo.push({ [CI]: 'name: of next year\n' });
    expect(await repo.flags()).toEqual([`main ${CI}`]);
    await publish('name: of next year\n');
    await world.resync();
    expect([await repo.flags(), repo.issues(CI).map(({ state }) => state)]).toEqual([[], ['closed']]);
  });

  it('goes on on the branch that became the default one', async () => {
    const repo = await install('renamed');
    repo.repository.createBranch('trunk', repo.head());
    repo.repository.defaultBranch = 'trunk';
    repo.repository.deleteBranch('main');
    await world.resync();
    await repo.push({ [CI]: null });
    expect(await repo.flags()).toEqual([`trunk ${CI}`]);
  });
});
