import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { ManagedWorkflows } from '../../src/features/workflows/managed-workflows.service.js';
import type { TreeFile } from '../github-sim/git/object-store.js';
import type { Issue } from '../github-sim/state/issues.js';
import { World } from '../support/world.js';
import { codesOf, PLAIN_POLICY, RepositoryScene } from './scene/repository-scene.js';

const ENFORCE = '.github/workflows/shipgate-enforce.yml';
const CI = '.github/workflows/shipgate-ci.yml';
const CHANGED = 'name: nothing\n';

describe('the watch over installed workflow files', () => {
  let world: World;
  let published: Readonly<Record<string, string>>;
  beforeAll(async () => {
    world = await World.start({ BILLING: 'off' });
    const files = world.app.get(ManagedWorkflows).files();
    published = Object.fromEntries(files.map(({ path, content }) => [path, content]));
    await world.install();
  });
  afterAll(() => world.stop());
  afterEach(() => {
    world.github.faults.clear();
    expect(world.violations).toEqual([]);
  });

  /** A governed repository with the service's files on its default branch. */
  const installed = async (name: string, sdlc = PLAIN_POLICY): Promise<RepositoryScene> => {
    const repo = new RepositoryScene(world, { name, sdlc });
    repo.repository.commit({ files: published });
    await world.settle();
    return repo;
  };
  const push = async ({ repository }: RepositoryScene, files: Record<string, string | null>, branch = 'main') => {
    repository.commit({ branch, files });
    await world.settle();
  };
  const issuesOf = ({ repository }: RepositoryScene, path: string): readonly Issue[] =>
    repository.issues.list().filter(({ title, pull }) => pull === null && title.includes(path));
  const openIssue = (repo: RepositoryScene, path: string): Issue => {
    const [issue, ...others] = issuesOf(repo, path).filter(({ state }) => state === 'open');
    if (!issue || others.length > 0) throw new Error(`there is not one open issue about ${path}`);
    return issue;
  };
  const flagsOf = async ({ repository }: RepositoryScene): Promise<readonly string[]> => {
    const rows = await world.asSuperuser<{ readonly flag: string }>(
      `select branch || ' ' || path as flag from tampered_file t join repository r on r.id = t.repository_id
       where r.github_id = ${repository.id} order by branch, path`,
    );
    return rows.map(({ flag }) => flag);
  };
  const reasonsOf = async (repo: RepositoryScene, version: string): Promise<readonly string[]> =>
    codesOf(await repo.gate(version, { explain: 'true' }));

  it('closes the gate and opens an issue, and takes both back when the file is restored', async () => {
    const repo = await installed('trunk');
    await repo.approved('v1.0.0');
    expect(await repo.gate('v1.0.0')).toMatchObject({ can_deploy: true });

    await push(repo, { [ENFORCE]: CHANGED });
    expect(await repo.gate('v1.0.0')).toMatchObject({ can_deploy: false });
    expect(await reasonsOf(repo, 'v1.0.0')).toEqual(['tampered']);
    const issue = openIssue(repo, ENFORCE);
    expect([issue.author.login, issue.body]).toEqual([
      world.githubApp.bot.login,
      expect.stringContaining('<code>main</code>'),
    ]);

    await push(repo, { [ENFORCE]: published[ENFORCE] ?? '' });
    expect(await repo.gate('v1.0.0')).toMatchObject({ can_deploy: true });
    expect(issue).toMatchObject({ state: 'closed', body: expect.stringContaining('as Shipgate published it again') });
    expect(await flagsOf(repo)).toEqual([]);
    const actions = await world.asSuperuser<{ readonly action: string }>(
      `select action from audit_entry where subject = 'acme/trunk' order by sequence`,
    );
    expect(actions.map(({ action }) => action)).toEqual(['repository.tampered', 'repository.restored']);
  });

  it('tells of each file by an issue of its own, and of every branch in it; the next time by a new one', async () => {
    const repo = await installed('branches');
    repo.commit({ branch: 'release/v1.0.0' });
    repo.commit({ branch: 'hotfix/v1.0.1' });
    await world.settle();
    await push(repo, { [CI]: CHANGED }, 'release/v1.0.0');
    const issue = openIssue(repo, CI);
    await push(repo, { [CI]: CHANGED, [ENFORCE]: CHANGED }, 'hotfix/v1.0.1');
    expect(openIssue(repo, CI)).toBe(issue);
    expect(issue.body).toMatch(/<code>hotfix\/v1\.0\.1<\/code>.*\n.*<code>release\/v1\.0\.0<\/code>/);
    expect(openIssue(repo, ENFORCE).body).not.toContain('release/v1.0.0');

    await push(repo, published, 'hotfix/v1.0.1');
    expect([issue.state, issue.body]).toEqual(['open', expect.not.stringContaining('hotfix')]);
    expect(issuesOf(repo, ENFORCE).map(({ state }) => state)).toEqual(['closed']);
    await push(repo, published, 'release/v1.0.0');
    expect(issue.state).toBe('closed');
    await push(repo, { [CI]: CHANGED });
    expect(issuesOf(repo, CI).map(({ state }) => state)).toEqual(['closed', 'open']);
  });

  it('closes the gate of the releases of that branch alone', async () => {
    const repo = await installed('apart');
    await repo.approved('v1.0.0');
    repo.commit({ branch: 'release/v2.0.0' });
    await push(repo, { [CI]: CHANGED }, 'release/v2.0.0');
    repo.milestone('v2.0.0');
    await world.settle();
    expect(await repo.gate('v1.0.0')).toMatchObject({ can_deploy: true });
    expect(await reasonsOf(repo, 'v2.0.0')).toContain('tampered');
  });

  it('closes the gate of what was shipped too', async () => {
    const repo = await installed('shipped');
    const sha = await repo.approved('v1.0.0');
    await repo.deploy(sha);
    expect(await repo.gate('v1.0.0')).toMatchObject({ can_deploy: true, current_stage: 'DEPLOYED' });
    await push(repo, { [CI]: CHANGED });
    expect(await repo.gate('v1.0.0')).toMatchObject({ can_deploy: false, current_stage: 'DEPLOYED' });
    await push(repo, { [CI]: published[CI] ?? '' });
    expect(await repo.gate('v1.0.0')).toMatchObject({ can_deploy: true });
  });

  it.each<[string, (repo: RepositoryScene) => Record<string, TreeFile | null>]>([
    ['deleted', () => ({ [CI]: null })],
    [
      'renamed to another case',
      ({ repository }) => ({ [CI]: null, '.github/workflows/Shipgate-CI.yml': at(repository, CI) }),
    ],
    [
      'replaced by a link to a copy of it',
      ({ repository: { git }, repository }) => ({
        'copy.yml': at(repository, CI),
        [CI]: { mode: '120000', sha: git.store.putBlob(Buffer.from('../../copy.yml')) },
      }),
    ],
    ['replaced by a folder', ({ repository }) => ({ [CI]: null, [`${CI}/${'a.yml'}`]: at(repository, CI) })],
    [
      'replaced by another repository',
      ({ repository }) => ({ [CI]: { mode: '160000', sha: repository.git.branchHead('main') ?? '' } }),
    ],
  ])('finds a file that was %s', async (how, change) => {
    const repo = await installed(`file-${how.replaceAll(' ', '-')}`);
    replaceFiles(repo, change(repo));
    await world.settle();
    expect(await flagsOf(repo)).toEqual([`main ${CI}`]);
  });
});

const at = (repository: RepositoryScene['repository'], path: string): TreeFile => {
  const file = repository.git.filesAt(repository.git.branchHead(repository.defaultBranch) ?? '').get(path);
  if (!file) throw new Error(`there is no ${path}`);
  return file;
};

/** Commits entries as they are, links and all. */
function replaceFiles(
  { repository, ...scene }: RepositoryScene,
  changes: Readonly<Record<string, TreeFile | null>>,
): void {
  const { git, defaultBranch, owner } = repository;
  const parent = git.branchHead(defaultBranch) ?? '';
  const files = new Map(git.filesAt(parent));
  for (const [path, file] of Object.entries(changes)) {
    if (file === null) files.delete(path);
    else files.set(path, file);
  }
  const author = owner.founder.signature();
  const tree = git.store.putFiles(files);
  repository.setBranch(
    defaultBranch,
    git.store.putCommit({ tree, parents: [parent], author, committer: author, message: 'Move' }),
  );
}
