import { WorkflowTemplatesService } from '../../../src/features/repositories/workflow-files/workflow-templates.service.js';
import type { TreeFile } from '../../github-sim/git/object-store.js';
import type { Issue } from '../../github-sim/state/issues.js';
import type { TestEnvironment } from '../../support/test-environment.js';
import { codesOf, RepositoryScenario, type ScenarioSpec } from './repository-scenario.js';

export const ENFORCE = '.github/workflows/shipgate-enforce.yml';
export const CI = '.github/workflows/shipgate-ci.yml';
/** A content that was never published. */
export const CHANGED = 'name: nothing\n';

/** A repository with the managed workflow files, and with methods that change them. */
export class InstalledScenario extends RepositoryScenario {
  /** The published content of the managed files, by path. */
  readonly published: Readonly<Record<string, string>>;

  private constructor(env: TestEnvironment, spec: ScenarioSpec) {
    super(env, spec);
    const files = env.app.get(WorkflowTemplatesService).files();
    this.published = Object.fromEntries(files.map(({ path, content }) => [path, content]));
  }

  /** A managed repository with all or some of the files on its default branch. */
  static async install(
    env: TestEnvironment,
    spec: ScenarioSpec,
    besides: Readonly<Record<string, string>> = {},
  ): Promise<InstalledScenario> {
    const scenario = new InstalledScenario(env, spec);
    await scenario.push({ ...scenario.published, ...besides });
    return scenario;
  }

  async push(files: Readonly<Record<string, string | null>>, branch = this.repository.defaultBranch): Promise<void> {
    this.repository.commit({ branch, files });
    await this.env.waitUntilIdle();
  }

  async restore(branch = this.repository.defaultBranch): Promise<void> {
    await this.push(this.published, branch);
  }

  /** Commits tree entries, also symbolic links, to the default branch. */
  async pushEntries(entries: Readonly<Record<string, TreeFile | null>>): Promise<void> {
    const { git, defaultBranch, owner } = this.repository;
    const files = new Map(git.filesAt(this.head()));
    for (const [path, entry] of Object.entries(entries)) {
      if (entry === null) files.delete(path);
      else files.set(path, entry);
    }
    const author = owner.founder.signature();
    const tree = git.store.putFiles(files);
    const commit = { tree, parents: [this.head()], author, committer: author, message: 'Move' };
    this.repository.setBranch(defaultBranch, git.store.putCommit(commit));
    await this.env.waitUntilIdle();
  }

  /** The entry at a path of the default branch. */
  entry(path: string): TreeFile {
    const found = this.repository.git.filesAt(this.head()).get(path);
    if (!found) throw new Error(`there is no ${path}`);
    return found;
  }

  /** The reported changes, as `branch path`. */
  async flags(): Promise<readonly string[]> {
    const rows = await this.env.asSuperuser<{ readonly flag: string }>(
      `select branch || ' ' || path as flag from tampered_file t join repository r on r.id = t.repository_id
       where r.github_id = ${this.repository.id} order by branch, path`,
    );
    return rows.map(({ flag }) => flag);
  }

  issues(path: string): readonly Issue[] {
    return this.repository.issues.list().filter(({ title, pull }) => pull === null && title.includes(path));
  }

  openIssue(path: string): Issue {
    const [issue, ...others] = this.issues(path).filter(({ state }) => state === 'open');
    if (!issue || others.length > 0) throw new Error(`there is not one open issue about ${path}`);
    return issue;
  }

  /** The reasons of the closed gate. */
  async reasons(version: string): Promise<readonly string[]> {
    return codesOf(await this.gate(version, { explain: 'true' }));
  }
}
