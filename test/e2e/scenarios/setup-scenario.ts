import type { SetupStep } from '../../../src/domain/repository/bootstrap.js';
import type { Pull } from '../../github-sim/state/pull.js';
import type { Repository } from '../../github-sim/state/repository.js';
import { type JsonAnswer, signIn, type UserSession } from '../../support/user-session.js';
import type { TestEnvironment } from '../../support/test-environment.js';

/** The stored row of the set-up of a repository. */
export interface SetupRow {
  readonly step: SetupStep;
  readonly pull: number | null;
  readonly detail: string | null;
  readonly managed: boolean;
  readonly tokens: number;
}

/** A workspace whose admin sets its repositories up. */
export class SetupScenario {
  private constructor(
    readonly env: TestEnvironment,
    readonly admin: UserSession,
  ) {}

  static async in(env: TestEnvironment, login = 'setup-admin'): Promise<SetupScenario> {
    const user = env.github.createUser({ login });
    env.organization.addMember(user, 'admin');
    return new SetupScenario(env, await signIn(env, user, { role: 'admin' }));
  }

  repository(name: string, files: Readonly<Record<string, string>> = { 'src/a.ts': '0' }): Repository {
    return this.env.github.createRepository(this.env.organization, { name, files, private: false });
  }

  /** The repository's id in the service. */
  async idOf({ id }: Repository): Promise<string> {
    const [row] = await this.env.asSuperuser<{ id: string }>(`select id from repository where github_id = ${id}`);
    if (!row) throw new Error('the service has not stored the repository');
    return row.id;
  }

  async bootstrap(repository: Repository, body: object = {}, by = this.admin): Promise<JsonAnswer> {
    return by.send('POST', `/api/repos/${await this.idOf(repository)}/bootstrap`, body);
  }

  async row(repository: Repository): Promise<SetupRow | null> {
    const [row] = await this.env.asSuperuser<SetupRow>(
      `select s.step, s.pull_number as pull, s.detail, r.managed_at is not null as managed,
         (select count(*)::int from repository_token t where t.repository_id = r.id) as tokens
       from repository_setup s join repository r on r.id = s.repository_id where r.github_id = ${repository.id}`,
    );
    return row ?? null;
  }

  /** The only open pull request of the bootstrap. Throws if there are more. */
  openPull(repository: Repository): Pull {
    const open = bootstrapPulls(repository).filter(({ issue }) => issue.state === 'open');
    const [pull] = open;
    if (!pull || open.length > 1) throw new Error(`${open.length} pull requests of the bootstrap are open`);
    return pull;
  }

  /** The audit entries of the repository, oldest first. */
  async audit(repository: Repository): Promise<readonly string[]> {
    const rows = await this.env.asSuperuser<{ action: string }>(
      `select action from audit_entry where subject = '${repository.fullName}' order by sequence`,
    );
    return rows.map(({ action }) => action);
  }
}

/** Every bootstrap pull request of the repository, oldest first. */
export const bootstrapPulls = (repository: Repository): readonly Pull[] =>
  repository.pulls.list().filter(({ headRef }) => headRef === 'shipgate/bootstrap');

/** The text of a file at the head of a branch; null for a missing file. */
export function textAt({ git }: Repository, branch: string, path: string): string | null {
  const head = git.branchHead(branch);
  const file = head === null ? undefined : git.filesAt(head).get(path);
  return file ? git.store.blob(file.sha).toString('utf8') : null;
}
